import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { rebuild, runOnce } from '../../../../jobs/commands/work.ts';
import type { StateTables, Warehouse } from '../../../../jobs/engine/warehouse.ts';
import type { PipelineContext } from '../../../../jobs/pipeline/context.ts';
import type { Correction } from '../../../../schemas/corrections.ts';
import { datasetPath } from '../../../../snapshots/layout.ts';
import { verifyFolder } from '../../../../snapshots/verify.ts';
import { inFolder } from '../../../support/in-folder.ts';
import { neededFor } from '../../../support/needed-models.ts';
import { inWorld, publishedManifest, type TestFolder, testFolder } from '../../../support/pipeline-world.ts';
import { preparedCopy } from '../../../support/run-folder.ts';
import { removeFolder } from '../../../support/temporary-folder.ts';

/** The days of feeds. */
const domains = neededFor({ datasets: ['oracle-parameters'] });
const DAY = 86_400;
const START = Date.UTC(2026, 2, 1) / 1000;
const FEED = '0x00000000000000000000000000000000000000a1';

// Whole pipelines on one busy machine.
vi.setConfig({ testTimeout: 300_000 });

let folder: TestFolder;
beforeEach(() => {
  folder = testFolder();
  write('feeds.csv', ['address,name', `${FEED},ETH / USD`]);
});
afterEach(() => folder.remove());

const write = (name: string, lines: readonly string[]) =>
  writeFileSync(join(folder.dir, name), `${lines.join('\n')}\n`);

/** Rounds of days counted from the start, at noon of each. */
function rounds(
  name: string,
  prices: readonly (readonly [day: number, price: number, hour?: number])[],
): void {
  const lines = prices.map(([day, price, hour = 12]) => {
    const time = START + day * DAY + hour * 3_600;
    return `${time},${time},${price}00000000`;
  });
  write(name, ['round,time,answer', ...lines]);
}

const constant = (value: string | number) => ({ value });
const config = {
  profile: 'files',
  sources: {
    feeds: {
      table: 'feed_registry',
      path: 'feeds.csv',
      format: 'csv',
      name: 'Feeds',
      fields: {
        chain: constant('ethereum'),
        provider: constant('chainlink'),
        feed_address: 'address',
        name: 'name',
        base: constant('ETH'),
        quote: constant('USD'),
        heartbeat_s: constant(90_000),
        deviation_bps: constant(50),
        decimals: constant(8),
        observed_at: constant(START),
      },
    },
    rounds: {
      table: 'feed_round',
      path: 'rounds-*.csv',
      format: 'csv',
      name: 'Rounds',
      fields: {
        chain: constant('ethereum'),
        feed_address: constant(FEED),
        round_id: 'round',
        answer: 'answer',
        decimals: constant(8),
        updated_at: 'time',
      },
    },
  },
};

/** A run at 18:00 of a day. */
const runOn = (day: number) => {
  const now = START + day * DAY + 18 * 3_600;
  return inWorld(folder.dir, { now, config, domains }, (world) => runOnce(world, null));
};

function corrections(): readonly Correction[] {
  const entry = publishedManifest(folder.dir).datasets['corrections'];
  const file = join(folder.dir, 'snapshots', datasetPath('corrections', entry?.sha256 ?? ''));
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line).value as Correction);
}

const everyDay = (upTo: number) => Array.from({ length: upTo + 1 }, (_, day) => [day, 100 + day] as const);

/** Continues in a copy of a folder with runs on the eighth and the twelfth day. */
async function useTwelveDays(): Promise<void> {
  const copy = await preparedCopy('twelve-days', async (dir) => {
    const own = folder;
    cpSync(own.dir, dir, { recursive: true });
    folder = { dir, remove: () => undefined };
    try {
      rounds('rounds-1.csv', everyDay(8));
      await runOn(8);
      expect(corrections()).toEqual([]);
      rounds('rounds-2.csv', everyDay(12).slice(9));
      await runOn(12);
    } finally {
      folder = own;
    }
  });
  folder.remove();
  folder = { dir: copy, remove: () => removeFolder(copy) };
}

