// Real lending data: parameters of Aave v3 against the changes that were published, hourly utilisation against a model, Morpho's listings, and
// the oracles that Aave's address book names.
import { createReadStream, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { createGunzip } from 'node:zlib';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { coverage } from '../../../jobs/coverage/domain.ts';
import { lendingVaults } from '../../../jobs/lending/dataset.ts';
import { lending } from '../../../jobs/lending/domain.ts';
import { oracles } from '../../../jobs/oracles/domain.ts';
import type { Receipt } from '../../../jobs/pipeline/landing/receipts.ts';
import { type DomainWorld, exampleConfig, openDomainWorld } from '../../support/domain-world.ts';
import { describeRealData, realData } from '../../support/real-data.ts';
import { edgesOf, type Observed } from './liquidity-model.ts';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const DAY = 86_400;
const at = (iso: string) => Date.parse(`${iso}T00:00:00Z`) / 1000;
const END = at('2026-01-01');

interface Published {
  readonly asset: string;
  readonly network: string;
  readonly parameter: string;
  readonly old_value: number;
  readonly new_value: number;
  readonly timestamp: string;
}

interface Change {
  readonly chain: string;
  readonly symbol: string;
  readonly parameter: string;
  readonly changed_at: number;
  readonly old_value: number;
  readonly new_value: number;
  readonly is_plausible: boolean;
}

async function records(path: string): Promise<readonly Readonly<Record<string, string>>[]> {
  const file = createReadStream(realData(path));
  const input = path.endsWith('.gz') ? file.pipe(createGunzip()) : file;
  const rows: Record<string, string>[] = [];
  let names: readonly string[] | null = null;
  for await (const line of createInterface({ input })) {
    const cells: readonly string[] = line.split(',');
    if (names === null) names = cells;
    else rows.push(Object.fromEntries(names.map((name, place) => [name, cells[place] ?? ''])));
  }
  return rows;
}

describeRealData('real lending data', () => {
  let world: DomainWorld;
  let receipts: readonly Receipt[];
  beforeAll(async () => {
    world = await openDomainWorld(lending);
    receipts = await world.landExample('lending');
    await world.compute({ start: at('2022-06-01'), end: END, now: END - 1 });
  });
  afterAll(() => world.close());

  const receiptOf = (id: string): Receipt | undefined =>
    receipts[Object.keys(exampleConfig('lending').sources).indexOf(id)];

  test('every row of every file is landed or a repetition', () => {
    for (const { rows_in, rows_landed, rows_deduplicated, rows_quarantined, reasons } of receipts) {
      expect(reasons).toEqual({});
      expect(rows_quarantined).toBe(0);
      expect(rows_in).toBe(rows_landed + rows_deduplicated);
    }
    expect(receiptOf('aave-v3-parameters')).toMatchObject({ rows_in: 32_478, rows_landed: 32_478 });
  });

  test('published parameter changes are all detected on their day, and every extra one is of what the owners did not watch', async () => {
    const published: readonly Published[] = JSON.parse(
      readFileSync(realData('lending/expected-aave-v3-parameter-changes-2025.json'), 'utf8'),
    );
    const symbols = new Map(
      (await records('lending/aave-v3-reserves-daily-2025.csv.gz')).map((row) => [
        `${row['network']}|${row['a_token_address']}|${row['date']}`,
        row['symbol'],
      ]),
    );
    const networkOf = (chain: string) => (chain === 'bsc' ? 'bnb' : chain);
    const changes = (await world.rows('select * from derived.market_parameter_change')).map((row) => {
      const day = new Date(Number(row['changed_at']) * 1000).toISOString().slice(0, 10);
      const chain = networkOf(String(row['chain']));
      return {
        ...row,
        chain,
        symbol: symbols.get(`${chain}|${row['market_id']}|${day}`),
      } as unknown as Change;
    });
    const isSame = (change: Change, wanted: Published) =>
      change.chain === wanted.network &&
      change.symbol === wanted.asset &&
      change.parameter === wanted.parameter &&
      Math.abs(change.old_value - wanted.old_value) < 1e-9 &&
      Math.abs(change.new_value - wanted.new_value) < 1e-9 &&
      Math.abs(change.changed_at - Date.parse(`${wanted.timestamp}Z`) / 1000) <= DAY;
    expect(published).toHaveLength(71);
    expect(published.filter((wanted) => !changes.some((change) => isSame(change, wanted)))).toEqual([]);
    const extra = changes.filter((change) => !published.some((wanted) => isSame(change, wanted)));
    const counts = Object.fromEntries(
      [...Map.groupBy(extra, ({ parameter }) => parameter)].map(([name, list]) => [name, list.length]),
    );
    // The owners list changes of loan-to-value, threshold, bonus and reserve factor alone; of those there is no extra one.
    expect(counts).toEqual({
      borrow_cap: 300,
      debt_ceiling: 21,
      emode_category: 233,
      is_frozen: 3,
      is_paused: 1,
      liquidation_protocol_fee: 272,
      supply_cap: 170,
    });
  });

  test('bonuses told with the principal, and fees above all of it, are kept as implausible', async () => {
    const rows = await world.rows(
      'select parameter, count(*) as n from derived.market_parameter_change where not is_plausible group by parameter order by parameter',
    );
    expect(rows.map(({ parameter, n }) => [parameter, Number(n)])).toEqual([
      ['liquidation_bonus', 40],
      ['liquidation_protocol_fee', 253],
    ]);
  });

  test('the caps of the source are halves of one number: their joint is round where the halves are not', async () => {
    const rows = (await records('lending/aave-v3-reserves-daily-2025.csv.gz')).filter(
      (row) => row['date'] === '2025-12-31' && Number(row['supply_cap']) > 0,
    );
    const isRound = (value: number) => value % 1_000 === 0;
    const joint = rows.filter((row) =>
      isRound(Number(row['borrow_cap']) + 65_536 * Number(row['supply_cap'])),
    );
    expect(rows.length).toBeGreaterThan(50);
    expect(joint.length / rows.length).toBeGreaterThan(0.9);
    expect(rows.filter((row) => isRound(Number(row['borrow_cap']))).length / rows.length).toBeLessThan(0.3);
  });

  test.each([
    [
      'aave-v2-usdc-hourly',
      'aave-v2-usdc-eth-hourly-2023-03-09-2023-03-17.csv',
      '0xbcca60bb61934080951369a648fb03df4f96263c',
    ],
    [
      'aave-v2-weth-hourly',
      'aave-v2-weth-eth-hourly-2022-06-01-2022-06-30.csv',
      '0x030ba81f1c18d280636f32af80b9aad02cf0854e',
    ],
    [
      'aave-v3-usdc-hourly',
      'aave-v3-usdc-eth-hourly-2023-03-09-2023-03-17.csv',
      '0x98c23e9d8f34fefb1b7bd6a91b7ff122f4e16f5c',
    ],
    [
      'aave-v3-usdt-hourly',
      'aave-v3-usdt-eth-hourly-2025-08-10-2025-08-21.csv',
      '0x23878914efe38d27c4d67ab83ed1b93a74d4086a',
    ],
  ])(
    '%s: edges at the hours of the model; hours filled from the one before are stale, not calm',
    async (id, file, market) => {
      const told = (await records(`lending/${file}`)).map(
        (row): Observed => ({
          observed_at: Number(row['timestamp']),
          supplied_usd: Number(row['supplied_USD']),
          borrowed_usd: Number(row['borrowed_USD']),
        }),
      );
      const states = told.filter((state, place) => told[place - 1]?.observed_at !== state.observed_at);
      expect(receiptOf(id)).toMatchObject({
        rows_landed: states.length,
        rows_deduplicated: told.length - states.length,
      });
      const rows = await world.rows(
        `select measure, edge, observed_at from derived.market_step where market_id = '${market}' and edge is not null`,
      );
      const line = (one: { readonly [name: string]: unknown }) =>
        `${one['observed_at']} ${one['measure']} ${one['edge']}`;
      expect(rows.map(line).sort()).toEqual(
        edgesOf(states)
          .map((one) => line({ ...one }))
          .sort(),
      );
      const stale = states.reduce((sum, { observed_at }, place) => {
        const next = states[place + 1]?.observed_at;
        return sum + Math.max((next ?? observed_at) - observed_at - 5_400, 0);
      }, 0);
      const last = states.at(-1)?.observed_at ?? 0;
      const [row] = await world.rows(
        `select cast(sum(stale_s) as bigint) as stale_s from derived.market_day where market_id = '${market}'`,
      );
      // From 90 minutes after the last state the market is stale to this day.
      expect(row?.['stale_s']).toBe(stale + END - last - 5_400);
    },
  );

  test('the run on USDT of August 2025 is a spike that holds for a week', async () => {
    const rows = await world.rows(`select edge, observed_at from derived.market_step
      where market_id = '0x23878914efe38d27c4d67ab83ed1b93a74d4086a' and measure = 'utilization' and edge is not null order by observed_at`);
    expect(
      rows.map(({ edge, observed_at }) => [
        edge,
        new Date(Number(observed_at) * 1000).toISOString().slice(0, 13),
      ]),
    ).toEqual([
      ['start', '2025-08-13T11'],
      ['end', '2025-08-20T14'],
      ['start', '2025-08-20T16'],
    ]);
  });

  test('vaults that were taken off the list stay known, and curators bear their addresses', async () => {
    const later = at('2026-06-01');
    await world.compute({ start: END, end: later + 1, now: later });
    const rows = await world.rows(
      'select version, is_listed, count(*) as n from out.lending_vault group by version, is_listed order by version, is_listed',
    );
    expect(rows.map((row) => [row['version'], row['is_listed'], Number(row['n'])])).toEqual([
      ['1', false, 185],
      ['1', true, 141],
      ['2', false, 8],
      ['2', true, 144],
    ]);
    const [curator] = await world.rows("select * from derived.vault_curator where curator = 'gauntlet'");
    expect(curator).toMatchObject({ name: 'Gauntlet', is_verified: true });
    expect(curator?.['addresses']).toContain('0x9e33faae38ff641094fa68c65c2ce600b3410585');
    expect(
      await world.document(lendingVaults, 'base|0x00dfdb8c7295a03dcf1adff4d21eb5d9d19fb330'),
    ).toMatchObject({
      protocol: 'morpho',
      has_metadata: true,
      governance_kinds: [],
    });
  });
});

/** Feeds land beside the markets that they back. */
const BOTH = { ...lending, raw: [...lending.raw, ...oracles.raw] };

interface Book {
  readonly CHAIN_ID?: number;
  readonly ASSETS?: {
    readonly [symbol: string]: {
      readonly A_TOKEN: string;
      readonly ORACLE: string;
      readonly UNDERLYING: string;
    };
  };
}

describeRealData("Aave's address book", () => {
  test('every reserve of the mainnet pools is a market with its oracle, and feeds of the registry give verdicts', async () => {
    const book: { readonly [name: string]: Book } = JSON.parse(
      readFileSync(realData('lending/aave-address-book.json'), 'utf8'),
    );
    const pools = Object.entries(book).filter(
      ([name, { CHAIN_ID, ASSETS }]) => name.startsWith('Aave') && CHAIN_ID === 1 && ASSETS,
    );
    const assets = pools.flatMap(([, { ASSETS = {} }]) => Object.entries(ASSETS));
    const world = await openDomainWorld(BOTH, [oracles, coverage]);
    try {
      const observed_at = at('2022-01-01');
      const markets = assets.map(([loan_symbol, { A_TOKEN, UNDERLYING }]) => ({
        chain: 'ethereum',
        market_id: A_TOKEN,
        protocol: 'aave',
        loan_symbol,
        loan_asset: UNDERLYING,
        category: 'pooled',
        observed_at,
      }));
      const feeds = assets.map(([, { A_TOKEN, ORACLE }]) => ({
        chain: 'ethereum',
        market_id: A_TOKEN,
        oracle_address: ORACLE,
        observed_at,
      }));
      expect(await world.landRows('lending_market', markets)).toMatchObject({
        rows_landed: assets.length,
        rows_quarantined: 0,
      });
      expect(await world.landRows('market_oracle', feeds)).toMatchObject({
        rows_landed: assets.length,
        rows_quarantined: 0,
      });
      await world.landExample('oracles', 'chainlink-registry', 'chainlink-usdc-usd', 'chainlink-usdt-usd');
      const now = at('2022-11-13') - 1;
      await world.compute({ start: at('2021-02-17'), end: now + 1, now });
      const proxies = new Set(
        (
          JSON.parse(readFileSync(realData('oracles/chainlink-feeds-mainnet.json'), 'utf8')) as readonly {
            proxyAddress?: string;
          }[]
        ).map(({ proxyAddress }) => String(proxyAddress).toLowerCase()),
      );
      const direct = assets.filter(([, { ORACLE }]) => proxies.has(ORACLE.toLowerCase()));
      const rows = await world.rows('select scope_id, verdict from derived.market_coverage');
      expect(rows).toHaveLength(assets.length);
      // An oracle that no registry describes is an adapter: its freshness is not modelled.
      expect(rows.filter(({ verdict }) => verdict !== 'unverifiable').length).toBeLessThanOrEqual(
        direct.length,
      );
      expect(direct.length).toBeGreaterThan(25);
      const checked = rows.filter(({ verdict }) => verdict === 'fresh' || verdict === 'stale');
      const backed = assets.filter(([, { ORACLE }]) =>
        ['0x8fffffd4afb6115b954bd326cbe7b4ba576818f6', '0x3e7d1eab13ad0104d2750b8863b489d65364e32d'].includes(
          ORACLE.toLowerCase(),
        ),
      );
      expect(checked).toHaveLength(backed.length);
    } finally {
      await world.close();
    }
  });
});
