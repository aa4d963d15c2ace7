// The examples against the real files they name: how many rows each has, and what became of every one of them.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Source } from '../../../../jobs/define/source.ts';
import { fileSources } from '../../../../jobs/sources/files/sources.ts';
import type { Receipt } from '../../../../jobs/ingest/receipts/receipt.ts';
import { feedRegistry, feedRound } from '../../../../jobs/families/oracles/raw.ts';
import { domains } from '../../../../jobs/registry.ts';
import { describeRealData, withRealInputs } from '../../../support/real-data.ts';
import { landedRows, openScratch, type Scratch } from '../../ingest/scratch.ts';

const EXAMPLES = fileURLToPath(new URL('../../../../examples/', import.meta.url));
const RAW_TABLES = domains.flatMap((domain) => domain.raw);
const CONTEXT = { interval: { from: 1_764_547_200, to: 1_764_633_600 }, fetchedAt: 1_764_633_600 };
const LATER = { interval: { from: 1_767_225_600, to: 1_775_000_000 }, fetchedAt: 1_775_000_000 };
const names = readdirSync(EXAMPLES).filter((name) => name.endsWith('.json'));

/** The example's sources; its paths point into the real data wherever that is. */
function sourcesOf(name: string): Source[] {
  const { sources } = JSON.parse(withRealInputs(readFileSync(join(EXAMPLES, name), 'utf8')));
  return fileSources(sources, { rawTables: RAW_TABLES, baseDir: EXAMPLES });
}

test('every example is a valid configuration', () => {
  expect(names.length).toBeGreaterThanOrEqual(8);
  for (const name of names) expect(sourcesOf(name).length).toBeGreaterThan(0);
});

/** What each file holds and what became of it. */
const FILES: {
  readonly [example: string]: {
    readonly rows: number;
    readonly first: string | null;
    readonly last: string | null;
  };
} = {
  'chainlink-feeds-mainnet.json': { rows: 287, first: '2021-01-01T00:00:00Z', last: '2021-01-01T00:00:00Z' },
  'chainlink-usdc-usd-rounds.json': {
    rows: 762,
    first: '2021-02-17T18:10:10Z',
    last: '2022-11-14T05:13:59Z',
  },
  'chainlink-usdc-usd-rounds-all-phases.json': {
    rows: 1035,
    first: '2021-02-17T18:10:10Z',
    last: '2022-11-14T05:13:59Z',
  },
  'chainlink-usdt-usd-rounds.json': {
    rows: 721,
    first: '2021-02-17T18:09:12Z',
    last: '2022-11-13T19:34:23Z',
  },
  'chainlink-usdt-usd-rounds-all-phases.json': {
    rows: 1006,
    first: '2021-02-17T18:09:12Z',
    last: '2022-11-13T19:34:23Z',
  },
  'chainlink-eth-usd-rounds.json': {
    rows: 11_107,
    first: '2023-04-05T22:38:35Z',
    last: '2024-01-29T19:55:23Z',
  },
  'chainlink-steth-eth-rounds.json': {
    rows: 745,
    first: '2022-01-29T20:25:08Z',
    last: '2024-01-28T23:34:47Z',
  },
};

test('the off-chain vote lands the votes that are meant, with the windows of their proposals', async () => {
  const scratch = await openScratch();
  const landed: unknown[] = [];
  for (const source of sourcesOf('governance-snapshot.json')) {
    const table = RAW_TABLES.find((one) => one.name === source.table) ?? feedRound;
    for await (const delivery of source.deliveries(LATER.interval)) {
      const { rows_in, rows_landed, rows_filtered, joined } = await scratch.ingest.land(
        table,
        source.facts,
        delivery,
        LATER,
      );
      landed.push({
        rows_in,
        rows_landed,
        rows_filtered,
        ...(joined === undefined ? {} : { unused: joined.unused }),
      });
    }
    if (source.table === 'governance_vote')
      landed.push(
        ...(await landedRows(scratch, table)).map(
          ({ proposal_id, support, vote_end_at }) => `${proposal_id} ${support} ${vote_end_at}`,
        ),
      );
  }
  await scratch.close();
  expect(landed).toEqual([
    { rows_in: 3, rows_landed: 2, rows_filtered: 1 },
    { rows_in: 5, rows_landed: 4, rows_filtered: 1, unused: 1 },
    'snapshot:p1 choice:1 1767571200',
    'snapshot:p1 choice:2 1767571200',
    'snapshot:p1 choice:3 1767571200',
    'snapshot:p2 choice:4 1768348800',
  ]);
});

