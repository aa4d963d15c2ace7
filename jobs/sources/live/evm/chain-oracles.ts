// Reads the oracles of Morpho's markets with everything that they read, all at one block: those of the markets that the source names, and of
// those that its vaults may withdraw from.
import { type ChainReader, lower, named, vaultsOf } from './chain-task.ts';
import { readCalls } from './multicall.ts';
import { oracleLegRows, oraclePriceRow } from './oracles/oracle-rows.ts';
import { readOraclePaths } from './oracles/read-oracle-paths.ts';
import { readVaults } from './read-vaults.ts';

export const readOraclePathRows: ChainReader = async (rpc, task) => {
  const { chain, head, name } = task;
  const [morpho = ''] = lower(chain.contracts);
  const hasVaults = chain.directory !== undefined || chain.vaults !== undefined;
  const vaults = hasVaults ? await vaultsOf(task) : [];
  const { value, exchanges } = await readCalls(rpc, { head }, async (ask) => {
    const read = await readVaults(ask, vaults);
    const ids = [...new Set([...lower(chain.markets), ...read.vaults.flatMap(({ queue }) => queue)])];
    const paths = await readOraclePaths(ask, { morpho, ids, factories: lower(chain.factories) });
    return { ...paths, missing: [...read.missing, ...paths.missing] };
  });
  const at = { chain: name, observed_at: head.timestamp, block_number: head.number };
  return {
    rows: named({
      oracle_price: value.paths.map((path) => oraclePriceRow(at, path)),
      oracle_leg: value.paths.flatMap((path) => oracleLegRows(at, path)),
    }),
    exchanges,
    missing: value.missing.map(({ id, why }) => ({ subject: id, reason: why })),
  };
};
