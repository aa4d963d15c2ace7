// Decision 57 over every daily list there is: the seven UTC days that end with the newest day having a record, today or yesterday.
import { afterAll, describe, expect, test } from 'vitest';
import { renderParameters } from '../../jobs/engine/parameters.ts';
import { dailyDatasets } from '../../jobs/pipeline/publish/daily-rows.ts';
import { keyOf } from '../../jobs/pipeline/publish/documents.ts';
import { domains } from '../../jobs/registry.ts';
import { duckDbTarget, openScratchEngine, prepareCases } from '../support/case-duckdb.ts';
import type { CaseRow } from '../support/case-file.ts';
import { bridges } from './families/eighth-family/domain.ts';

const DAY = 86_400;
const TODAY = Date.UTC(2026, 2, 20) / 1000;

interface List {
  /** Rows of the tables that do not change with the day. */
  readonly fixed: { readonly [table: string]: readonly CaseRow[] };
  /** Rows of a day that has data about one subject. */
  readonly daily: (subject: string, day: number) => { readonly [table: string]: CaseRow };
  /** All subjects share one document. */
  readonly isShared?: boolean;
  /** A day without data inside the seven is a record that says so. */
  readonly saysSilence?: boolean;
  /** Only days that are over: it always ends with yesterday. */
  readonly endsYesterday?: boolean;
}

const SUBJECTS = ['one', 'two'];
const scores = (kind: string, isShared: boolean): List => ({
  fixed: {},
  daily: (path, day) => ({ 'derived.development_score': { kind, path, day, name: path, score: 0.5 } }),
  isShared,
});
const governance: List = {
  fixed: {},
  daily: (protocol, day) => ({ 'derived.governance_record': { protocol, day } }),
};
const restaking = (isShared: boolean): List => ({
  fixed: isShared ? {} : { 'policy.base_restaking': SUBJECTS.map((name) => ({ name })) },
  daily: (name, day) => ({
    'derived.restaking_record': {
      name,
      day,
      observed_at: day + 5,
      is_protocol: true,
      is_base: true,
      total_restaked_usd: 1,
    },
  }),
  isShared,
});

const LISTS: { readonly [table: string]: List } = {
  'out.social_score': {
    fixed: {
      'policy.social': [{ positive_from: 0.05, negative_to: -0.05, mid_topics_max: 2 }],
      'policy.social_protocol': SUBJECTS.map((name) => ({ channel: 'discord', protocol_id: name, name })),
    },
    daily: (protocol, day) => {
      const position = { channel: 'discord', protocol, day, messages: 1 };
      return {
        'derived.social_day': { ...position, users: 1, sentiment_sum: '0.0' },
        'derived.social_topic_day': {
          ...position,
          level: 'high',
          topic: 'Other',
          neutral: 1,
          positive: 0,
          negative: 0,
        },
      };
    },
  },
  'out.development_protocol': scores('protocol', false),
  'out.development_blockchain': scores('blockchain', false),
  'out.development_score': scores('protocol', true),
  'out.governance': governance,
  'out.governance_figure': governance,
  'out.overall_score': {
    fixed: {},
    daily: (protocol, day) => ({ 'derived.overall_day': { protocol, day, score: 0.5, gap: null } }),
  },
  'out.oracle_parameter': {
    fixed: {
      'derived.feed': SUBJECTS.map((name) => ({
        provider: 'chainlink',
        pair: name,
        chain: 'ethereum',
        feed_address: name,
      })),
      'derived.feed_coverage': SUBJECTS.map((name) => ({
        chain: 'ethereum',
        scope_id: name,
        rows_present: 1,
      })),
    },
    daily: (name, day) => ({
      'derived.feed_day': { chain: 'ethereum', feed_address: name, day, updates: 1, gap_sum_s: 0, gaps: 0 },
    }),
    saysSilence: true,
  },
  'out.restaking_week': restaking(true),
  'out.base_restaking_week': restaking(false),
  'out.network_a_transaction_statistic': {
    fixed: {},
    daily: (network, day) => ({ 'derived.network_a_block_day': { network, day, blocks: 1, last_block: 1 } }),
  },
  'out.network_a_activity': {
    fixed: {},
    daily: (network, day) => ({
      'derived.network_a_sender_day': { network, day, transactions: 1, sender_count: 0, value_count: 0 },
    }),
  },
  'out.network_a_network_statistic': {
    fixed: {},
    daily: (network, day) => ({ 'derived.network_a_stake_day': { network, day, num_validators: 1 } }),
  },
  'out.network_b_statistic': {
    fixed: {},
    daily: (network, day) => ({ 'derived.network_b_state_day': { network, day, last_at: day + 5 } }),
  },
  'out.proposer_payment': {
    fixed: {},
    daily: (network, day) => ({
      'derived.proposer_payment_day': { network, day, slots: 1, relays: 'a', relays_not_read: '' },
    }),
    endsYesterday: true,
  },
  'out.bridge_week': {
    fixed: {},
    daily: (bridge_name, day) => ({
      'derived.bridge_day': { bridge: bridge_name, day, transfers: 1, volume_usd: 1 },
    }),
  },
};

const { set, catalogue } = await prepareCases([...domains, bridges]);
const engine = await openScratchEngine();
const target = duckDbTarget(engine);
afterAll(() => engine.close());

