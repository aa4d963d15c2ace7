import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openWhatIfEngine, type WhatIfEngine } from '../../../jobs/app/what-if-engine.ts';
import { loadConfig } from '../../../jobs/config.ts';
import { jsonReporter } from '../../../jobs/pipeline/run/report.ts';
import type { Shock } from '../../../models/simulator/inputs.ts';
import { factorsOf } from '../../../models/simulator/shock-paths.ts';
import { settingFlags } from '../../../platform/command-line/command-line.ts';
import { SCENARIOS } from '../../../schemas/scenarios.ts';
import { WHAT_IF_TYPES, type WhatIfQuestion } from '../../../schemas/what-if.ts';
import { firedEvents } from '../../../server/analytics/simulator/fired-events.ts';
import { PublishedDocuments } from '../../../server/analytics/simulator/published-documents.ts';
import type { LoadedVersion } from '../../../server/services.ts';
import { neededFor } from '../../support/needed-models.ts';
import { type TestFolder, testFolder } from '../../support/pipeline-world.ts';

const AS_OF = '2026-03-10T09:30:00Z';
const NOW = Date.parse(AS_OF) / 1_000;
const HOUR = 3_600;

let folder: TestFolder;
let engine: WhatIfEngine;

beforeAll(async () => {
  folder = testFolder();
  const config = loadConfig({
    flags: settingFlags('--data-dir', folder.dir),
    env: {},
    readFile: (path) => readFileSync(path, 'utf8'),
  });
  const nowMs = () => NOW * 1_000;
  const reporter = jsonReporter({ write: () => undefined, nowMs, level: 'error' });
  const domains = neededFor({ events: WHAT_IF_TYPES });
  engine = await openWhatIfEngine(config, { nowMs, reporter, processId: 'fired', domains });
});
afterAll(async () => {
  await engine.close();
  folder.remove();
});

const feed = (base: string, quote = 'USD', more: object = {}) => ({
  feed_address: `0x${base}${quote}`.toLowerCase(),
  provider: 'chainlink',
  base,
  quote,
  asset_id: null,
  source_kind: 'oracle',
  pool_units: null,
  heartbeat_s: 86_400,
  deviation_bps: 25,
  market_hours: 'crypto',
  first_at: NOW - 1_000_000,
  last_at: NOW - 600,
  round_id: '9',
  answer: '100000000',
  decimals: 8,
  price: 1,
  status: 'fresh',
  ...more,
});

const peg = (symbol: string, quote = 'USD', more: object = {}, feeds = [feed(symbol, quote)]) => ({
  subject_id: `peg:ethereum:${symbol}`,
  chain: 'ethereum',
  asset_name: symbol,
  symbol,
  quote,
  asset_id: null,
  observed_at: NOW - 600,
  zone: 'inside',
  run_length: 5,
  run_started_at: NOW - 20_000,
  worst_zone: 'inside',
  worst_run_length: 5,
  worst_run_started_at: NOW - 20_000,
  level: 0,
  is_depegged: false,
  is_doubted: false,
  is_open: false,
  since_at: null,
  sources: 1,
  live_feeds: [feeds[0]?.feed_address ?? ''],
  covers_to: NOW + 80_000,
  ended_at: null,
  is_in_stay: null,
  stay_started_at: null,
  recovered_at: null,
  feeds,
  ...more,
});

const pair = (base: string, more: object = {}) => ({
  pair: `${base}-USD`,
  base,
  quote: 'USD',
  chain: 'ethereum',
  feed_address: `0x${base}usd`.toLowerCase(),
  category: 'crypto',
  heartbeat_s: HOUR,
  deviation_bps: 50,
  decimals: 8,
  market_hours: 'crypto',
  last_update_at: '2026-03-10T09:20:00Z',
  status: 'fresh',
  ...more,
});

const ETH_MARKET = {
  chain: 'ethereum',
  market_id: '0xm',
  protocol: 'aave-v3',
  loan_symbol: 'ETH',
  collateral_symbol: null,
  feeds: ['0xethusd'],
};

interface Inputs {
  readonly pegs?: readonly ReturnType<typeof peg>[];
  readonly pairs?: readonly object[];
  readonly missing?: readonly string[];
}

