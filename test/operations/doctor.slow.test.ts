// `doctor` as a process, over an installation in which one thing is wrong at a time: it names that and what to do, changes nothing, and says
// what it could not check.
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import type { Diagnosis } from '../../operations/doctor/finding.ts';
import { ProgramRuns } from '../programs/run-program.ts';
import { removeFolder, temporaryFolder } from '../support/temporary-folder.ts';

vi.setConfig({ testTimeout: 60_000 });

const CONFIG = {
  profile: 'files',
  sources: {
    tvl: {
      table: 'tvl_reading',
      path: 'tvl.csv',
      format: 'csv',
      name: 'Values',
      fields: { protocol: { value: 'p' }, observed_at: { from: 'at', time: 'unix_s' }, tvl_usd: 'usd' },
    },
  },
};
const DAY_MS = 86_400_000;

let cwd: string;
let sound: string;
let programs: ProgramRuns;

beforeAll(async () => {
  cwd = temporaryFolder('doctor');
  sound = join(cwd, 'sound');
  const now = Math.floor(Date.now() / 1000);
  writeFileSync(join(cwd, 'my.json'), JSON.stringify(CONFIG));
  writeFileSync(join(cwd, 'tvl.csv'), `at,usd\n${now - 600},5000000\n${now - 300},5000001\n`);
  programs = new ProgramRuns({ cwd, settings: ['--config', 'my.json', '--port', '0'] });
  const on = ['--data-dir', sound];
  const ran = await programs.run('jobs', 'run', ...on);
  expect(ran.code, ran.err).toBe(0);
  expect((await programs.run('keys', 'create', '--org', 'acme', '--plan', 'team', ...on)).code).toBe(0);
  expect((await programs.run('backup', 'make', '--to', join(cwd, 'backups'), ...on)).code).toBe(0);
});

interface Ailment {
  readonly what: string;
  readonly harm: (dir: string) => void;
  readonly flags?: readonly string[];
  readonly code: number;
  readonly urgency: string;
  readonly check: string;
  readonly problem: RegExp;
  readonly todo: RegExp;
}

const landedIn = (dir: string): string => {
  const found = readdirSync(join(dir, 'landing'), { recursive: true, encoding: 'utf8' });
  return join(dir, 'landing', found.find((name) => name.endsWith('.parquet')) ?? '');
};

function edit(file: string, change: (text: string) => string): void {
  writeFileSync(file, change(readFileSync(file, 'utf8')));
}

function inStore(dir: string, sql: string): void {
  const db = new DatabaseSync(join(dir, 'ops/ops.sqlite'));
  db.exec(sql);
  db.close();
}

