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
  'aave_oracles',
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
    vault_factories: Opt(
      Type.Array(Address, { minItems: 1, description: 'a list of addresses of factories of vaults' }),
    ),
    since: Opt(
      Type.Integer({
        minimum: 0,
        description: 'the first block with logs of vault_factories or of vaults, 0 by default',
      }),
    ),
    public_allocator: Opt(Address),
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
  'an object with id, read, nodes and head, and what the reading needs: directory, contracts, vaults, vault_factories, since, markets, factories, public_allocator, topics or traces',
);
export type ChainSection = Static<typeof ChainSection>;

const VAULTS = ['directory', 'vaults', 'vault_factories'] as const;
type Member = Exclude<keyof ChainSection, 'id' | 'read' | 'nodes' | 'head'>;

interface Needs {
  /** At least one of these, if there are any. */
  readonly oneOf: readonly Member[];
  readonly all?: readonly Member[];
  readonly optional?: readonly Member[];
}

const NEEDS: { readonly [Reading in ChainSection['read']]: Needs } = {
  feed_rounds: { oneOf: ['directory', 'contracts'] },
  feed_bounds: { oneOf: ['directory', 'contracts'] },
  vault_logs: { oneOf: ['contracts', ...VAULTS], optional: ['since', 'topics'] },
  governor_logs: { oneOf: ['contracts'] },
  swaps: { oneOf: ['contracts'] },
  morpho_markets: { all: ['contracts'], oneOf: ['directory', 'vaults', 'markets'] },
  aave_markets: { oneOf: ['contracts'] },
  vault_states: { all: ['contracts'], oneOf: VAULTS, optional: ['since', 'public_allocator'] },
  oracle_paths: { all: ['contracts'], oneOf: [...VAULTS, 'markets'], optional: ['since', 'factories'] },
  aave_oracles: { oneOf: ['contracts'] },
  blocks: { oneOf: [], optional: ['traces'] },
};

/** What the reading requires but lacks, in words; null if nothing is missing. */
export function missingOf(chain: ChainSection): string | null {
  if (chain.head === 'latest' && chain.read !== 'vault_logs')
    return 'head finalized or safe: only vault_logs can withdraw a row';
  const { oneOf, all = [] } = NEEDS[chain.read];
  const lacking = all.filter((name) => chain[name] === undefined);
  if (lacking.length > 0) return lacking.join(' and ');
  const isGiven = oneOf.length === 0 || oneOf.some((name) => chain[name] !== undefined);
  return isGiven ? null : [oneOf.slice(0, -1).join(', '), oneOf.at(-1)].filter(Boolean).join(' or ');
}

/** Members that the reading would ignore, which is never what was meant. */
export function unusedIn(chain: ChainSection): readonly string[] {
  const { oneOf, all = [], optional = [] } = NEEDS[chain.read];
  const used: readonly string[] = ['id', 'read', 'nodes', 'head', ...oneOf, ...all, ...optional];
  const unused = Object.keys(chain).filter((name) => !used.includes(name));
  const isWithoutFactories =
    chain.since !== undefined && chain.vault_factories === undefined && chain.read !== 'vault_states';
  return isWithoutFactories && !unused.includes('since') ? [...unused, 'since'] : unused;
}