function publishedOf({ pegs = [], pairs = [], missing = [] }: Inputs): PublishedDocuments {
  const datasets = new Map<string, ReadonlyMap<string, unknown>>([
    ['detector-state', new Map(pegs.map((one) => [`ethereum|${one.asset_name}|${one.quote}`, one]))],
    ['oracle-pairs', new Map([['chainlink', pairs]])],
    ['lending-markets', new Map([['ethereum|0xm', ETH_MARKET]])],
  ]);
  const version = {
    dataset: (id: string) => {
      const documents = missing.includes(id) ? undefined : datasets.get(id);
      if (documents === undefined) return undefined;
      const bytes = new Map([...documents].map(([key, value]) => [key, Buffer.from(JSON.stringify(value))]));
      return { documents: bytes };
    },
  };
  return new PublishedDocuments(version as unknown as LoadedVersion, () => 'hash');
}

async function fired(inputs: Inputs, shocks: readonly Shock[], horizon_hours = 72) {
  const touched = shocks.filter(({ kind, subject }) => kind !== 'oracle_freeze' && subject !== '*');
  const prices = new Map(touched.map(({ subject, path }) => [subject, factorsOf(path, horizon_hours)]));
  const asked: WhatIfQuestion[] = [];
  const { events, unavailable } = await firedEvents(
    {
      published: publishedOf(inputs),
      outcome: {
        positions: new Map(),
        markets: new Map(),
        prices,
        unmet_outflow_usd: new Map(),
        sold_at_unknown_depth: new Set(),
        unknowns: { assets: new Set(), markets: new Set(), rates: new Set(), liquidity: new Set() },
      },
      input: { shocks, horizon_hours },
      as_of: AS_OF,
    },
    async (question) => {
      asked.push(question);
      return engine.answer(question);
    },
  );
  return {
    asked,
    unavailable,
    events: events ?? [],
    list: (events ?? []).map(({ type, hour, subject_id }) => `${type} ${hour} ${subject_id}`),
  };
}

const pegShock = (subject: string, ...path: readonly (readonly [number, number])[]): Shock => ({
  kind: 'peg',
  subject,
  path,
});

describe('pegs', () => {
  test('a distant price fires at once, a near one once the next hour confirms it; return and recovery follow', async () => {
    const far = pegShock('USDC', [0, 1], [4, 1], [5, 0.9], [9, 0.9], [10, 1]);
    expect((await fired({ pegs: [peg('USDC')] }, [far])).list).toEqual([
      'peg.depeg.start 5 peg:ethereum:USDC',
      'peg.depeg.end 11 peg:ethereum:USDC',
      'peg.depeg.recovered 17 peg:ethereum:USDC',
    ]);
    const near = pegShock('USDC', [0, 1], [4, 1], [5, 0.986]);
    const { events } = await fired({ pegs: [peg('USDC')] }, [near]);
    expect(events).toEqual([
      expect.objectContaining({
        type: 'peg.depeg.start',
        hour: 6,
        data: expect.objectContaining({ observed_price: '0.98600000', deviation_bps: -140 }),
      }),
    ]);
  });

  test('the preset of 2023 depegs both dollars in the hours in which they fell', async () => {
    const { shocks = [], horizon_hours = 0 } = SCENARIOS.find(({ id }) => id === 'usdc_2023') ?? {};
    const asShocks = shocks.map(({ kind, subject, path }) => ({
      kind,
      subject,
      path: path.map(([hour = 0, factor = 1]) => [hour, factor] as const),
    }));
    const { list } = await fired({ pegs: [peg('USDC'), peg('DAI')] }, asShocks, horizon_hours);
    expect(list.filter((one) => one.startsWith('peg.depeg.start'))).toEqual([
      'peg.depeg.start 6 peg:ethereum:USDC',
      'peg.depeg.start 7 peg:ethereum:DAI',
    ]);
  });

  test('a price that stays in the band fires nothing, nor does the price of another asset', async () => {
    expect((await fired({ pegs: [peg('USDC')] }, [pegShock('USDC', [2, 0.995])])).list).toEqual([]);
    const other = await fired({ pegs: [peg('USDC')] }, [pegShock('USDE', [2, 0.5])]);
    expect([other.list, other.asked]).toEqual([[], []]);
  });

  test('an asset that is already depegged does not depeg again, but recovers', async () => {
    const before = { zone: 'beyond', level: 2, is_depegged: true, since_at: NOW - 9_000 };
    const at90 = [feed('USDE', 'USD', { answer: '90000000', price: 0.9 })];
    const pegs = [peg('USDE', 'USD', before, at90)];
    expect((await fired({ pegs }, [pegShock('USDE', [3, 0.95])])).list).toEqual([]);
    expect((await fired({ pegs }, [pegShock('USDE', [0, 1], [3, 1], [4, 1 / 0.9])])).list).toEqual([
      'peg.depeg.end 5 peg:ethereum:USDE',
      'peg.depeg.recovered 11 peg:ethereum:USDE',
    ]);
  });

  test('a price quoted in another asset moves with both: staked ether holds its peg while ether falls', async () => {
    const steth = feed('STETH', 'ETH', { answer: '999000000000000000', decimals: 18 });
    const pegs = [peg('STETH', 'ETH', {}, [steth])];
    const falls = (subject: string, to: number): Shock => ({ kind: 'price', subject, path: [[2, to]] });
    expect((await fired({ pegs }, [falls('ETH', 0.5), falls('STETH', 0.5)])).list).toEqual([]);
    expect((await fired({ pegs }, [falls('ETH', 0.5), falls('STETH', 0.4)])).list).toEqual([
      'peg.depeg.start 2 peg:ethereum:STETH',
    ]);
    expect((await fired({ pegs }, [falls('ETH', 0)])).list).toEqual([]);
    expect((await fired({ pegs }, [falls('STETH', 0)])).list).toEqual([
      'peg.depeg.start 2 peg:ethereum:STETH',
    ]);
  });
});

