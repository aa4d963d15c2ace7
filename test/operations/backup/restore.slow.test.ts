// `backup` and `restore` as processes: every flag, and every way in which a backup, a place or a target is not what it should be.
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { type Backup, textOfBackup } from '../../../operations/backup/backup-form.ts';
import { takeProcessLock } from '../../../platform/storage/process-lock.ts';
import { type ProgramResult, ProgramRuns } from '../../programs/run-program.ts';
import { minioProgram, startMinio } from '../../support/minio.ts';
import { postgresPrograms, startCluster } from '../../support/postgres-cluster.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

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

let cwd: string;
let dir: string;
let place: string;
let programs: ProgramRuns;
let key: string;
const config = () => ['--config', join(cwd, 'my.json')];
const on = (folder: string) => [...config(), '--data-dir', folder];
const restore = (...args: readonly string[]): Promise<ProgramResult> =>
  programs.run('restore', 'restore', ...args);

/** Names and bytes of all files that a restore must bring back. */
function contentsOf(folder: string, below = ''): Record<string, string> {
  const found: Record<string, string> = {};
  for (const entry of readdirSync(join(folder, below), { withFileTypes: true })) {
    const path = join(below, entry.name);
    if (
      /^(warehouse\.|tmp$|.*\.lock$|last-backup|backup\.key|snapshots\/(tmp|readers)|landing\/\.tmp|ops\/ops\.sqlite)/.test(
        path,
      )
    )
      continue;
    if (entry.isDirectory()) Object.assign(found, contentsOf(folder, path));
    else found[path] = readFileSync(join(folder, path)).toString('base64');
  }
  return found;
}

beforeAll(async () => {
  cwd = temporaryFolder('restore');
  dir = join(cwd, 'mine');
  place = join(cwd, 'backups');
  const now = Math.floor(Date.now() / 1000);
  writeFileSync(join(cwd, 'my.json'), JSON.stringify(CONFIG));
  writeFileSync(join(cwd, 'tvl.csv'), `at,usd\n${now - 600},5000000\n${now - 300},nothing\n`);
  programs = new ProgramRuns({ cwd, settings: [] });
  const ran = await programs.run('jobs', 'run', ...on(dir));
  expect([0, 4], ran.err).toContain(ran.code);
  const made = await programs.run('keys', 'create', '--org', 'acme', '--plan', 'team', '--json', ...on(dir));
  ({ key } = JSON.parse(made.out) as { key: string });
  const backup = await programs.run('backup', 'make', '--to', place, ...on(dir));
  expect(backup, backup.err).toMatchObject({ code: 0, err: expect.stringContaining('Keep a copy of it') });
});

const newestFile = (): string =>
  join(place, 'backups', readdirSync(join(place, 'backups')).sort().at(-1) ?? '');
const newest = (): Backup => (JSON.parse(readFileSync(newestFile(), 'utf8')) as { backup: Backup }).backup;
const pieceFile = (sha256: string): string => join(place, 'pieces', sha256.slice(0, 2), sha256);

/** Replaces the newest backup by another text until the test ends. */
function withBackup(text: string): void {
  const file = newestFile();
  const before = readFileSync(file);
  writeFileSync(file, text);
  onTestFinished(() => writeFileSync(file, before));
}

async function expectRefused(result: Promise<ProgramResult>, code: number, message: RegExp): Promise<void> {
  expect(await result).toMatchObject({ code, out: '', err: expect.stringMatching(message) });
}

test('a backup restores to the same files, and its keys are valid', async () => {
  const to = join(cwd, 'restored');
  const { code, out, err } = await restore('--from', place, '--to', to, ...on(dir));
  expect(code, err).toBe(0);
  expect(out).toContain(`npm start -- --config ${to}/config/my.json --data-dir ${to}`);
  expect(out).toContain(
    `put the backup key at ${to}/backup.key too, or name ${dir}/backup.key in BACKUP_KEY_FILE`,
  );
  const { 'config/my.json': configuration, ...files } = contentsOf(to);
  expect(files).toEqual(contentsOf(dir));
  expect(configuration).toBe(readFileSync(join(cwd, 'my.json')).toString('base64'));
  expect(statSync(join(to, 'ops/seal.key')).mode & 0o777).toBe(0o600);
  const listed = await programs.run('keys', 'list', '--json', ...on(to));
  expect(JSON.parse(listed.out)).toMatchObject([{ org: 'acme', prefix: key.slice(0, 12) }]);
  const audit = await programs.run('keys', 'audit', '--verify', ...on(to));
  expect(audit.code, audit.err).toBe(0);
});

