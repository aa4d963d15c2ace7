import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { runOnce } from '../../../jobs/commands/work.ts';
import { refuseLinksOut } from '../../../jobs/app/outside-links.ts';
import { neededFor } from '../../support/needed-models.ts';
import { datasetHashes, inWorld } from '../../support/pipeline-world.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

vi.setConfig({ testTimeout: 120_000 });

let root: string;
let data: string;
beforeEach(() => {
  root = temporaryFolder('links');
  data = join(root, 'data');
  mkdirSync(join(data, 'landing/feed_round'), { recursive: true });
  mkdirSync(join(root, 'elsewhere'));
  writeFileSync(join(root, 'elsewhere/secret.parquet'), 'not ours');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const look = () => refuseLinksOut(data, [join(data, 'landing'), join(data, 'quarantine')]);

test.each([
  ['a folder', 'quarantine', 'elsewhere'],
  ['a folder inside one', 'landing/feed_round/day=2026-01-01', 'elsewhere'],
  ['a file', 'landing/feed_round/aa.parquet', 'elsewhere/secret.parquet'],
  ['nothing', 'landing/feed_round/aa.parquet', 'nowhere'],
  ['a folder whose name begins as ours does', 'quarantine', 'data-of-others'],
])('a link to %s outside the data folder is rejected and named', async (_what, link, target) => {
  mkdirSync(join(root, 'data-of-others'));
  symlinkSync(join(root, target), join(data, link));
  await expect(look()).rejects.toThrow(join(data, link));
});

test('a link to the same folder, and a data folder that is a link itself, are fine', async () => {
  writeFileSync(join(data, 'landing/feed_round/aa.parquet'), '');
  symlinkSync('aa.parquet', join(data, 'landing/feed_round/bb.parquet'));
  await look();
  renameSync(data, join(root, 'real'));
  symlinkSync(join(root, 'real'), data);
  await look();
});

describe('a run', () => {
  const options = {
    now: Date.UTC(2026, 2, 10) / 1000,
    flags: ['--demo-days', '1'],
    domains: neededFor({ datasets: ['proposer-payments'] }),
  };
  const run = () => inWorld(data, options, (world) => runOnce(world, null));

  test.each(['landing', 'quarantine', 'lost+found', 'snapshots'])(
    'is rejected while %s leads out of the data folder, and works again afterwards',
    async (folder) => {
      await run();
      const before = datasetHashes(data);
      const own = join(data, folder);
      const outside = join(root, 'elsewhere', folder);
      mkdirSync(own, { recursive: true });
      renameSync(own, outside);
      symlinkSync(outside, own);
      await expect(run()).rejects.toThrow(/this link leads to .*not followed/);
      rmSync(own);
      renameSync(outside, own);
      await run();
      expect(datasetHashes(data)).toEqual(before);
      expect(readFileSync(join(root, 'elsewhere/secret.parquet'), 'utf8')).toBe('not ours');
    },
  );

  test('accepts a link as the folder of versions, if it is outside the data folder', async () => {
    symlinkSync(join(root, 'elsewhere'), join(root, 'versions'));
    const flags = [...options.flags, '--snapshot-dir', join(root, 'versions')];
    expect(await inWorld(data, { ...options, flags }, (world) => runOnce(world, null))).toBe(0);
  });
});
