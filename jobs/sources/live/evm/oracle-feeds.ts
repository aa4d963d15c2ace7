// Feeds behind the oracle of a market. Morpho's oracles over Chainlink name up to four feeds; Aave's adapters, which cap a price, name the
// feed that they read. A contract that names none is a feed itself, or an oracle of another kind.
import { contractFunction } from '../../../../platform/base/contract-abi.ts';
import { type Ask, addressIn } from './contract-call.ts';

/** As declared by morpho-org/morpho-blue-oracles and bgd-labs/aave-capo (both open source). */
const QUESTIONS = [
  'BASE_FEED_1',
  'BASE_FEED_2',
  'QUOTE_FEED_1',
  'QUOTE_FEED_2',
  'ASSET_TO_USD_AGGREGATOR',
  'BASE_TO_USD_AGGREGATOR',
].map((name) => contractFunction(name, {}, 'address').encodeCall());
/** Maximum number of levels: an adapter may read another adapter. */
const MAX_DEPTH = 3;

/** Feeds by oracle; an oracle that names none is omitted. */
export type OracleFeeds = ReadonlyMap<string, readonly string[]>;

export async function readOracleFeeds(ask: Ask, oracles: readonly string[]): Promise<OracleFeeds> {
  const named = new Map<string, readonly string[]>();
  let open = [...new Set(oracles)];
  for (let depth = 0; depth < MAX_DEPTH && open.length > 0; depth++) {
    for (const [oracle, feeds] of await namedBy(ask, open)) named.set(oracle, feeds);
    open = [...new Set(open.flatMap((oracle) => named.get(oracle) ?? []))].filter((one) => !named.has(one));
  }
  return new Map(
    oracles.flatMap((oracle) => (named.has(oracle) ? [[oracle, leavesOf(oracle, named, MAX_DEPTH)]] : [])),
  );
}

/** Rows of the raw table `market_oracle` of one market. */
export const oracleRows = <R extends object>(at: R, oracle: string, feeds: OracleFeeds) =>
  (feeds.get(oracle) ?? [null]).map((feed_address) => ({ ...at, oracle_address: oracle, feed_address }));

async function namedBy(
  ask: Ask,
  contracts: readonly string[],
): Promise<readonly (readonly [string, readonly string[]])[]> {
  const calls = contracts.flatMap((target) => QUESTIONS.map((data) => ({ target, data })));
  const results = await ask(calls, { mayRevert: true });
  const width = QUESTIONS.length;
  return contracts.flatMap((contract, index) => {
    // Oracles of other providers have the same functions but return ids that are not addresses.
    const feeds = results.slice(index * width, (index + 1) * width).flatMap((one) => addressIn(one) ?? []);
    return feeds.length === 0 ? [] : [[contract, [...new Set(feeds)]] as const];
  });
}

const leavesOf = (contract: string, named: OracleFeeds, depth: number): readonly string[] => {
  const feeds = named.get(contract);
  if (feeds === undefined || depth === 0) return [contract];
  return [...new Set(feeds.flatMap((feed) => leavesOf(feed, named, depth - 1)))];
};