test('no key of the installation is readable in a backup', () => {
  const keys = ['ops/seal.key', 'landing.key', 'backup.key'].map((name) =>
    readFileSync(join(dir, name), 'utf8').trim(),
  );
  const pieces = readdirSync(join(place, 'pieces'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name)).toString('latin1'));
  for (const secret of keys) expect(pieces.filter((piece) => piece.includes(secret))).toEqual([]);
});

test('a second backup adds next to nothing, and --keep removes the first', async () => {
  const first = newest().id;
  const { out } = await programs.run('backup', 'make', '--to', place, '--keep', '1', '--json', ...on(dir));
  const made = JSON.parse(out) as { id: string; bytes: number; added_bytes: number; removed: number };
  expect(made.removed).toBe(1);
  expect(made.added_bytes).toBeLessThan(made.bytes / 100);
  const listed = await programs.run('backup', 'list', '--from', place, '--json');
  expect(
    listed.out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).id),
  ).toEqual([made.id]);
  expect((await programs.run('backup', 'list', '--from', place)).out).toContain(`${made.id}  `);
  const intact = await programs.run('backup', 'verify', '--from', place, '--backup', made.id);
  expect(intact).toMatchObject({ code: 0, out: expect.stringContaining(`Backup ${made.id} is intact`) });
  await expectRefused(
    restore('--from', place, '--to', join(cwd, 'gone'), '--backup', first),
    2,
    /holds no backup 01/,
  );
});

describe('refused, with nothing restored', () => {
  const to = () => join(cwd, 'refused');
  const all = () => ['--from', place, '--to', to(), ...on(dir)];

  test('a folder that is not empty', async () => {
    await expectRefused(
      restore('--from', place, ...on(dir)),
      2,
      /mine is not empty: it holds .*Nothing was restored/,
    );
  });

  test('a place without backups', async () => {
    await expectRefused(restore('--from', join(cwd, 'nowhere'), '--to', to()), 2, /nowhere holds no backup/);
  });

  test('a missing backup key, and another one', async () => {
    const other = join(cwd, 'other.key');
    const withKey = [...all(), '--backup-key-file', other];
    await expectRefused(restore(...withKey), 2, /other\.key does not exist.*--backup-key-file/);
    writeFileSync(other, 'ab'.repeat(32));
    await expectRefused(restore(...withKey), 2, /other\.key is not the key of backup 01/);
    expect(existsSync(to())).toBe(false);
  });

  test('a changed, a cut and a missing piece, which `verify` finds too', async () => {
    const [piece = ''] = newest().files.find(({ path }) => path.endsWith('.parquet'))?.pieces ?? [];
    const before = readFileSync(pieceFile(piece));
    onTestFinished(() => writeFileSync(pieceFile(piece), before));
    const damages = [
      () => writeFileSync(pieceFile(piece), Buffer.from(before).fill(1, 10, 11)),
      () => truncateSync(pieceFile(piece), before.length - 1),
      () => rmSync(pieceFile(piece)),
    ];
    for (const damage of damages) {
      damage();
      await expectRefused(restore(...all()), 1, new RegExp(`${piece} is damaged.*Nothing was restored`));
      expect(readdirSync(to())).toEqual([]);
    }
    await expectRefused(programs.run('backup', 'verify', '--from', place), 1, /is damaged/);
  });

  test('a backup that is changed, cut or of another format', async () => {
    const backup = newest();
    withBackup(readFileSync(newestFile(), 'utf8').replace('"events":0', '"events":1'));
    await expectRefused(restore(...all()), 1, /damaged: expected backup 01.*found other contents/);
    withBackup(readFileSync(newestFile(), 'utf8').slice(0, 100));
    await expectRefused(restore(...all()), 1, /100 bytes that are not JSON/);
    withBackup(textOfBackup({ ...backup, format: 2, program: '9.0.0' }));
    await expectRefused(
      restore(...all()),
      1,
      /newer backup format 2, written by version 9\.0\.0; this is version .*reads format 1/,
    );
    withBackup(textOfBackup({ ...backup, format: 0, program: '0.0.1' }));
    await expectRefused(restore(...all()), 1, /older backup format 0, written by version 0\.0\.1/);
    withBackup(textOfBackup({ ...backup, program: '9.0.0', formats: { ...backup.formats, landing: 99 } }));
    await expectRefused(
      restore(...all()),
      1,
      /version 9\.0\.0 in a format that version .* does not know: landing 99/,
    );
    withBackup(textOfBackup({ ...backup, files: [{ path: '../x', sha256: '', bytes: 0, pieces: [] }] }));
    await expectRefused(restore(...all()), 1, /a file outside the data folder: \.\.\/x/);
  });
});