const datasets = dailyDatasets({ domains: [...domains, bridges] });

test('every daily list is looked at', () => {
  expect([...new Set(datasets.map(({ table }) => table))].sort()).toEqual(Object.keys(LISTS).sort());
});

/** Days, as numbers from today, on which each subject has data. */
type Data = { readonly [subject: string]: readonly number[] };

/** The days of each document, in no order. */
async function listed(table: string, data: Data, now: number): Promise<{ [key: string]: number[] }> {
  const model = set.models.find(({ name }) => name === table);
  const dataset = datasets.find((one) => one.table === table);
  const list = LISTS[table];
  if (model === undefined || dataset?.day === undefined || list === undefined) throw new Error(table);
  const given: { [name: string]: CaseRow[] } = {};
  for (const [name, rows] of Object.entries(list.fixed)) given[name] = [...rows];
  for (const [subject, days] of Object.entries(data))
    for (const day of days)
      for (const [name, row] of Object.entries(list.daily(subject, TODAY + day * DAY)))
        given[name] = [row, ...(given[name] ?? [])];
  for (const name of model.reads) await target.fill(name, catalogue.tables(name), given[name] ?? []);
  const sql = renderParameters(model.sql, { start: now - (now % DAY), end: now + 1, now });
  const documents: { [key: string]: number[] } = {};
  for (const row of await engine.rows(sql)) {
    const key = list.isShared ? 'all' : (keyOf(dataset, row).split('/').at(-1) ?? '');
    documents[key] = [...(documents[key] ?? []), (Number(row[dataset.day]) - TODAY) / DAY];
  }
  return documents;
}

const span = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);
const sorted = (days: readonly number[] | undefined) => [...new Set(days)].sort((a, b) => a - b);

interface Situation {
  readonly about: string;
  readonly days: readonly number[];
  /** Seconds from 00:00 of today. */
  readonly at: number;
  readonly expected: readonly number[];
}

const NOON = 12 * 3_600;
const situations: readonly Situation[] = [
  { about: 'the last second of a day that has data', days: span(-9, -1), at: -1, expected: span(-7, -1) },
  { about: 'the first second of a day without data', days: span(-9, -1), at: 0, expected: span(-7, -1) },
  { about: 'a second later', days: span(-9, -1), at: 1, expected: span(-7, -1) },
  { about: 'noon, still without data', days: span(-9, -1), at: NOON, expected: span(-7, -1) },
  { about: 'the first rows of today at noon', days: span(-9, 0), at: NOON, expected: span(-6, 0) },
  { about: 'the last second of today', days: span(-9, 0), at: DAY - 1, expected: span(-6, 0) },
  {
    about: 'a day missing in the middle',
    days: [...span(-9, -4), -2, -1],
    at: 1,
    expected: [-7, -6, -5, -4, -2, -1],
  },
  {
    about: 'yesterday missing, today there',
    days: [...span(-9, -2), 0],
    at: NOON,
    expected: [...span(-6, -2), 0],
  },
  { about: 'yesterday missing, nothing today', days: span(-9, -2), at: NOON, expected: span(-7, -2) },
  { about: 'eight days with today', days: span(-7, 0), at: NOON, expected: span(-6, 0) },
  { about: 'eight days up to yesterday', days: span(-8, -1), at: NOON, expected: span(-7, -1) },
  { about: 'only today', days: [0], at: NOON, expected: [0] },
  { about: 'only yesterday', days: [-1], at: 0, expected: [-1] },
  { about: 'only the first day of a week that ends with yesterday', days: [-7], at: 0, expected: [-7] },
  { about: 'that day and today', days: [-7, 0], at: NOON, expected: [0] },
];

describe.each(Object.keys(LISTS))('%s', (table) => {
  const { saysSilence = false, isShared = false, endsYesterday = false } = LISTS[table] ?? {};
  const whole = (days: readonly number[]) => (days.includes(0) ? span(-6, 0) : span(-7, -1));

  test.each(situations)('$about', async ({ days, at, expected }) => {
    const documents = await listed(table, { one: days }, TODAY + at);
    // A silent day has a record of its own there, and today is the day of `at`.
    const today = Math.floor(at / DAY);
    const over = days.filter((day) => day >= today - 7 && day < today);
    const wanted = endsYesterday
      ? over
      : saysSilence && at >= 0
        ? whole(days)
        : saysSilence
          ? span(-7, -1)
          : expected;
    expect(sorted(documents[isShared ? 'all' : 'one'])).toEqual(wanted);
  });

  test('nothing in eight days', async () => {
    const documents = await listed(table, { one: [-9, -8] }, TODAY);
    expect(documents).toEqual(saysSilence ? { one: expect.any(Array), two: expect.any(Array) } : {});
  });

  test('each document has a week of its own', async () => {
    const documents = await listed(table, { one: span(-9, 0), two: span(-9, -1) }, TODAY + NOON);
    const one = endsYesterday ? span(-7, -1) : span(-6, 0);
    if (isShared) expect(sorted(documents['all'])).toEqual(one);
    else expect([sorted(documents['one']), sorted(documents['two'])]).toEqual([one, span(-7, -1)]);
  });
});
