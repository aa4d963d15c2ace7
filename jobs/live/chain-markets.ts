// Lending markets and vaults read from their contracts. A registry entry is delivered when it is new or has changed: what was delivered is
// the state of a reading.
import { type ChainRow, lower, named, type ReadChain, vaultsOf } from './chain-task.ts';
import { aaveRows, readAave } from './evm/read-aave.ts';
import { readCalls } from './evm/read-calls.ts';
import { morphoRows, readMorpho } from './evm/read-morpho.ts';
import { readVaults, vaultRows } from './evm/read-vaults.ts';
import type { Exchange } from './evm/rpc.ts';
import type { MissingSubject } from './recording.ts';

/** Markets that the source names, and those that vaults may withdraw from; the vaults, too. */
export const readMorphoMarkets: ReadChain = async (rpc, task) => {
  const { chain, name, head } = task;
  const hasVaults = chain.directory !== undefined || chain.vaults !== undefined;
  const addresses = hasVaults ? await vaultsOf(task) : [];
  const vaults = await readCalls(rpc, { head }, (ask) => readVaults(ask, addresses));
  const queued = vaults.value.vaults.flatMap(({ queue }) => queue);
  const ids = [...new Set([...lower(chain.markets), ...queued])];
  const [morpho = ''] = lower(chain.contracts);
  const registry = new Registry(task.state);
  const markets = await readMorpho(rpc, { morpho, ids, head, known: registry.keys });
  const place = { chain: name, protocol: 'morpho' };
  const fresh = registry.newAmong(markets.value.markets.map(({ id }) => ({ key: id, facts: '' })));
  const rows = vaultRows({ ...place, time: head.timestamp }, vaults.value);
  const changed = registry.newAmong(
    rows.map(({ observed_at: _, ...facts }) => ({ key: facts.vault_address, facts: JSON.stringify(facts) })),
  );
  return {
    rows: [
      ...named(morphoRows({ ...place, fresh }, markets)),
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

/** Each contract is one market of Aave with its reserves. */
export const readAaveMarkets: ReadChain = async (rpc, { chain, name, head, state }) => {
  const registry = new Registry(state);
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

interface Entry {
  readonly key: string;
  /** The entry is delivered again when these change. */
  readonly facts: string;
}

/** Registry entries that were delivered, by their key. */
class Registry {
  readonly #delivered: Map<string, string>;

  constructor(state: unknown) {
    this.#delivered = new Map(Object.entries((state ?? {}) as { readonly [key: string]: string }));
  }

  get keys(): ReadonlySet<string> {
    return new Set(this.#delivered.keys());
  }

  /** Keys of entries that no earlier reading delivered so; they count as delivered from here on. */
  newAmong(entries: readonly Entry[]): ReadonlySet<string> {
    const fresh = entries.filter(({ key, facts }) => this.#delivered.get(key) !== facts);
    for (const { key, facts } of fresh) this.#delivered.set(key, facts);
    return new Set(fresh.map(({ key }) => key));
  }

  state(): { readonly [key: string]: string } {
    return Object.fromEntries(this.#delivered);
  }
}