describe('frozen feeds', () => {
  const freeze = (from: number, to: number, subject = 'ETH'): Shock => ({
    kind: 'oracle_freeze',
    subject,
    path: [
      [from, 0],
      [to, 1],
    ],
  });
  const inputs = { pairs: [pair('ETH'), pair('BTC')] };
  const STALE = 'oracle.stale 4 oracle:ethereum:0xethusd:0xm';

  test('are stale once the heartbeat has passed, for the market that reads them, and no other feed is', async () => {
    const { events, list } = await fired(inputs, [freeze(3, 6)]);
    expect(list).toEqual([STALE, STALE]);
    expect(events.map(({ severity, data }) => ({ severity, ...data }))).toMatchObject([
      { severity: 'warn', stale_age_s: 1, market_id: '0xm' },
      { severity: 'high', stale_age_s: 600, market_id: '0xm' },
    ]);
    expect((await fired(inputs, [freeze(3, 6, 'ethereum:0xm')])).list).toEqual(list);
  });

  test('are not stale while the freeze is shorter than the heartbeat', async () => {
    expect((await fired(inputs, [freeze(3, 4)])).list).toEqual([]);
    const slow = { pairs: [pair('ETH', { heartbeat_s: 86_400 })] };
    expect((await fired(slow, [freeze(0, 20)])).list).toEqual([]);
  });

  test('that are already stale do not fall silent', async () => {
    const { list, asked } = await fired({ pairs: [pair('ETH', { status: 'stale' })] }, [freeze(0, 40)]);
    expect([list, asked]).toEqual([[], []]);
  });

  test('hide a lost peg, and later reveal it', async () => {
    const both = { pegs: [peg('USDC')], pairs: [pair('USDC', { heartbeat_s: 86_400 })] };
    const shocks = [pegShock('USDC', [2, 0.9]), freeze(0, 20, 'USDC')];
    expect((await fired(both, shocks)).list).toEqual(['peg.depeg.start 20 peg:ethereum:USDC']);
  });
});

test('a missing state that detectors continue from is named', async () => {
  const missing = ['detector-state', 'oracle-pairs'];
  const freeze: Shock = { kind: 'oracle_freeze', subject: 'USDC', path: [[0, 0]] };
  const { unavailable, asked } = await fired({ missing }, [pegShock('USDC', [2, 0.9]), freeze]);
  expect([unavailable, asked]).toEqual([['peg.depeg.start', 'oracle.stale'], []]);
});