test('an interrupted restore leaves a folder that every program refuses, and can be repeated', async () => {
  const to = join(cwd, 'interrupted');
  expect((await restore('--from', place, '--to', to, ...on(dir))).code).toBe(0);
  mkdirSync(join(to, '.restoring'));
  renameSync(join(to, 'landing'), join(to, '.restoring/landing'));
  for (const [program, command] of [
    ['jobs', 'run'],
    ['keys', 'list'],
    ['server', 'serve'],
    ['start', 'start'],
    ['backup', 'make'],
  ] as const) {
    const more = command === 'make' ? ['--to', place] : [];
    const { code, err } = await programs.run(program, command, ...more, ...on(to));
    expect({ code, err }).toMatchObject({
      code: 2,
      err: expect.stringMatching(/A restore into .*interrupted/),
    });
  }
  expect((await restore('--from', place, '--to', to, ...on(dir))).code).toBe(0);
  const { 'config/my.json': _, ...files } = contentsOf(to);
  expect(files).toEqual(contentsOf(dir));
});

test('a damaged or missing original makes no backup', async () => {
  const landed = readdirSync(join(dir, 'landing'), { recursive: true, withFileTypes: true }).find(
    ({ name }) => name.endsWith('.parquet'),
  );
  const file = join(landed?.parentPath ?? '', landed?.name ?? '');
  const before = readFileSync(file);
  onTestFinished(() => writeFileSync(file, before));
  const fresh = ['--to', join(cwd, 'fresh'), ...on(dir)];
  writeFileSync(file, Buffer.from(before).fill(1, 10, 11));
  await expectRefused(
    programs.run('backup', 'make', ...fresh),
    1,
    /is damaged: expected sha256.*No backup was made/,
  );
  rmSync(file);
  await expectRefused(programs.run('backup', 'make', ...fresh), 1, /it is missing/);
  expect(existsSync(join(cwd, 'fresh/backups'))).toBe(false);
});

