import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runOnce } from '../../../../jobs/commands/work.ts';
import { development } from '../../../../jobs/families/development/domain.ts';
import { networkB } from '../../../../jobs/families/network-b/domain.ts';
import { restaking } from '../../../../jobs/families/restaking/domain.ts';
import { social } from '../../../../jobs/families/social/domain.ts';
import type { Correction } from '../../../../schemas/corrections.ts';
import type { Json } from '../../../../platform/base/json.ts';
import { ServerFixture } from '../../../server/server-fixture.ts';
import { neededFor } from '../../../support/needed-models.ts';
import { inWorld, publishedManifest, type TestFolder, testFolder } from '../../../support/pipeline-world.ts';
import { documentsOf } from '../../../support/published-files.ts';

const families = [development, networkB, restaking, social];
const domains = neededFor({ datasets: families.flatMap(({ datasets }) => datasets.map(({ id }) => id)) });
const DAY = 86_400;
const START = Date.UTC(2026, 2, 1) / 1000;
/** The first day with late rows; the lists then begin on 7 March. */
const LATE_DAY = 4;

type Row = { readonly [field: string]: Json };
const at = (day: number, hour: number) => START + day * DAY + hour * 3_600;

const commit = (owner: string, day: number, hour: number): Row => ({
  repository: `${owner}/core`,
  commit_id: createHash('sha256').update(`${owner} ${day} ${hour}`).digest('hex').slice(0, 40),
  author: 'ann',
  committed_at: Math.round(at(day, hour)),
  parents: 1,
});

/** Rows of each table for one hour of a day. */
const rowsOf: { readonly [table: string]: (day: number, hour: number) => readonly Row[] } = {
  development_commit: (day, hour) => [
    commit('aave', day, hour),
    // Three a day, at noon only.
    ...(hour === 12 ? [0, 1, 2].map((minute) => commit('uniswap', day, hour + minute / 60)) : []),
  ],
  network_b_block: (day, hour) => [
    {
      network: 'near',
      height: at(day, hour),
      block_time: new Date(at(day, hour) * 1000).toISOString(),
      fees: `${1 + hour}${'0'.repeat(24)}`,
      total_supply: `${1_000_000 + 10 * day + hour}${'0'.repeat(24)}`,
    },
  ],
  restaking_state: (day, hour) =>
    ['renzo', 'eigenlayer'].map((protocol) => ({
      protocol,
      observed_at: at(day, hour),
      total_restaked_usd: 1_000 * (1 + day) + hour,
    })),
  social_message: (day, hour) => [
    {
      channel: 'discord',
      protocol: 'aave',
      sent_at: at(day, hour),
      author: 'ann',
      text: `great news of hour ${hour}, love it`,
    },
  ],
};

const repositories = ['aave', 'uniswap'].map((name) => ({
  repository: `${name}/core`,
  name,
  kind: 'protocol',
  observed_at: START,
}));
const tables = ['development_repository', ...Object.keys(rowsOf)];

let folder: TestFolder;
let served: ServerFixture;
let url: string;
let versionBefore: string;
let earlier: readonly Correction[];

function write(table: string, batch: number, rows: readonly Row[]): void {
  const lines = rows.map((row) => `${JSON.stringify(row)}\n`);
  writeFileSync(join(folder.dir, `${table}-${batch}.ndjson`), lines.join(''));
}

function deliver(batch: number, times: readonly (readonly [day: number, hour: number])[]): void {
  for (const [table, of] of Object.entries(rowsOf))
    write(
      table,
      batch,
      times.flatMap(([day, hour]) => of(day, hour)),
    );
}

const config = () => ({
  profile: 'files',
  sources: Object.fromEntries(
    tables.map((table) => {
      const [line = ''] = readFileSync(join(folder.dir, `${table}-1.ndjson`), 'utf8').split('\n');
      const fields = Object.fromEntries(Object.keys(JSON.parse(line)).map((name) => [name, name]));
      const source = { table, path: `${table}-*.ndjson`, format: 'ndjson', name: table, fields };
      return [table.replaceAll('_', '-'), source];
    }),
  ),
});

const runAt = (now: number) =>
  inWorld(folder.dir, { now, config: config(), domains }, (world) => runOnce(world, null));

const corrections = (): readonly Correction[] =>
  Object.values(documentsOf<Correction>(folder.dir, 'corrections'));

