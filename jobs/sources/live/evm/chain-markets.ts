// Reads lending markets and vaults from their contracts. A registry entry is delivered when it is new or has changed; the delivered entries
// are the state of a reading.
import { type ChainRow, lower, named, type ChainReader } from './chain-task.ts';
import { DeliveredEntries } from '../fetch/delivered-entries.ts';
import { aaveRows, readAave } from './read-aave.ts';
import { readCalls } from './multicall.ts';
import { morphoRows, readMorpho } from './read-morpho.ts';
import { readVaults, vaultRows } from './read-vaults.ts';
import type { Exchange } from './rpc.ts';
import type { MissingSubject } from '../fetch/recording.ts';
import { listVaults } from './vaults/listed-vaults.ts';

/** Length of `0x` and 20 bytes in hex. */
const ADDRESS_LENGTH = 42;

/** Reads the vaults, the markets that they may withdraw from, and the markets that the source names. */
export const readMorphoMarkets: ChainReader = async (rpc, task) => {
  const { chain, name, head } = task;
  const hasVaults = chain.directory !== undefined || chain.vaults !== undefined;
  const registry = new DeliveredEntries(task.state, task.mappings);
  // A list may be incomplete, and a vault that was taken off it still has depositors.
  const known = chain.directory === undefined ? [] : [...registry.keys].filter(isAddress);
  const addresses = hasVaults ? [...new Set([...known, ...(await listVaults(rpc, task)).vaults])] : [];
  const vaults = await readCalls(rpc, { head }, (ask) => readVaults(ask, addresses));
  const queued = vaults.value.vaults.flatMap(({ queue }) => queue);
  const ids = [...new Set([...lower(chain.markets), ...queued])];
  const [morpho = ''] = lower(chain.contracts);
  const markets = await readMorpho(rpc, { morpho, ids, head, known: registry.keys });
  const location = { chain: name, protocol: 'morpho' };
  const fresh = registry.newAmong(markets.value.markets.map(({ id }) => ({ key: id, facts: '' })));
  const rows = vaultRows({ ...location, time: head.timestamp }, vaults.value);
  const changed = registry.newAmong(
    rows.map(({ observed_at: _, ...facts }) => ({ key: facts.vault_address, facts: JSON.stringify(facts) })),
  );
  return {
    rows: [
      ...named(morphoRows({ ...location, fresh }, markets)),
      ...named({ lending_vault: rows.filter(({ vault_address }) => changed.has(vault_address)) }),
    ],
    exchanges: [...vaults.exchanges, ...markets.exchanges],
    missing: [...vaults.value.missing, ...markets.value.missing].map(({ id, why }) => ({
      subject: id,
      reason: why,
    })),
    state: registry.state(),
  };
};

/** Distinguishes addresses from ids of markets, which are longer. */
const isAddress = (key: string): boolean => key.length === ADDRESS_LENGTH;

/** Reads one market of Aave with its reserves for each contract. */
export const readAaveMarkets: ChainReader = async (rpc, { chain, name, head, state, mappings }) => {
  const registry = new DeliveredEntries(state, mappings);
  const rows: ChainRow[] = [];
  const exchanges: Exchange[] = [];
  const missing: MissingSubject[] = [];
  for (const provider of lower(chain.contracts)) {
    const reading = await readAave(rpc, { provider, head, known: registry.keys });
    const fresh = registry.newAmong(
      reading.value.reserves.map(({ aToken, symbol }) => ({ key: aToken, facts: symbol })),
    );
    rows.push(...named(aaveRows({ chain: name, protocol: 'aave', fresh }, reading)));
    exchanges.push(...reading.exchanges);
    missing.push(...reading.value.missing.map(({ asset, why }) => ({ subject: asset, reason: why })));
  }
  return { rows, exchanges, missing, state: registry.state() };
};
