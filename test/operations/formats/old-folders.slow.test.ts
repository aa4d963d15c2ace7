// Installations that earlier revisions have written, opened by this one without any manual step: events keep their ids, keys are valid, open
// deliveries are made. Each archive holds a data folder without its warehouse, the configuration, the source file, a key and a subscription
// whose receiver did not answer; its name is the day of the revision, in UTC. None of them knows `installation.json`.
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startServer } from '../../../server/app.ts';
import { requestIdMaker } from '../../../server/http/request-gate.ts';
import { makeSealer } from '../../../server/store/seal.ts';
import { migrationSteps } from '../../../server/store/sqlite/migrate.ts';
import { openStore } from '../../../server/store/sqlite/open-sqlite.ts';
import type { OpsStore } from '../../../server/store/store.ts';
import { openLastGood } from '../../../snapshots/last-good.ts';
import type { Manifest } from '../../../snapshots/layout.ts';
import { ProgramRuns } from '../../programs/run-program.ts';
import { inFolder } from '../../support/in-folder.ts';
import { actorAt, testWebhookOptions } from '../../support/ops-store.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { logOf, SlowReceiver, until } from '../backup/running-installation.ts';

vi.setConfig({ testTimeout: 120_000 });

/** After the archives were made: their deliveries are due. */
const NOW_MS = Date.parse('2026-11-27T03:10:30Z');
const ARCHIVES = [
  { day: '2026-11-21', storeFormat: 5 },
  { day: '2026-11-22', storeFormat: 8 },
  { day: '2026-11-23', storeFormat: 8 },
];

function unpacked(day: string): string {
  const cwd = temporaryFolder(`of-${day}`);
  const archive = fileURLToPath(new URL(`${day}.tar.xz`, import.meta.url));
  execFileSync('tar', ['xJf', archive, '-C', cwd]);
  // The first of the three fired events of feeds that back no market without being configured to.
  const config = JSON.parse(readFileSync(join(cwd, 'my.json'), 'utf8'));
  const policy = { oracle: { is_untracked_reported: true } };
  writeFileSync(join(cwd, 'my.json'), JSON.stringify({ ...config, policy }));
  return cwd;
}

async function manifestOf(dir: string): Promise<Manifest> {
  const { reader } = await openLastGood(inFolder(join(dir, 'snapshots')));
  if (reader === null) throw new Error('nothing is published');
  return reader.manifest;
}

function sealerIn(dir: string) {
  return makeSealer(Buffer.from(readFileSync(join(dir, 'ops/seal.key'), 'utf8').trim(), 'hex'), randomBytes);
}

async function serve(dir: string, store: OpsStore) {
  const server = await startServer({
    snapshots: inFolder(join(dir, 'snapshots')),
    host: '127.0.0.1',
    port: 0,
    anonymousPlan: null,
    store,
    webhooks: testWebhookOptions({ sealer: sealerIn(dir) }),
    docsUrl: '',
    serviceVersion: 'test',
    nowMs: () => NOW_MS,
    steadyMs: () => performance.now(),
    makeRequestId: requestIdMaker('old'),
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
    every: (ms, work) => {
      const timer = setInterval(work, ms);
      return () => clearInterval(timer);
    },
    wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    pollMs: 50,
  });
  onTestFinished(() => server.stop());
  return server;
}

test.each(ARCHIVES)('the folder of $day goes on', async ({ day, storeFormat }) => {
  const cwd = unpacked(day);
  const dir = join(cwd, 'var');
  const [before, log] = [await manifestOf(dir), await logOf(join(dir, 'snapshots'))];
  const programs = new ProgramRuns({ cwd, settings: ['--config', 'my.json', '--data-dir', 'var'] });
  const ran = await programs.run('jobs', 'run', '--as-of', new Date(NOW_MS).toISOString());
  expect([0, 4], ran.err).toContain(ran.code);
  expect(ran.err.match(/of an earlier version is adopted/g)).toHaveLength(1);
  const verified = await programs.run('jobs', 'verify');
  expect(verified.code, verified.out).toBe(0);
  expect(await logOf(join(dir, 'snapshots'))).toEqual(log);
  const after = await manifestOf(dir);
  if (after.methodology_version === before.methodology_version)
    for (const [id, { sha256 }] of Object.entries(before.datasets))
      expect(after.datasets[id]?.sha256, id).toBe(sha256);
  await expectStoreGoesOn(cwd, storeFormat);
});

