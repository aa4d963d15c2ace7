// Backups at random moments while the jobs land and publish and a server delivers: each restores to an installation that existed, with the
// same keys and bytes, in which no event is lost or there twice, and which goes on delivering.
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { COUNTS } from '../../reliability/counts.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { removeFolder, temporaryFolder } from '../../support/temporary-folder.ts';
import type { ProgramRuns } from '../../programs/run-program.ts';
import {
  type LoggedEvent,
  logOf,
  ROWS_BEFORE,
  RunningInstallation,
  SlowReceiver,
  until,
} from './running-installation.ts';

vi.setConfig({ testTimeout: 7_200_000 });

const MAX_PAUSE_MS = 900;

/** Events whose delivery the restored store has as made. */
function deliveredIn(dir: string): ReadonlySet<string> {
  const db = new DatabaseSync(join(dir, 'ops/ops.sqlite'), { readOnly: true });
  try {
    const rows = db.prepare("select event_id from webhook_delivery where status = 'delivered'").all();
    return new Set(rows.map(({ event_id }) => String(event_id)));
  } finally {
    db.close();
  }
}

/** Makes backups at random moments. Returns their ids. */
async function makeBackups(installation: RunningInstallation, place: string): Promise<readonly string[]> {
  const random = seededRandom(17);
  const ids: string[] = [];
  for (let n = 0; n < COUNTS.loadedBackups; n++) {
    await wait(random() * MAX_PAUSE_MS);
    const flags = ['--to', place, '--json', ...installation.flags()];
    const { code, out, err } = await installation.programs.run('backup', 'make', ...flags);
    expect(code, err).toBe(0);
    ids.push((JSON.parse(out) as { readonly id: string }).id);
  }
  return ids;
}

async function expectDone(
  { programs }: RunningInstallation,
  ...[program, command, ...args]: Parameters<ProgramRuns['run']>
): Promise<void> {
  const { code, out, err } = await programs.run(program, command, ...args);
  expect(code, out + err).toBe(0);
}

/** A server on the restored folder makes the open deliveries, each once, and no other. */
async function expectDelivered(
  installation: RunningInstallation,
  { to, log, receiver }: { to: string; log: readonly LoggedEvent[]; receiver: SlowReceiver },
): Promise<void> {
  const delivered = deliveredIn(to);
  receiver.posts.clear();
  const url = await installation.startServer(to);
  const headers = { Authorization: `Bearer ${installation.key}` };
  await until('the first version', async () => (await fetch(`${url}/v2/data-manifest`, { headers })).ok);
  const open = log.slice(ROWS_BEFORE).filter(({ id }) => !delivered.has(id));
  await until('the rest of the deliveries', () => open.every(({ id }) => receiver.posts.has(id)));
  await installation.kill();
  expect([...receiver.posts.keys()].toSorted()).toEqual(open.map(({ id }) => id).toSorted());
  expect([...receiver.posts.values()].filter((posts) => posts !== 1)).toEqual([]);
  for (const { id, text } of open) expect(receiver.bodies.get(id)).toBe(text);
}

/** The jobs land what came after the backup, and append each of its events once. */
async function expectContinued(
  installation: RunningInstallation,
  { to, log }: { to: string; log: readonly LoggedEvent[] },
): Promise<void> {
  await expectDone(installation, 'jobs', 'run', ...installation.flags(to));
  const after = await logOf(join(to, 'snapshots'));
  expect(after.slice(0, log.length)).toEqual(log);
  expect(new Set(after.map(({ key }) => key)).size).toBe(after.length);
  expect(after).toHaveLength(installation.rows);
}

test(`${COUNTS.loadedBackups} backups under load restore to the same bytes, keys and events, and deliveries go on`, async () => {
  const cwd = temporaryFolder('backup-load');
  const installation = new RunningInstallation(cwd);
  const receiver = new SlowReceiver();
  onTestFinished(async () => {
    await installation.kill();
    receiver.stop();
  });
  await installation.start(await receiver.listen());
  const place = join(cwd, 'backups');
  const backups = await makeBackups(installation, place);
  await installation.kill();
  const last = await logOf(join(installation.dir, 'snapshots'));
  for (const id of backups) {
    const to = join(cwd, `restored-${id}`);
    const flags = ['--from', place, '--to', to, '--backup', id, ...installation.flags()];
    await expectDone(installation, 'restore', 'restore', ...flags);
    await expectDone(installation, 'jobs', 'verify', ...installation.flags(to));
    const log = await logOf(join(to, 'snapshots'));
    expect(log.length).toBeGreaterThan(0);
    expect(log).toEqual(last.slice(0, log.length));
    await expectDelivered(installation, { to, log, receiver });
    const isContinued = id === backups.at(-1) || COUNTS.loadedBackups > 10;
    if (isContinued) await expectContinued(installation, { to, log });
    removeFolder(to);
  }
});
