// Made-up files through the jobs as a program, `jobs -- run --config … --as-of …`: pegs and feeds as they are published.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type TestFolder, testFolder } from '../../../support/pipeline-world.ts';
import { documentsOf } from '../../../support/published-files.ts';

const PROJECT = fileURLToPath(new URL('../../../../', import.meta.url));
const FILES = fileURLToPath(new URL('./files/', import.meta.url));

let folder: TestFolder;
beforeEach(() => {
  folder = testFolder();
});
afterEach(() => folder.remove());

function run(name: string, asOf: string): void {
  const flags = ['--config', join(FILES, name, 'config.json'), '--as-of', asOf, '--data-dir', folder.dir];
  const { status, stderr } = spawnSync(process.execPath, ['jobs/main.ts', 'run', ...flags], {
    cwd: PROJECT,
    encoding: 'utf8',
  });
  expect(status, stderr).toBe(0);
}

test('two pegs of one symbol are two documents, and each shows the other', () => {
  run('two-pegs-of-one-symbol', '2026-03-01T01:00:00Z');
  expect(documentsOf(folder.dir, 'pegs')).toMatchObject({
    'ethereum|COIN': {
      quote: 'USD',
      deviation_bps: -120,
      state: 'pegged',
      other_pegs: [{ asset_name: 'COIN:chf', state: 'depegged' }],
    },
    'ethereum|COIN:chf': { quote: 'CHF', deviation_bps: -170, state: 'depegged' },
    'ethereum|USDC': { deviation_bps: -400, state: 'depegged' },
  });
}, 120_000);

test('thin pools do not move a price, and are named', () => {
  run('thin-pools', '2026-03-01T01:00:00Z');
  const thin = { source_kind: 'pool', is_beyond: true, is_thin: true };
  expect(documentsOf(folder.dir, 'pegs')).toMatchObject({
    'ethereum|COIN': {
      price: '0.99980000',
      state: 'pegged',
      sources: 1,
      doubts: ['single_source', 'thin_pools_disagree'],
      source_prices: [
        { oracle_address: '0xv', is_thin: false },
        { ...thin, oracle_address: '0xp1', depth: 8_190 },
        { ...thin, oracle_address: '0xp2', depth: 11_100 },
      ],
    },
  });
}, 120_000);

test('a feed at its floor is neither fresh nor valid, and says why wherever it is used', () => {
  run('feed-at-its-floor', '2026-03-01T12:00:00Z');
  expect(documentsOf(folder.dir, 'feeds')).toMatchObject({
    'ethereum|0xcoin': { status: 'stale', status_reason: 'at_bound', rounds: 3, invalid_rounds: 10 },
    'ethereum|0xpool': { status: 'fresh', status_reason: null },
  });
  expect(documentsOf(folder.dir, 'lending-markets')).toMatchObject({
    'ethereum|0xm1': {
      oracle_status: 'stale',
      oracle_status_reason: 'at_bound',
      is_oracle_disputed: true,
      oracle_compared_with: '0xpool',
    },
  });
  expect(documentsOf(folder.dir, 'conditions')).toMatchObject({
    'oracle.feed.invalid|ethereum|0xcoin': { severity: 'high', since: '2026-03-01T03:00:00Z' },
  });
}, 120_000);