const AILMENTS: readonly Ailment[] = [
  {
    what: 'a setting',
    harm: () => undefined,
    flags: ['--tick-seconds', 'often'],
    ...{ code: 1, urgency: 'critical', check: 'settings' },
    ...{ problem: /--tick-seconds: "often" given/, todo: /nothing else was checked/ },
  },
  {
    what: 'a data folder that is not there',
    harm: (dir) => rmSync(dir, { recursive: true }),
    ...{ code: 4, urgency: 'warning', check: 'folders' },
    ...{ problem: /data folder .* does not exist/, todo: /--data-dir/ },
  },
  {
    what: 'a key that others can read',
    harm: (dir) => chmodSync(join(dir, 'ops/seal.key'), 0o644),
    ...{ code: 1, urgency: 'critical', check: 'keys', problem: /seal\.key \(mode 644\)/, todo: /chmod 600/ },
  },
  {
    what: 'a folder of a newer version',
    harm: (dir) =>
      edit(join(dir, 'installation.json'), (text) => text.replace('"landing": 1', '"landing": 7')),
    ...{ code: 1, urgency: 'critical', check: 'formats', problem: /landing 7/, todo: /refuse the folder/ },
  },
  {
    what: 'an interrupted restore',
    harm: (dir) => mkdirSync(join(dir, '.restoring')),
    ...{ code: 1, urgency: 'critical', check: 'formats', problem: /interrupted/, todo: /refuse the folder/ },
  },
  {
    what: 'a landed file that is gone',
    harm: (dir) => rmSync(landedIn(dir)),
    ...{ code: 1, urgency: 'critical', check: 'files', problem: /parquet: it is missing/, todo: /verify/ },
  },
  {
    what: 'a store that is cut short',
    harm: (dir) =>
      writeFileSync(
        join(dir, 'ops/ops.sqlite'),
        readFileSync(join(dir, 'ops/ops.sqlite')).subarray(0, 9_000),
      ),
    ...{
      code: 1,
      urgency: 'critical',
      check: 'store',
      problem: /damaged|malformed/,
      todo: /npm run restore/,
    },
  },
  {
    what: 'a store without its key',
    harm: (dir) => rmSync(join(dir, 'ops/seal.key')),
    ...{
      code: 1,
      urgency: 'critical',
      check: 'store',
      problem: /seal key .* is missing/,
      todo: /npm run restore/,
    },
  },
  {
    what: 'a store that is an older copy',
    harm: (dir) => inStore(dir, 'update audit_head set seq = 0'),
    ...{ code: 1, urgency: 'critical', check: 'store', problem: /older copy/, todo: /audit --accept/ },
  },
  {
    what: 'deliveries that no one makes',
    harm: (dir) =>
      inStore(
        dir,
        `insert into webhook_delivery (webhook, event_id, event_type, subject_id, origin, status, attempt, most_attempts, created_ms, next_ms)
         values (1, 'e', 't', 's', 'event', 'retrying', 1, 8, 0, ${Date.now() - 2 * 3_600_000})`,
      ),
    ...{
      code: 1,
      urgency: 'critical',
      check: 'store',
      problem: /due since .*no server makes them/,
      todo: /Start a server/,
    },
  },
  {
    what: 'jobs that have stopped, and a backup that is old',
    harm: (dir) => {
      edit(join(dir, 'last-backup.json'), (text) =>
        text.replace(/"begun_at":"[^"]+"/, `"begun_at":"${new Date(Date.now() - 2 * DAY_MS).toISOString()}"`),
      );
    },
    flags: ['--tick-seconds', '1'],
    ...{
      code: 4,
      urgency: 'warning',
      check: 'backups',
      problem: /last backup, 01.*is 2 days old/,
      todo: /npm run backup/,
    },
  },
  {
    what: 'no backup',
    harm: (dir) => rmSync(join(dir, 'last-backup.json')),
    ...{
      code: 4,
      urgency: 'warning',
      check: 'backups',
      problem: /no backup was ever made/,
      todo: /npm run backup/,
    },
  },
  {
    what: 'a last backup that is no longer where it was made',
    harm: (dir) =>
      edit(join(dir, 'last-backup.json'), (text) => text.replace(/"01[^"]+"/, `"01${'0'.repeat(24)}"`)),
    ...{ code: 1, urgency: 'critical', check: 'backups' },
    ...{
      problem: /is no longer in .*backups/,
      todo: /npm run backup -- --to PLACE --config my\.json --data-dir/,
    },
  },
  {
    what: 'a place of backups that is not mounted',
    harm: (dir) => edit(join(dir, 'last-backup.json'), (text) => text.replace('/backups"', '/elsewhere"')),
    ...{
      code: 4,
      urgency: 'warning',
      check: 'backups',
      problem: /elsewhere, .*holds nothing/,
      todo: /Mount it/,
    },
  },
  {
    what: 'a backup of the future',
    harm: (dir) =>
      edit(join(dir, 'last-backup.json'), (text) =>
        text.replace(/"begun_at":"[^"]+"/, `"begun_at":"${new Date(Date.now() + 2 * DAY_MS).toISOString()}"`),
      ),
    ...{
      code: 4,
      urgency: 'warning',
      check: 'backups',
      problem: /later than the clock/,
      todo: /another backup/,
    },
  },
  {
    what: 'a backup key that is gone',
    harm: (dir) => rmSync(join(dir, 'backup.key')),
    ...{
      code: 4,
      urgency: 'warning',
      check: 'backups',
      problem: /backup key .* is missing/,
      todo: /Put the copy/,
    },
  },
  {
    what: 'a seal key that is none',
    harm: (dir) => writeFileSync(join(dir, 'ops/seal.key'), 'garbage'),
    ...{
      code: 1,
      urgency: 'critical',
      check: 'store',
      problem: /seal\.key: not a key/,
      todo: /run doctor again/,
    },
  },
  {
    what: 'a key of landing that is gone although names were hashed with it',
    harm: (dir) => {
      rmSync(join(dir, 'landing.key'));
      mkdirSync(join(dir, 'quarantine/social_message'), { recursive: true });
    },
    ...{
      code: 1,
      urgency: 'critical',
      check: 'keys',
      problem: /landing\.key: the key is missing/,
      todo: /jobs do not run/,
    },
  },
  {
    what: 'a database of leases that does not respond',
    harm: () => undefined,
    flags: ['--lease-store', 'postgres://risk@127.0.0.1:1/risk'],
    ...{
      code: 1,
      urgency: 'critical',
      check: 'leases',
      problem: /could not be checked: .*ECONNREFUSED/,
      todo: /run doctor again/,
    },
  },
  {
    what: 'a demo on a public address',
    harm: () => undefined,
    flags: ['--host', '0.0.0.0', '--webhooks-allow-loopback'],
    ...{
      code: 4,
      urgency: 'warning',
      check: 'exposure',
      problem: /WEBHOOKS_ALLOW_LOOPBACK/,
      todo: /Unset it/,
    },
  },
];

/** Names, sizes and times of everything in a folder, which doctor must leave as they are. `-shm` is memory that readers of SQLite share. */
const stateOf = (dir: string): readonly string[] =>
  readdirSync(dir, { recursive: true, encoding: 'utf8' })
    .filter((name) => !name.endsWith('-shm'))
    .sort()
    .map((name) => {
      const { size, mtimeMs, mode } = statSync(join(dir, name));
      return `${name} ${size} ${mtimeMs} ${mode}`;
    });

async function diagnosed(
  dir: string,
  flags: readonly string[] = [],
  as = programs,
): Promise<{ code: number | null; diagnosis: Diagnosis }> {
  const { code, out, err } = await as.run('doctor', 'doctor', '--json', '--data-dir', dir, ...flags);
  expect(err).toBe('');
  return { code, diagnosis: JSON.parse(out) as Diagnosis };
}

test('nothing is wrong with a sound installation, and nothing in it changes', async () => {
  // As a server that stops leaves it.
  for (const ending of ['-wal', '-shm']) rmSync(join(sound, `ops/ops.sqlite${ending}`), { force: true });
  const before = stateOf(sound);
  const { code, out } = await programs.run('doctor', 'doctor', '--data-dir', sound);
  expect({ code, out }).toEqual({
    code: 0,
    out: expect.stringMatching(/^Checked: folders, .*\n0 critical, 0 warnings, 0 notices\.\n$/s),
  });
  expect(stateOf(sound)).toEqual(before);
});

test.each(AILMENTS)('$what', async ({ harm, flags, code, urgency, check, problem, todo }) => {
  const dir = copyOf('ill');
  harm(dir);
  const found = await diagnosed(dir, flags);
  const finding = {
    urgency,
    check,
    problem: expect.stringMatching(problem),
    todo: expect.stringMatching(todo),
  };
  expect(found.diagnosis.findings).toContainEqual(finding);
  const urgent = found.diagnosis.findings.filter((one) => one.urgency !== 'notice');
  expect(urgent, JSON.stringify(urgent)).toHaveLength(1);
  expect(found.code).toBe(code);
});

/** A copy of the sound installation, removed after the test. */
function copyOf(name: string): string {
  const dir = join(cwd, name);
  cpSync(sound, dir, { recursive: true, preserveTimestamps: true });
  onTestFinished(() => removeFolder(dir));
  return dir;
}

test('a file of a source that the last run could not read', async () => {
  const dir = copyOf('unread');
  const tvl = { ...CONFIG.sources.tvl, path: 'gone.csv' };
  writeFileSync(join(cwd, 'gone.json'), JSON.stringify({ ...CONFIG, sources: { tvl } }));
  const flags = ['--config', 'gone.json'];
  const ran = await programs.run('jobs', 'run', '--data-dir', dir, '--adopt-config', ...flags);
  expect(ran.code, ran.err).toBe(4);
  const { code, diagnosis } = await diagnosed(dir, flags);
  expect(code).toBe(4);
  expect(diagnosis.findings).toContainEqual({
    urgency: 'warning',
    check: 'sources',
    problem: expect.stringMatching(/tvl \(tvl_reading\) fails: .*gone\.csv: the file does not exist/),
    todo: expect.stringMatching(/npm run jobs -- run --config gone\.json/),
  });
});

const isRoot = process.getuid?.() === 0;
test.skipIf(!isRoot)('a file of another user, however deep', async () => {
  const dir = copyOf('foreign');
  chownSync(landedIn(dir), 1_234, 1_234);
  const { code, diagnosis } = await diagnosed(dir);
  expect(code).toBe(4);
  expect(diagnosis.findings).toContainEqual(
    expect.objectContaining({
      check: 'folders',
      problem: expect.stringMatching(/landing\/.*parquet in .* does not belong/),
    }),
  );
});

const OTHER_USER = 65_534;
/** Whether another user can start the programs: not from a folder that only its owner may enter. */
const isOpenToOthers =
  isRoot && spawnSync('test', ['-x', process.execPath], { uid: OTHER_USER, gid: OTHER_USER }).status === 0;

test.skipIf(!isOpenToOthers).each([
  ['write', 0o705],
  ['read', 0o703],
])('a folder of another user, who lets no one %s', async (right, mode) => {
  const dir = copyOf('of-root');
  chmodSync(dir, mode);
  const other = new ProgramRuns({ cwd, settings: ['--config', 'my.json', '--port', '0'], uid: OTHER_USER });
  chmodSync(cwd, 0o755);
  const { code, diagnosis } = await diagnosed(dir, [], other);
  expect(code).toBe(1);
  expect(diagnosis.findings).toContainEqual({
    urgency: 'critical',
    check: 'folders',
    problem: expect.stringMatching(`may not ${right} .* which belongs to user 0`),
    todo: expect.stringMatching(/^Run as user 0, or give this user the right/),
  });
});

test.skipIf(!isRoot || spawnSync('mount', ['--help']).error !== undefined)(
  'a file system that is mounted read-only',
  async ({ skip }) => {
    const dir = copyOf('mounted');
    const isMounted =
      spawnSync('mount', ['--bind', dir, dir]).status === 0 &&
      spawnSync('mount', ['-o', 'remount,bind,ro', dir]).status === 0;
    onTestFinished(() => void spawnSync('umount', [dir]));
    if (!isMounted) skip('this machine lets no one mount');
    const { code, diagnosis } = await diagnosed(dir);
    expect(code).toBe(1);
    expect(diagnosis.findings).toContainEqual(
      expect.objectContaining({
        urgency: 'critical',
        check: 'folders',
        problem: expect.stringMatching(/mounted read-only/),
      }),
    );
  },
);

test('a clock that has gone back', async () => {
  const hour = `const now = Date.now; Date.now = () => now() - 3_600_000;`;
  const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(hour)}` };
  const early = new ProgramRuns({ cwd, settings: ['--config', 'my.json', '--port', '0'], env });
  const { code, diagnosis } = await diagnosed(sound, [], early);
  expect(code).toBe(1);
  expect(diagnosis.findings).toContainEqual(
    expect.objectContaining({
      urgency: 'critical',
      problem: expect.stringMatching(/clock of this machine is .* behind what was written last/),
    }),
  );
});

test('a server that is not ready', async () => {
  const server = createServer((_, response) => response.writeHead(503).end());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const { code, diagnosis } = await diagnosed(sound, ['--port', String(port)]);
  expect(code).toBe(1);
  expect(diagnosis.findings[0]).toMatchObject({
    check: 'server',
    problem: expect.stringContaining('answers 503'),
  });
});