test('a late row of a day older than the window is published with old value, new value, reason and version', async () => {
  await useTwelveDays();
  const before = publishedManifest(folder.dir).version;
  expect(corrections()).toEqual([]);
  rounds('rounds-3.csv', [
    [4, 150, 15],
    [10, 160, 15],
  ]);
  await runOn(12.1);
  const [first, ...others] = corrections().filter(({ day }) => day === '2026-03-05');
  expect(others).toEqual([]);
  expect(first).toMatchObject({
    dataset: 'oracle-parameters',
    key: 'chainlink/ETH-USD',
    part: `ethereum|${FEED}`,
    reason: 'rows came late: obs.feed_round',
    replaced_version: before,
    as_of: publishedManifest(folder.dir).as_of,
    old_value: { updates: 1, price: { max: 104 } },
    new_value: { updates: 2, price: { max: 150 } },
  });
  expect(first?.fields).toEqual(expect.arrayContaining(['updates', 'price']));
  expect(corrections().map(({ day }) => day)).not.toContain('2026-03-11');
  expect(corrections().every(({ day }) => day >= '2026-03-05' && day < '2026-03-07')).toBe(true);
  expect(await verifyFolder(inFolder(join(folder.dir, 'snapshots')))).toEqual([]);
});

test('entries are only added, with rising ids, and a run without late rows adds none', async () => {
  await useTwelveDays();
  rounds('rounds-3.csv', [[3, 150, 15]]);
  await runOn(12.1);
  const first = corrections();
  expect(first.length).toBeGreaterThan(0);
  await runOn(12.2);
  expect(corrections()).toEqual(first);
  rounds('rounds-4.csv', [[3, 170, 16]]);
  await runOn(12.3);
  const all = corrections();
  expect(all.slice(0, first.length)).toEqual(first);
  expect(all.length).toBeGreaterThan(first.length);
  const ids = all.map(({ id }) => id);
  expect(ids).toEqual([...new Set(ids)].sort());
  const last = all.findLast(({ day }) => day === '2026-03-04');
  expect(last?.old_value).toEqual(first.find(({ day }) => day === '2026-03-04')?.new_value);
});

test('history that exists at the first publication corrects nothing', async () => {
  rounds('rounds-1.csv', everyDay(20));
  await runOn(20);
  rounds('rounds-2.csv', [[2, 150, 15]]);
  await runOn(20.1);
  expect(corrections()).toEqual([]);
});

test('a rebuild leaves the log unchanged', async () => {
  await useTwelveDays();
  rounds('rounds-3.csv', [[3, 150, 15]]);
  await runOn(12.1);
  const log = corrections();
  const now = START + 13 * DAY;
  await inWorld(folder.dir, { now, config, domains, isRebuild: true }, rebuild);
  expect(corrections()).toEqual(log);
});

/** The warehouse, failing before any published day is remembered. */
const forgetful = (warehouse: Warehouse): Warehouse =>
  new Proxy(warehouse, {
    get(target, name) {
      if (name !== 'state') {
        const member: unknown = Reflect.get(target, name);
        return typeof member === 'function' ? member.bind(target) : member;
      }
      const replace: StateTables['replace'] = (table, ...rest) =>
        table.name === 'meta.daily_row'
          ? Promise.reject(new Error('cut off'))
          : target.state.replace(table, ...rest);
      return { ...target.state, replace };
    },
  });

const cutOffs: readonly (readonly [when: string, cut: (world: PipelineContext) => PipelineContext])[] = [
  [
    'before the pointer is replaced',
    (world) => ({
      ...world,
      snapshots: inFolder(world.settings.snapshot_dir, {
        ...world.disk,
        rename: (from, to) =>
          to.endsWith('current.json') ? Promise.reject(new Error('cut off')) : world.disk.rename(from, to),
      }),
    }),
  ],
  ['between publishing and remembering', (world) => ({ ...world, warehouse: forgetful(world.warehouse) })],
];

test.each(cutOffs)(
  'a run that is cut off %s neither loses a correction nor reports it twice',
  async (_, cut) => {
    await useTwelveDays();
    rounds('rounds-3.csv', [[3, 150, 15]]);
    const now = START + 12.1 * DAY + 18 * 3_600;
    const broken = inWorld(folder.dir, { now, config, domains }, (world) => runOnce(cut(world), null));
    await expect(broken).rejects.toThrow('cut off');
    await runOn(12.2);
    await runOn(12.3);
    const positions = corrections().map(({ dataset, key, part, day }) => [dataset, key, part, day].join(' '));
    expect(positions.filter((location) => location.endsWith('2026-03-04'))).toHaveLength(1);
    expect(new Set(positions).size).toBe(positions.length);
  },
);