// A week and two days, four days more, and then an hour of a day that has left the lists.
beforeAll(async () => {
  folder = testFolder();
  const noons = Array.from({ length: 13 }, (_, day) => [day, 12] as const);
  write('development_repository', 1, repositories);
  deliver(1, noons.slice(0, 9));
  await runAt(at(8, 18));
  deliver(2, noons.slice(9));
  await runAt(at(12, 18));
  earlier = corrections();
  versionBefore = publishedManifest(folder.dir).version;
  deliver(3, [[LATE_DAY, 15]]);
  await runAt(at(12, 19));
  served = new ServerFixture(join(folder.dir, 'snapshots'));
  served.nowMs = at(12, 20) * 1000;
  ({ url } = await served.serve());
}, 300_000);
afterAll(async () => {
  await served?.remove();
  folder?.remove();
});

interface Expected {
  readonly dataset: string;
  readonly key: string;
  readonly part: string;
  readonly before: Row;
  readonly after: Row;
}

/** Commits .40, authors .25, merges .20: there are no releases, and no merges. */
const scoreOf = (commits: number, max: number) =>
  Number(((0.4 * Math.log1p(commits)) / Math.log1p(max) / 0.85 + 0.25 / 0.85).toFixed(6));

const expected: readonly Expected[] = [
  ...['development-protocols', 'development-scores'].map((dataset) => ({
    dataset,
    key: dataset === 'development-scores' ? 'all' : 'aave',
    part: 'protocol|aave',
    before: { score: scoreOf(LATE_DAY + 1, 3 * (LATE_DAY + 1)) },
    after: { score: scoreOf(LATE_DAY + 2, 3 * (LATE_DAY + 1)) },
  })),
  {
    dataset: 'network-b-statistics',
    key: 'near',
    part: '',
    before: { total_tx_fees: 13, total_supply: 1_000_052 },
    after: { total_tx_fees: 29, total_supply: 1_000_055 },
  },
  {
    dataset: 'restaking-week',
    key: 'all',
    part: 'renzo',
    before: { total_restaked_usd: 5_012, timestamp: at(LATE_DAY, 12) },
    after: { total_restaked_usd: 5_015, timestamp: at(LATE_DAY, 15) },
  },
  {
    dataset: 'base-restaking-week',
    key: 'eigenlayer',
    part: '',
    before: { total_restaked_usd: 5_012 },
    after: { total_restaked_usd: 5_015 },
  },
  {
    dataset: 'social-scores',
    key: 'discord/aave',
    part: '',
    before: { daily_message_count: 1 },
    after: { daily_message_count: 2 },
  },
];

test.each(expected)('a late row of an old day is listed at /v2/corrections?dataset=$dataset', async (one) => {
  const answer = await fetch(`${url}/v2/corrections?dataset=${one.dataset}`);
  expect(answer.status).toBe(200);
  const { data } = (await answer.json()) as { readonly data: readonly Correction[] };
  const ofTheDay = data.filter(
    ({ day, key, part }) => day === '2026-03-05' && key === one.key && part === one.part,
  );
  expect(ofTheDay).toEqual([
    expect.objectContaining({
      old_value: expect.objectContaining(one.before),
      new_value: expect.objectContaining(one.after),
      reason: expect.stringMatching(/^rows came late: obs\./),
      replaced_version: versionBefore,
    }),
  ]);
  expect(ofTheDay[0]?.fields).toEqual(expect.arrayContaining(Object.keys(one.before)));
});

test('a protocol is compared with itself, whatever the time of its record', () => {
  const parts = corrections().filter(({ dataset }) => dataset === 'restaking-week');
  expect(
    parts.map(({ part, old_value, new_value }) => [part, old_value?.['name'], new_value?.['name']]),
  ).toEqual([
    ['eigenlayer', 'eigenlayer', 'eigenlayer'],
    ['renzo', 'renzo', 'renzo'],
  ]);
});

test('nothing is listed for days before the late one, for days in the lists, or because time went on', () => {
  expect(earlier).toEqual([]);
  expect([...new Set(corrections().map(({ day }) => day))].sort()).toEqual(['2026-03-05', '2026-03-06']);
});

test('a later day changes as far as its figures reach back, and others are unchanged', () => {
  const next = corrections().filter(({ day }) => day === '2026-03-06');
  expect(next.map(({ dataset, part, fields }) => [dataset, part, ...fields])).toEqual([
    ['development-protocols', 'protocol|aave', 'score'],
    ['development-scores', 'protocol|aave', 'score'],
  ]);
  expect(corrections().filter(({ part }) => part === 'protocol|uniswap')).toEqual([]);
});
