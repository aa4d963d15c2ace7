// Damage of what landed, met by whole runs: nothing that is published changes, it is said which file is wrong, and all is as before when
// that file is restored.
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { readStatus } from '../../jobs/commands/status.ts';
import { rebuild, runOnce } from '../../jobs/commands/work.ts';
import { verifyLanding } from '../../jobs/ingest/receipts/verify.ts';
import type { PipelineContext } from '../../jobs/pipeline/context.ts';
import { nodeDisk } from '../../platform/storage/disk.ts';
import { COUNTS } from '../reliability/counts.ts';
import { DEMO_NOW, FEED_DEMO, feedDemoFolder } from '../support/demo-folder.ts';
import { inFolder } from '../support/in-folder.ts';
import { datasetHashes, inWorld, publishedEvents } from '../support/pipeline-world.ts';
import { removeFolder } from '../support/temporary-folder.ts';

vi.setConfig({ testTimeout: 7_200_000 });

let dir: string;
beforeEach(async () => {
  dir = await feedDemoFolder();
});
afterEach(() => removeFolder(dir));

const use = (work: (world: PipelineContext) => Promise<unknown>, isRebuild = false) =>
  inWorld(dir, { ...FEED_DEMO, isRebuild }, work);
const attempt = (work: () => Promise<unknown>): Promise<Error | null> =>
  work().then(
    () => null,
    (error: Error) => error,
  );
const published = () => ({ datasets: datasetHashes(dir), events: publishedEvents(dir) });
const verified = async () => (await verifyLanding({ disk: nodeDisk, dir })).map(({ file }) => file);

/** Paths under the data folder that end so, in order. */
const filesOf = (kind: string, ending: string): readonly string[] =>
  readdirSync(join(dir, kind), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ending))
    .map((name) => join(kind, name))
    .sort();

const flip = (path: string, share: number) => {
  const bytes = readFileSync(path);
  const bit = Math.floor(share * bytes.length * 8);
  bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
  writeFileSync(path, bytes);
};

const DAMAGES: readonly ((path: string, share: number) => void)[] = [
  flip,
  (path) => rmSync(path),
  (path) => truncateSync(path),
  (path, share) => truncateSync(path, Math.floor(readFileSync(path).length * share)),
];

describe.each([
  ['landed rows', 0, () => filesOf('landing', '.parquet')],
  ['receipts', 1, () => filesOf('landing', '.json')],
  ['quarantined rows', 3, () => filesOf('quarantine', '.ndjson')],
] as const)('damage of %s', (_what, first, list) => {
  test(`changes nothing that is published, is named, and is over when the file is restored (${COUNTS.landingDamages})`, async () => {
    const files = list();
    const before = published();
    for (let trial = 0; trial < COUNTS.landingDamages; trial += 1) {
      const share = ((trial + 1) * 0.618_034) % 1;
      const file = files[Math.floor(share * files.length)] ?? '';
      const path = join(dir, file);
      const good = readFileSync(path);
      DAMAGES[(first + trial) % DAMAGES.length]?.(path, share);
      expect(await verified(), file).toContain(file);
      const failures = [
        await attempt(() => use((world) => runOnce(world, null))),
        await attempt(() => use(rebuild, true)),
      ];
      for (const failure of failures)
        if (failure !== null) expect(failure.message).toContain(file.replace(/\.\w+$/, ''));
      if (!file.endsWith('.ndjson')) expect(failures[1]).not.toBeNull();
      expect(published()).toEqual(before);
      writeFileSync(path, good);
      await use((world) => runOnce(world, null));
      await use(rebuild, true);
      expect(published()).toEqual(before);
      expect(await verified()).toEqual([]);
    }
  });
});

const statusFaults = async () => {
  const context = { disk: nodeDisk, dataDir: dir, snapshots: inFolder(join(dir, 'snapshots')) };
  return (await readStatus({ ...context, ledger: join(dir, 'ledger.ndjson'), nowMs: DEMO_NOW * 1000 }))
    .faults;
};

test('what is missing, damaged or set aside is a fault in the status', async () => {
  expect(await statusFaults()).toEqual([]);
  const [receipt = ''] = filesOf('landing', '.json');
  const text = readFileSync(join(dir, receipt));
  flip(join(dir, receipt), 0.5);
  expect((await statusFaults()).join()).toContain(receipt);
  rmSync(join(dir, receipt));
  expect((await statusFaults()).join()).toContain(`${receipt}: the receipt is missing.`);
  writeFileSync(join(dir, receipt), text);
  writeFileSync(join(dir, receipt.replace(/\w+\.json$/, 'aa.parquet')), 'rows of someone');
  await use((world) => runOnce(world, null));
  expect(await statusFaults()).toEqual([
    expect.stringMatching(/^lost\+found\/.*aa\.parquet: .*lost\+found adopt/),
  ]);
});

test('without the file that says which demo world it holds, nothing runs until that is restored', async () => {
  const before = published();
  const file = join(dir, 'demo-world.json');
  const text = readFileSync(file);
  rmSync(file);
  for (const isRebuild of [false, true])
    expect((await attempt(() => use((world) => runOnce(world, null), isRebuild)))?.message).toContain(
      `${file} is lost. It records which demo world this folder holds: restore it`,
    );
  expect(existsSync(file)).toBe(false);
  writeFileSync(file, text);
  await use((world) => runOnce(world, null));
  expect(published()).toEqual(before);
});

test('a landing folder that lost rows which the warehouse holds stops the run; a rebuild goes on with what there is', async () => {
  const before = published();
  const [file = ''] = filesOf('landing', '.parquet');
  cpSync(join(dir, 'landing'), join(dir, 'kept'), { recursive: true });
  for (const path of [file, file.replace(/\.parquet$/, '.json'), 'landing/catalogue.txt'])
    rmSync(join(dir, path));
  await expect(use((world) => runOnce(world, null))).rejects.toThrow(/The warehouse holds rows of .*rebuild/);
  expect(published()).toEqual(before);
  cpSync(join(dir, 'kept'), join(dir, 'landing'), { recursive: true });
  await use((world) => runOnce(world, null));
  expect(published()).toEqual(before);
});
