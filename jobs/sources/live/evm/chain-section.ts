// What the request of a source on a chain contains in addition to the address of its node.
import { type Static, Strict, Type } from '../../../../schemas/define.ts';

const Opt = Type.Optional;
const Address = Type.String({ pattern: '^0x[0-9a-fA-F]{40}$', description: 'an address of 20 bytes in hex' });
const Url = Type.String({ pattern: '^https?://\\S+$', description: 'an http or https address' });

export const CHAIN_READINGS = [
  'feed_rounds',
  'feed_bounds',
  'vault_logs',
  'governor_logs',
  'swaps',
  'morpho_markets',
  'aave_markets',
  'vault_states',
  'oracle_paths',
  'blocks',
] as const;

export const ChainSection = Strict(
  {
    id: Type.Integer({ minimum: 1, description: 'the id of the chain, 1 for Ethereum' }),
    read: Type.Enum([...CHAIN_READINGS]),
    nodes: Opt(Type.Array(Url, { description: 'a list of further nodes, tried in order when url fails' })),
    head: Opt(Type.Enum(['finalized', 'safe', 'latest'])),
    directory: Opt(Url),
    vaults: Opt(Type.Array(Address, { minItems: 1, description: 'a list of addresses of vaults' })),
    topics: Opt(
      Type.Array(Type.String({ pattern: '^0x[0-9a-f]{64}$', description: 'a topic of 32 bytes in hex' }), {
        minItems: 1,
        description: 'a list of first topics of logs',
      }),
    ),
    contracts: Opt(Type.Array(Address, { minItems: 1, description: 'a list of addresses' })),
    factories: Opt(
      Type.Array(Address, { minItems: 1, description: 'a list of addresses of factories of oracles' }),
    ),
    traces: Opt(
      Type.Boolean({ description: 'true to read traces of blocks, if the node supports trace_block' }),
    ),
    markets: Opt(
      Type.Array(Type.String({ pattern: '^0x[0-9a-fA-F]{64}$', description: 'an id of 32 bytes in hex' }), {
        minItems: 1,
        description: 'a list of ids of markets',
      }),
    ),
  },
  'an object with id, read, nodes, head, directory, vaults, topics, contracts, factories, markets and traces',
);
export type ChainSection = Static<typeof ChainSection>;

/** What the reading requires but lacks, in words; null if nothing is missing. */
export function missingOf({ read, head, directory, contracts, ...rest }: ChainSection): string | null {
  if (head === 'latest' && read !== 'vault_logs')
    return 'head finalized or safe: only vault_logs can withdraw a row';
  if (read === 'blocks') return null;
  if (read === 'feed_rounds' || read === 'feed_bounds' || read === 'vault_logs')
    return directory === undefined && contracts === undefined ? 'directory or contracts' : null;
  if (contracts === undefined) return 'contracts';
  if (read === 'vault_states')
    return directory === undefined && rest.vaults === undefined ? 'directory or vaults' : null;
  const named = [directory, rest.markets, rest.vaults];
  return (read === 'morpho_markets' || read === 'oracle_paths') && named.every((one) => one === undefined)
    ? 'directory, vaults or markets'
    : null;
}
