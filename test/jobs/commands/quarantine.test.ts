// The commands that `quarantine list` and `lost+found list` propose are for the folder that they list, as they are typed.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { listLost } from '../../../jobs/commands/lost-found.ts';
import { listQuarantine } from '../../../jobs/commands/quarantine.ts';
import { nodeDisk } from '../../../platform/storage/disk.ts';
import { redrive } from '../../../jobs/commands/work.ts';
import {
  type BuoyFiles,
  DAY,
  NOW,
  openBuoyFiles,
  type Reading,
  RIGHT,
  TEN_TIMES,
} from '../pipeline/undo/buoy-files.ts';

let world: BuoyFiles;
beforeEach(() => {
  world = openBuoyFiles();
});
afterEach(() => world.remove());

const FLAGS = '--config my.json --data-dir var/mine';

async function printedBy(list: typeof listQuarantine | typeof listLost, json = false): Promise<string> {
  const lines: string[] = [];
  const print = (line: string) => lines.push(line);
  const commandFor = (words: string) => `npm run jobs -- ${words} ${FLAGS}`;
  await list({ disk: nodeDisk, dataDir: world.dir, commandFor, print }, json);
  return lines.join('\n');
}

test('refused rows can be redriven, and contradicting ones landed again', async () => {
  world.write('sea.csv', [
    ['a', NOW - DAY, 0.9],
    ['b', NOW - DAY, 'x'],
  ]);
  world.map({ sea: TEN_TIMES });
  await world.run(NOW);
  expect(await printedBy(listQuarantine)).toContain(`npm run jobs -- quarantine redrive ${FLAGS}`);
  world.map({ sea: RIGHT });
  await world.run(NOW + 60);
  expect(await printedBy(listQuarantine)).toContain(`npm run jobs -- reland --source sea --dry-run ${FLAGS}`);
});

test('files that were set aside can be adopted', async () => {
  mkdirSync(join(world.dir, 'lost+found'), { recursive: true });
  writeFileSync(join(world.dir, 'lost+found', `${'a'.repeat(64)}.parquet`), '');
  expect(await printedBy(listLost)).toContain(`npm run jobs -- lost+found adopt ${FLAGS}`);
});

test('a refused row that is delivered again is listed once, where it was delivered last', async () => {
  const bad: Reading = ['b', NOW - DAY, 'x'];
  world.map({ sea: RIGHT });
  world.write('sea.csv', [['a', NOW - DAY, 0.9], bad, bad]);
  await world.run(NOW);
  // The second delivery has one of the two equal rows, in another line.
  world.write('sea.csv', [['a', NOW - DAY, 0.9], ['a', NOW - DAY + 60, 0.9], bad]);
  await world.run(NOW + 60);
  const rows = (await printedBy(listQuarantine, true)).split('\n').map((line) => JSON.parse(line));
  expect(rows.map(({ line, deliveries }) => ({ line, deliveries }))).toEqual(
    expect.arrayContaining([
      { line: 4, deliveries: 2 },
      { line: 4, deliveries: 1 },
    ]),
  );
  expect(rows).toHaveLength(2);
  const text = await printedBy(listQuarantine);
  expect(text).toContain('delivered 2 times');
  expect(text).toContain('2 rows.');
  await world.work(NOW + 120, (context) => redrive(context, null));
  expect(await printedBy(listQuarantine)).toContain('2 rows.');
});
