// Lending markets read from their contracts. A registry entry is delivered once: which ones were is the state of a reading.
import { lower, named, type ReadChain } from './chain-task.ts';
import { aaveRows, readAave } from './evm/read-aave.ts';
import { morphoRows, readMorpho } from './evm/read-morpho.ts';

export const readMorphoMarkets: ReadChain = async (rpc, { chain, name, head, state }) => {
  const [morpho = ''] = lower(chain.contracts);
  const reading = await readMorpho(rpc, { morpho, ids: lower(chain.markets), head });
  const registered = registeredWith(
    state,
    reading.value.markets.map(({ id }) => id),
  );
  return {
    rows: named(morphoRows({ chain: name, protocol: 'morpho', fresh: registered.fresh }, reading)),
    exchanges: reading.exchanges,
    missing: reading.value.missing.map(({ id, why }) => ({ subject: id, reason: why })),
    state: registered.state,
  };
};

export const readAaveMarkets: ReadChain = async (rpc, { chain, name, head, state }) => {
  const [provider = ''] = lower(chain.contracts);
  const reading = await readAave(rpc, { provider, head });
  const registered = registeredWith(
    state,
    reading.value.reserves.map(({ aToken }) => aToken),
  );
  return {
    rows: named(aaveRows({ chain: name, protocol: 'aave', fresh: registered.fresh }, reading)),
    exchanges: reading.exchanges,
    missing: reading.value.missing.map(({ asset, why }) => ({ subject: asset, reason: why })),
    state: registered.state,
  };
};

interface Registered {
  readonly registered: readonly string[];
}

/** Those that no earlier reading delivered, and all of them for the next one. */
function registeredWith(state: unknown, ids: readonly string[]) {
  const before = new Set((state as Registered | null)?.registered ?? []);
  const after: Registered = { registered: [...new Set([...before, ...ids])] };
  return { fresh: new Set(ids.filter((id) => !before.has(id))), state: after };
}
