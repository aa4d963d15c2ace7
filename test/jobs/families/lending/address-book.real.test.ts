// The oracles that Aave's address book names for the reserves of its mainnet pools, tied to Chainlink's registry of feeds.
import { readFileSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import { coverage } from '../../../../jobs/families/coverage/domain.ts';
import { lending } from '../../../../jobs/families/lending/domain.ts';
import { oracles } from '../../../../jobs/families/oracles/domain.ts';
import { pools } from '../../../../jobs/families/pools/domain.ts';
import { sources } from '../../../../jobs/families/sources/domain.ts';
import { type DomainWorld, openDomainWorld } from '../../../support/domain-world.ts';
import { describeRealData, realData } from '../../../support/real-data.ts';
import { midnight } from './real-records.ts';

vi.setConfig({ testTimeout: 120_000 });

const LANDED = ['lending_market', 'market_oracle', 'feed_registry', 'feed_round'];
/** Markets and the feeds that back them land together; coverage reads both. */
const COVERAGE = {
  ...coverage,
  raw: [...lending.raw, ...oracles.raw].filter(({ name }) => LANDED.includes(name)),
};
/** Of these two the real rounds are there. */
const CHECKED = ['0x8fffffd4afb6115b954bd326cbe7b4ba576818f6', '0x3e7d1eab13ad0104d2750b8863b489d65364e32d'];

interface Reserve {
  readonly symbol: string;
  readonly A_TOKEN: string;
  readonly ORACLE: string;
  readonly UNDERLYING: string;
}

interface Pool {
  readonly CHAIN_ID?: number;
  readonly ASSETS?: { readonly [symbol: string]: Omit<Reserve, 'symbol'> };
}

function mainnetReserves(): readonly Reserve[] {
  const book: { readonly [name: string]: Pool } = JSON.parse(
    readFileSync(realData('lending/aave-address-book.json'), 'utf8'),
  );
  return Object.entries(book)
    .filter(([name, { CHAIN_ID }]) => name.startsWith('Aave') && CHAIN_ID === 1)
    .flatMap(([, { ASSETS = {} }]) => Object.entries(ASSETS).map(([symbol, one]) => ({ symbol, ...one })));
}

async function landReserves(world: DomainWorld, reserves: readonly Reserve[]): Promise<void> {
  const observed_at = midnight('2022-01-01');
  const markets = reserves.map(({ symbol, A_TOKEN, UNDERLYING }) => ({
    chain: 'ethereum',
    market_id: A_TOKEN,
    protocol: 'aave',
    loan_symbol: symbol,
    loan_asset: UNDERLYING,
    category: 'pooled',
    observed_at,
  }));
  const feeds = reserves.map(({ A_TOKEN, ORACLE }) => ({
    chain: 'ethereum',
    market_id: A_TOKEN,
    oracle_address: ORACLE,
    observed_at,
  }));
  const all = { rows_landed: reserves.length, rows_quarantined: 0 };
  expect(await world.landRows('lending_market', markets)).toMatchObject(all);
  expect(await world.landRows('market_oracle', feeds)).toMatchObject(all);
}

describeRealData("Aave's address book", () => {
  test('every reserve is a market with its oracle; a verdict comes from the feeds of the registry alone', async () => {
    const reserves = mainnetReserves();
    const registry: readonly { readonly proxyAddress?: string }[] = JSON.parse(
      readFileSync(realData('oracles/chainlink-feeds-mainnet.json'), 'utf8'),
    );
    const proxies = new Set(registry.map(({ proxyAddress }) => String(proxyAddress).toLowerCase()));
    const direct = reserves.filter(({ ORACLE }) => proxies.has(ORACLE.toLowerCase()));
    const checked = reserves.filter(({ ORACLE }) => CHECKED.includes(ORACLE.toLowerCase()));
    const world = await openDomainWorld(COVERAGE, [sources, oracles, pools, lending]);
    try {
      await landReserves(world, reserves);
      await world.landExample('oracles', 'chainlink-registry', 'chainlink-usdc-usd', 'chainlink-usdt-usd');
      const now = midnight('2022-11-13') - 1;
      await world.compute({ start: midnight('2021-02-17'), end: now + 1, now });
      const rows = await world.rows('select scope_id, verdict from derived.market_coverage');
      expect(rows).toHaveLength(reserves.length);
      expect(direct.length).toBeGreaterThan(25);
      // An oracle that no registry describes is an adapter: its freshness is not modelled.
      const isKnown = new Set(direct.map(({ A_TOKEN }) => A_TOKEN.toLowerCase()));
      const strays = rows.filter(
        ({ scope_id, verdict }) => verdict !== 'unverifiable' && !isKnown.has(String(scope_id)),
      );
      expect(strays).toEqual([]);
      const verdicts = rows.filter(({ verdict }) => verdict === 'fresh' || verdict === 'stale');
      expect(verdicts.map(({ scope_id }) => scope_id).sort()).toEqual(
        checked.map(({ A_TOKEN }) => A_TOKEN.toLowerCase()).sort(),
      );
    } finally {
      await world.close();
    }
  });
});
