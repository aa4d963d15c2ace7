// Reads the oracles of Morpho's markets with everything that they read, all at one block: those of the markets that the source names, and of
// those that its vaults may hold.
import { ChainFault } from './chain-fault.ts';
import { type ChainReader, lower, named } from './chain-task.ts';
import { readCalls } from './multicall.ts';
import { type OraclesState, readAaveOracles, readOracles } from './oracles/oracle-readings.ts';
import { type ListState, listVaults } from './vaults/listed-vaults.ts';
import { readMarketsOf, type VaultMarkets } from './vaults/vault-markets.ts';

/** Probes are cheap; a request of so many takes a few million gas. */
const LIGHT_BATCH = 600;
/** Vaults rarely take up a market. */
const MARKETS_EVERY_S = 86_400;

interface OraclePathsState extends OraclesState, ListState {
  readonly listed?: VaultMarkets & { readonly vaults: readonly string[]; readonly read_at: number };
}

export const readOraclePathRows: ChainReader = async (rpc, task) => {
  const { chain, head, name } = task;
  const [morpho = ''] = lower(chain.contracts);
  const before = task.state as OraclePathsState | null;
  const { vaults, ...list } = await listVaults(rpc, task);
  const { value, exchanges } = await readCalls(rpc, { head, batch: LIGHT_BATCH }, async (ask, node) => {
    const last = before?.listed;
    const isKnown = last !== undefined && vaults.every((vault) => last.vaults.includes(vault));
    const isFresh = isKnown && head.timestamp < last.read_at + MARKETS_EVERY_S;
    const listed = isFresh
      ? last
      : { ...(await readMarketsOf(ask, vaults)), vaults, read_at: head.timestamp };
    const ids = [...new Set([...lower(chain.markets), ...listed.ids])];
    const factories = lower(chain.factories);
    const reading = await readOracles(ask, node, { morpho, ids, factories, before, head, chain: name });
    return { ...reading, listed, missing: [...listed.missing, ...reading.missing] };
  });
  return {
    rows: named(value.rows),
    exchanges: [...list.exchanges, ...exchanges],
    missing: [...list.missing, ...value.missing.map(({ id, why }) => ({ subject: id, reason: why }))],
    state: { ...value.state, ...list.state, listed: value.listed },
  };
};

/** Reads the price sources of Aave's markets, one market for each contract. */
export const readAaveOracleRows: ChainReader = async (rpc, { chain, head, name, state }) => {
  const before = state as OraclesState | null;
  const providers = lower(chain.contracts);
  const { value, exchanges } = await readCalls(rpc, { head, batch: LIGHT_BATCH }, (ask, node) =>
    readAaveOracles(ask, node, { providers, before, head, chain: name }),
  );
  const missing = value.missing.map(({ id, why }) => ({ subject: id, reason: why }));
  if (value.rows.oracle_price.length === 0)
    throw new ChainFault(
      'incomplete',
      `no oracle can be read: ${missing[0]?.subject}: ${missing[0]?.reason}.`,
    );
  return { rows: named(value.rows), exchanges, missing, state: value.state };
};
