// Lists and corrections together miss nothing and report nothing twice: what a list last showed of a day, with the corrections made after
// the day left that list, is always the truth.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { runOnce } from '../../../../jobs/commands/work.ts';
import { networkB } from '../../../../jobs/families/network-b/domain.ts';
import type { Correction } from '../../../../schemas/corrections.ts';
import { COUNTS } from '../../../reliability/counts.ts';
import { seededRandom } from '../../../support/seeded-random.ts';
import { inWorld, type TestFolder, testFolder } from '../../../support/pipeline-world.ts';
import { documentsOf } from '../../../support/published-files.ts';

const DAY = 86_400;
const HOUR = 3_600;
const START = Date.UTC(2026, 2, 1) / 1000;
const NETWORKS = ['east', 'west'];

vi.setConfig({ testTimeout: 300_000 });

let folder: TestFolder;
let batch = 0;
let delivered: { readonly network: string; readonly observed_at: number; readonly total_users: number }[] =
  [];
beforeEach(() => {
  folder = testFolder();
  batch = 0;
  delivered = [];
});
afterEach(() => folder.remove());

const source = {
  table: 'network_b_state',
  path: 'state-*.ndjson',
  format: 'ndjson',
  name: 'State',
  fields: { network: 'network', observed_at: 'observed_at', total_users: 'total_users' },
};

/** Rows of a network at these instants; the count of users never repeats. */
function deliver(network: string, instants: readonly number[]): void {
  const rows = instants
    .filter(
      (observed_at) => !delivered.some((one) => one.network === network && one.observed_at === observed_at),
    )
    .map((observed_at, index) => ({ network, observed_at, total_users: delivered.length + index + 1 }));
  if (rows.length === 0) return;
  delivered.push(...rows);
  batch += 1;
  writeFileSync(
    join(folder.dir, `state-${batch}.ndjson`),
    rows.map((row) => `${JSON.stringify(row)}\n`).join(''),
  );
}

const runAt = (now: number) =>
  inWorld(
    folder.dir,
    { now, config: { profile: 'files', sources: { state: source } }, domains: [networkB] },
    (world) => runOnce(world, null),
  );

type Shown = Map<string, number | null>;
const location = (network: string, day: string) => `${network} ${day}`;
const isoDay = (seconds: number) => new Date(seconds * 1000).toISOString().slice(0, 10);

function listed(): Shown {
  const shown: Shown = new Map();
  const documents = documentsOf<{ timestamp: string; total_num_users: number }[]>(
    folder.dir,
    'network-b-statistics',
  );
  for (const [network, rows] of Object.entries(documents))
    for (const row of rows) shown.set(location(network, row.timestamp.slice(0, 10)), row.total_num_users);
  return shown;
}

const corrections = (): readonly Correction[] =>
  Object.values(documentsOf<Correction>(folder.dir, 'corrections'));

const usersOf = (value: Correction['old_value']) =>
  (value?.['total_num_users'] as number | undefined) ?? null;

/** The true row of each key and day that has one. */
function truth(): Shown {
  const shown: Shown = new Map();
  for (const { network, observed_at, total_users } of delivered.toSorted(
    (a, b) => a.observed_at - b.observed_at,
  ))
    shown.set(location(network, isoDay(observed_at)), total_users);
  return shown;
}

const noons = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, step) => START + (from + step) * DAY + 12 * HOUR);

test('a late row of a day is not a correction while the list still holds the day, and is one afterwards', async () => {
  for (const network of NETWORKS) deliver(network, noons(0, 9));
  await runAt(START + 9 * DAY + 18 * HOUR);
  await runAt(START + 10 * DAY + 300);
  const third = START + 3 * DAY + 15 * HOUR;
  deliver('east', [third]);
  await runAt(START + 10 * DAY + 600);
  expect(corrections()).toEqual([]);
  expect(listed().get(location('east', '2026-03-04'))).toBe(delivered.at(-1)?.total_users);

  // East has its first row of today, and with it the fourth of March leaves its list; west is unchanged.
  const before = delivered.at(-1)?.total_users;
  deliver('east', [START + 10 * DAY + 700, third + 60]);
  deliver('west', [third]);
  await runAt(START + 10 * DAY + 900);
  expect(
    corrections().map(({ key, day, old_value, new_value }) => [
      key,
      day,
      usersOf(old_value),
      usersOf(new_value),
    ]),
  ).toEqual([['east', '2026-03-04', before, truth().get(location('east', '2026-03-04'))]]);
  expect(listed().get(location('west', '2026-03-04'))).toBe(delivered.at(-1)?.total_users);
});

test('days before the first version was published bring no correction, whenever they change', async () => {
  deliver('east', noons(0, 19));
  deliver('west', noons(0, 20));
  await runAt(START + 20 * DAY + 18 * HOUR);
  await runAt(START + 22 * DAY);
  for (const network of NETWORKS)
    deliver(network, [START + 2 * DAY + 15 * HOUR, START + 13 * DAY + 15 * HOUR]);
  await runAt(START + 22 * DAY + 300);
  // The list of east then ended with yesterday, and still held the fourteenth.
  const ofUsers = corrections().filter(({ fields }) => fields.includes('total_num_users'));
  expect(ofUsers.map(({ key, day }) => [key, day])).toEqual([['east', '2026-03-14']]);
});

test.each(COUNTS.correctionWalks)(
  'at every version the lists and the corrections show the truth, walk %i',
  async (seed) => {
    const chance = seededRandom(seed);
    const whole = (from: number, to: number) => from + Math.floor(chance() * (to - from + 1));
    const shown: Shown = new Map();
    let now = START + 8 * DAY + 12 * HOUR;
    for (const network of NETWORKS) deliver(network, noons(0, 7));
    let known = 0;
    for (let step = 0; step < COUNTS.correctionSteps; step += 1) {
      for (const network of NETWORKS) {
        const today = now - (now % DAY);
        const late = today - whole(0, 11) * DAY + whole(0, DAY - 1);
        const choices = [[], [now - 60], [today - HOUR], [late], [late, now - 30]];
        deliver(
          network,
          (choices[whole(0, choices.length - 1)] ?? []).filter(
            (instant) => instant > START && instant <= now,
          ),
        );
      }
      await runAt(now);
      const list = listed();
      for (const { key, day, old_value, new_value } of corrections().slice(known)) {
        expect(list.has(location(key, day))).toBe(false);
        expect(usersOf(old_value)).toBe(shown.get(location(key, day)) ?? null);
        shown.set(location(key, day), usersOf(new_value));
      }
      known = corrections().length;
      for (const [where, users] of list) shown.set(where, users);
      const facts = truth();
      expect([...shown].filter(([where, users]) => users !== (facts.get(where) ?? null))).toEqual([]);
      now += whole(1, 5) === 1 ? whole(300, 2 * DAY) : whole(300, 9 * HOUR);
    }
  },
);