async function expectStoreGoesOn(cwd: string, storeFormat: number): Promise<void> {
  const dir = join(cwd, 'var');
  const { key } = JSON.parse(readFileSync(join(cwd, 'key.json'), 'utf8')) as { readonly key: string };
  const { id } = JSON.parse(readFileSync(join(cwd, 'hook.json'), 'utf8')).data as { readonly id: string };
  const upgrades: unknown[] = [];
  const store = await openStore({
    path: join(dir, 'ops/ops.sqlite'),
    owner: 'old',
    sealer: sealerIn(dir),
    steadyMs: () => performance.now(),
    wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    onUpgraded: (upgrade) => upgrades.push(upgrade),
  });
  onTestFinished(() => store.close());
  expect(upgrades).toEqual([{ from: storeFormat, to: migrationSteps().length }]);
  expect(await store.audit.verify()).toBeUndefined();
  const open = await store.deliveries.list(id, { limit: 100 });
  expect(open.map(({ status }) => status)).toEqual(['retrying', 'retrying', 'retrying', 'retrying']);
  const receiver = new SlowReceiver();
  onTestFinished(() => receiver.stop());
  const url = await receiver.listen();
  await store.webhooks.change(id, { action: 'webhook.update', changes: { url } }, actorAt(NOW_MS));
  const { port } = await serve(dir, store);
  const headers = { Authorization: `Bearer ${key}` };
  const statusOf = async () => (await fetch(`http://127.0.0.1:${port}/v2/webhooks`, { headers })).status;
  await until('an answer to the key', async () => (await statusOf()) === 200);
  await until('the open deliveries', () => open.every(({ event_id }) => receiver.posts.has(event_id)));
  expect([...receiver.posts.values()]).toEqual([1, 1, 1, 1]);
}

test('the oldest folder is backed up before anything has upgraded it, and its copy goes on', async () => {
  const cwd = unpacked('2026-11-21');
  const programs = new ProgramRuns({ cwd, settings: ['--config', 'my.json'] });
  const done = async (...run: Parameters<ProgramRuns['run']>) => {
    const { code, out, err } = await programs.run(...run);
    expect([0, 4], out + err).toContain(code);
    return out;
  };
  const log = await logOf(join(cwd, 'var/snapshots'));
  await done('backup', 'make', '--data-dir', 'var', '--to', 'place');
  await done('restore', 'restore', '--from', 'place', '--to', 'copy', '--backup-key-file', 'var/backup.key');
  await done('jobs', 'run', '--data-dir', 'copy', '--as-of', new Date(NOW_MS).toISOString());
  await done('jobs', 'verify', '--data-dir', 'copy');
  expect(await logOf(join(cwd, 'copy/snapshots'))).toEqual(log);
  const [key] = JSON.parse(
    `[${(await done('keys', 'list', '--json', '--data-dir', 'copy')).trim().split('\n').join(',')}]`,
  );
  const { key: secret } = JSON.parse(readFileSync(join(cwd, 'key.json'), 'utf8')) as { readonly key: string };
  expect(JSON.stringify(key)).toContain(secret.slice(0, 12));
  const { out } = await programs.run('doctor', 'doctor', '--json', '--port', '0', '--data-dir', 'copy');
  const { checks } = JSON.parse(out) as { readonly checks: readonly { readonly state: string }[] };
  expect(checks.filter(({ state }) => state === 'unknown')).toEqual([]);
});
