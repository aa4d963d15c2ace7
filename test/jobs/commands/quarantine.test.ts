// The commands that `quarantine list` and `lost+found list` propose are for the folder that they list, as they are typed.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { listLost } from '../../../jobs/commands/lost-found.ts';
import { listQuarantine } from '../../../jobs/commands/quarantine.ts';
import { nodeDisk } from '../../../platform/storage/disk.ts';
import { type BuoyFiles, DAY, NOW, openBuoyFiles, RIGHT, TEN_TIMES } from '../pipeline/undo/buoy-files.ts';

let world: BuoyFiles;
beforeEach(() => {
  world = openBuoyFiles();
});
afterEach(() => world.remove());

const FLAGS = '--config my.json --data-dir var/mine';

async function printedBy(list: typeof listQuarantine | typeof listLost): Promise<string> {
  const lines: string[] = [];
  const print = (line: string) => lines.push(line);
  const commandFor = (words: string) => `npm run jobs -- ${words} ${FLAGS}`;
  await list({ disk: nodeDisk, dataDir: world.dir, commandFor, print }, false);
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