describe('no backup is made', () => {
  const to = () => ['--to', join(cwd, 'lacking')];
  const away = (path: string) => {
    renameSync(path, `${path}.away`);
    onTestFinished(() => {
      rmSync(path, { recursive: true, force: true });
      renameSync(`${path}.away`, path);
    });
  };
  const make = (...args: readonly string[]) => programs.run('backup', 'make', ...args);

  test('of versions that are gone, such as those on a disk that is not mounted', async () => {
    away(join(dir, 'snapshots'));
    mkdirSync(join(dir, 'snapshots'));
    await expectRefused(make(...to(), ...on(dir)), 2, /version 01.* was published, but .*snapshots holds no/);
  });

  test('of a folder that a newer version has written, and both versions are named', async () => {
    const file = join(dir, 'installation.json');
    const before = readFileSync(file, 'utf8');
    onTestFinished(() => writeFileSync(file, before));
    const newer = before.replace('"landing": 1', '"landing": 7');
    writeFileSync(file, newer.replace(/"program": "[^"]+"/, '"program": "9.0.0"'));
    await expectRefused(
      make(...to(), ...on(dir)),
      2,
      /version 9\.0\.0 wrote this folder, and this is version \d+\.\d+\.\d+, .*landing 7/,
    );
  });

  test('of a folder without anything, inside the folder, nowhere, and without its configuration', async () => {
    mkdirSync(join(cwd, 'empty'));
    await expectRefused(
      make(...to(), ...on(join(cwd, 'empty'))),
      2,
      /empty holds no installation.*--data-dir/,
    );
    await expectRefused(make('--to', join(dir, 'backups'), ...on(dir)), 2, /is inside .*Name another folder/);
    await expectRefused(make('--to', '', ...on(dir)), 2, /--to is empty.*BACKUP_TO/);
    await expectRefused(make(...to(), '--data-dir', dir), 2, /is written with the configuration .*my\.json/);
    expect(existsSync(join(dir, 'backups'))).toBe(false);
  });
});

test('a restore into a folder that cannot be made, or into which another one writes, does nothing', async () => {
  const all = ['--from', place, '--backup-key-file', join(dir, 'backup.key')];
  await expectRefused(restore(...all, '--to', '/proc/none'), 2, /\/proc\/none cannot be written.*--to/);
  await expectRefused(restore(...all, '--to', join(cwd, 'my.json')), 2, /my\.json is a file.*--to/);
  await expectRefused(restore(...all, '--to', ''), 2, /--to is empty/);
  const to = join(cwd, 'contested-restore');
  mkdirSync(to);
  const other = takeProcessLock(join(to, '.restore.lock'));
  await expectRefused(restore(...all, '--to', to), 2, /Another restore writes into .*contested-restore/);
  other?.release();
  const { code, out } = await restore(...all, '--to', to);
  expect(code).toBe(0);
  expect(out).toContain(`Relative paths in that configuration now begin at ${to}/config:`);
  expect(existsSync(join(to, '.restore.lock'))).toBe(false);
});

test('two backups at once in one place: one is made', async () => {
  const to = join(cwd, 'contested');
  mkdirSync(to);
  const mark = JSON.stringify({ id: '01M8DDXTP84HF7Q8F32W3YVXVC', at_ms: Date.now() });
  writeFileSync(join(to, 'running.json'), mark);
  await expectRefused(
    programs.run('backup', 'make', '--to', to, ...on(dir)),
    2,
    /Another backup, 01M8DDXTP84HF7Q8F32W3YVXVC, is being written/,
  );
  writeFileSync(join(to, 'running.json'), mark.replace(/\d{13}/, '1'));
  expect((await programs.run('backup', 'make', '--to', to, ...on(dir))).code).toBe(0);
});

test('--keep must be a number', async () => {
  const { code, err } = await programs.run('backup', 'make', '--to', place, '--keep', '0', ...on(dir));
  expect({ code, err }).toMatchObject({
    code: 2,
    err: expect.stringContaining('--keep: "0" is not a number'),
  });
});

test.runIf(minioProgram() !== undefined)('a backup in a bucket restores to the same files', async () => {
  const minio = await startMinio();
  onTestFinished(() => minio.stop());
  const inBucket = new ProgramRuns({ cwd, env: minio.env, settings: ['--s3-endpoint', minio.endpoint] });
  const address = `s3://${minio.bucket}/backups`;
  const made = await inBucket.run('backup', 'make', '--to', address, ...on(dir));
  expect(made.code, made.err).toBe(0);
  const to = join(cwd, 'from-bucket');
  const restored = await inBucket.run('restore', 'restore', '--from', address, '--to', to, ...on(dir));
  expect(restored.code, restored.err).toBe(0);
  const { 'config/my.json': _, ...files } = contentsOf(to);
  expect(files).toEqual(contentsOf(dir));
});

test.runIf(postgresPrograms() !== undefined)('a store in PostgreSQL is restored as a file', async () => {
  const cluster = await startCluster([]);
  if (cluster === undefined) throw new Error('PostgreSQL did not start.');
  onTestFinished(() => cluster.stop());
  const copied = await programs.run('server', 'copy-store', '--to', cluster.url, ...on(dir));
  expect(copied.code, copied.err).toBe(0);
  const made = await programs.run(
    'backup',
    'make',
    '--to',
    join(cwd, 'pg'),
    ...on(dir),
    '--ops-store',
    cluster.url,
  );
  expect(made.code, made.err).toBe(0);
  const to = join(cwd, 'from-pg');
  expect((await restore('--from', join(cwd, 'pg'), '--to', to, ...on(dir))).code).toBe(0);
  const audit = await programs.run('keys', 'audit', '--verify', ...on(to));
  expect(audit.code, audit.err).toBe(0);
  const listed = await programs.run('keys', 'list', '--json', ...on(to));
  expect(JSON.parse(listed.out)).toMatchObject([{ org: 'acme', prefix: key.slice(0, 12) }]);
});

test('every flag ran', () => {
  expect(programs.missing().filter((entry) => /^(backup|restore) /.test(entry))).toEqual([]);
});