describeRealData('the real files', () => {
  let scratch: Scratch;
  beforeAll(async () => {
    scratch = await openScratch();
  });
  afterAll(() => scratch.close());

  const landAll = async (name: string, dir: string) => {
    const ingest = await scratch.reopen({ dir });
    const receipts: Receipt[] = [];
    for (const source of sourcesOf(name)) {
      const table = RAW_TABLES.find((one) => one.name === source.table) ?? feedRound;
      for await (const delivery of source.deliveries(CONTEXT.interval))
        receipts.push(await ingest.land(table, source.facts, delivery, CONTEXT));
    }
    return { ingest, receipts };
  };
  const iso = (seconds: number | null | undefined) =>
    seconds === null || seconds === undefined
      ? null
      : new Date(seconds * 1000).toISOString().replace('.000Z', 'Z');

  test.each(Object.entries(FILES))('%s: every row is accounted for', async (name, { rows, first, last }) => {
    const { receipts } = await landAll(name, `${scratch.dir}-${name}`);
    expect(receipts).toHaveLength(1);
    expect(receipts[0]).toMatchObject({
      rows_in: rows,
      rows_landed: rows,
      rows_quarantined: 0,
      rows_deduplicated: 0,
      reasons: {},
      over_limit: false,
    });
    expect([iso(receipts[0]?.first_time), iso(receipts[0]?.last_time)]).toEqual([first, last]);
  });

  test('together they land too, and the same run again changes nothing', async () => {
    const dir = `${scratch.dir}-all`;
    const { receipts } = await landAll('oracles.json', dir);
    expect(receipts.reduce((sum, receipt) => sum + receipt.rows_in, 0)).toBe(
      287 + 1035 + 1006 + 11_107 + 745,
    );
    const again = await landAll('oracles.json', dir);
    expect(again.receipts.every((receipt) => receipt.repeated)).toBe(true);
  });

  test('the ETH round that was never answered lands as it is', async () => {
    const { ingest } = await landAll('chainlink-eth-usd-rounds.json', `${scratch.dir}-eth`);
    const rows = (await landedRows({ engine: scratch.engine, ingest })).filter(
      (row) => row['updated_at'] === 0,
    );
    expect(rows).toMatchObject([{ round_id: '110680464442257309696', answer: '0', price: 0, updated_at: 0 }]);
  });

  test('the addresses of the round files are those of the registry, with its decimals', async () => {
    const { ingest } = await landAll('oracles.json', `${scratch.dir}-all`);
    const feeds = new Map(
      (await landedRows({ engine: scratch.engine, ingest }, feedRegistry)).map((row) => [
        row['feed_address'],
        row,
      ]),
    );
    const used = new Map(
      (await landedRows({ engine: scratch.engine, ingest })).map((row) => [
        row['feed_address'],
        row['decimals'],
      ]),
    );
    expect(
      [...used]
        .map(([address, decimals]) => [
          feeds.get(address)?.['name'],
          feeds.get(address)?.['decimals'],
          decimals,
        ])
        .sort(),
    ).toEqual([
      ['ETH / USD', 8, 8],
      ['STETH / ETH', 18, 18],
      ['USDC / USD', 8, 8],
      ['USDT / USD', 8, 8],
    ]);
  });

  test('the registry: 20 feeds without heartbeat, thresholds in basis points, feeds without a proxy by their id', async () => {
    const { ingest } = await landAll('chainlink-feeds-mainnet.json', `${scratch.dir}-registry`);
    const feeds = await landedRows({ engine: scratch.engine, ingest }, feedRegistry);
    expect(feeds.filter((feed) => feed['heartbeat_s'] === null)).toHaveLength(20);
    expect(feeds.filter((feed) => String(feed['feed_address']).length > 42)).toHaveLength(20);
    expect(feeds.find((feed) => feed['name'] === 'USDT / USD')).toMatchObject({
      base: 'USDT',
      quote: 'USD',
      category: 'Price',
      asset_class: 'Crypto',
      heartbeat_s: 86_400,
      deviation_bps: 25,
      decimals: 8,
      market_hours: 'crypto',
    });
    expect(feeds.find((feed) => feed['name'] === 'JTRSY NAV')).toMatchObject({
      deviation_bps: 0.00001,
      quote: null,
    });
  });
});
