// Checks of the doctor where it runs with the programs: on the host of a server, and in a pod with mounted volumes and keys.
import { chmodSync, chownSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { checkServer } from '../../operations/doctor/check-engines.ts';
import { checkFolders } from '../../operations/doctor/check-folders.ts';
import { checkFormats } from '../../operations/doctor/check-formats.ts';
import { checkKeys } from '../../operations/doctor/check-keys.ts';
import type { Settings } from '../../platform/settings/settings.ts';
import { freePort } from '../support/free-port.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const USER = 10_001;

function settingsOf(dir: string, change: Partial<Settings> = {}): Settings {
  return {
    ...{ data_dir: dir, work_dir: dir, snapshot_store: '', snapshot_dir: join(dir, 'snapshots') },
    ...{ ops_store: join(dir, 'ops/ops.sqlite'), seal_key_file: join(dir, 'ops/seal.key') },
    ...{ landing_key_file: join(dir, 'landing.key'), backup_key_file: join(dir, 'backup.key') },
    ...{ data_store: '', profile: 'files', host: '127.0.0.1', port: 0, ...change },
  } as Settings;
}

function write(file: string, mode: number, owner?: number): void {
  mkdirSync(dirname(file), { recursive: true });
  // Also a key.
  writeFileSync(file, 'ab'.repeat(32));
  chmodSync(file, mode);
  if (owner !== undefined) chownSync(file, owner, USER);
}

test('no server answers: critical where its store is, a notice where it may run elsewhere', async () => {
  const dir = temporaryFolder('doctor-server');
  const settings = settingsOf(dir, { port: await freePort() });
  const urgencies = async (one: Settings) => (await checkServer(one)).map(({ urgency }) => urgency);
  expect(await urgencies(settings)).toEqual(['notice']);
  write(settings.ops_store, 0o600);
  expect(await urgencies(settings)).toEqual(['critical']);
  expect(await urgencies({ ...settings, port: 0 })).toEqual([]);
  expect(await urgencies({ ...settings, ops_store: 'postgres://risk@db.example/risk' })).toEqual(['notice']);
});

test('a server that answers is ready or critical', async () => {
  let status = 200;
  const server = createServer((_, response) => response.writeHead(status).end());
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const settings = settingsOf(temporaryFolder('doctor-server'), {
    port: (server.address() as AddressInfo).port,
  });
  expect(await checkServer(settings)).toEqual([]);
  status = 503;
  expect(await checkServer(settings)).toMatchObject([{ urgency: 'critical' }]);
});

const isRoot = process.getuid?.() === 0;

test.skipIf(!isRoot)(
  'a key of root is for its group, one of the programs for no one else (skipped unless root)',
  async () => {
    const settings = settingsOf(temporaryFolder('doctor-keys'));
    const found = async (mode: number, owner: number, user: number) => {
      write(settings.landing_key_file, mode, owner);
      return (await checkKeys(settings, user)).length;
    };
    expect(await found(0o440, 0, USER)).toBe(0);
    expect(await found(0o444, 0, USER)).toBe(1);
    expect(await found(0o440, USER, USER)).toBe(1);
    expect(await found(0o400, USER, USER)).toBe(0);
    // Root reads everything, so the group is not how it does.
    expect(await found(0o440, 0, 0)).toBe(1);
    expect(await found(0o440, USER, 0)).toBe(1);
  },
);

test.skipIf(!isRoot)(
  'a folder of root holds files of the programs, and no others (skipped unless root)',
  async () => {
    const dir = temporaryFolder('doctor-folders');
    const settings = settingsOf(dir, { ops_store: join(dir, 'ops.sqlite'), snapshot_dir: dir });
    mkdirSync(join(dir, 'lost+found'));
    write(join(dir, 'ledger.ndjson'), 0o600, USER);
    expect(await checkFolders(settings, USER)).toEqual([]);
    write(join(dir, 'jobs.lock'), 0o600, 0);
    expect(await checkFolders(settings, USER)).toMatchObject([
      {
        urgency: 'warning',
        problem: expect.stringContaining('jobs.lock in'),
        todo: expect.stringContaining(`chown -R ${USER} `),
      },
    ]);
    // Where the programs are root's, so are all files.
    expect(await checkFolders(settings, 0)).toMatchObject([
      { problem: expect.stringContaining('ledger.ndjson') },
    ]);
    chownSync(dir, USER, USER);
    expect(await checkFolders(settings, USER)).toMatchObject([
      { problem: expect.stringContaining('jobs.lock') },
    ]);
  },
);

const RECORD = {
  formats: { landing: 1, ledger: 1, snapshots: 1, warehouse: 1 },
  profile: 'files',
  config: { paths: [{ absolute: '/etc/risk/my.json', from_folder: '../none.json' }], sha256: '' },
  program: '1.0.0',
};

test('landing that is gone, or holds nothing, although rows have landed', async () => {
  const dir = temporaryFolder('doctor-landing');
  const settings = settingsOf(dir, { ops_store: join(dir, 'ops.sqlite'), snapshot_dir: dir });
  const user = process.getuid?.() ?? -1;
  const lost = [{ urgency: 'critical', problem: expect.stringMatching(/landing holds nothing, although/) }];
  expect(await checkFolders(settings, user)).toEqual([]);
  writeFileSync(join(dir, 'installation.json'), JSON.stringify(RECORD));
  expect(await checkFolders(settings, user)).toMatchObject(lost);
  mkdirSync(join(dir, 'landing/.tmp'), { recursive: true });
  expect(await checkFolders(settings, user)).toMatchObject(lost);
  expect(await checkFolders({ ...settings, data_store: 's3://shared/risk' }, user)).toEqual([]);
  mkdirSync(join(dir, 'landing/feed_round'));
  expect(await checkFolders(settings, user)).toEqual([]);
});

test('a doctor with other settings than those of the programs says so', async () => {
  const dir = temporaryFolder('doctor-use');
  const settings = settingsOf(dir);
  const found = async (change: Partial<Settings>, config: string | null) =>
    (await checkFormats({ ...settings, ...change }, '1.0.0', config)).map(
      ({ urgency, problem }) => `${urgency}: ${problem}`,
    );
  expect(await found({}, null)).toEqual([]);
  writeFileSync(join(dir, 'installation.json'), JSON.stringify(RECORD));
  expect(await found({}, 'my.json')).toEqual([]);
  expect(await found({ profile: 'demo' }, null)).toEqual([
    `warning: ${dir} is written with the configuration /etc/risk/my.json, and this command has none.`,
  ]);
  expect(await found({ profile: 'demo' }, 'my.json')).toEqual([
    `critical: ${dir} is of profile files, and this command has profile demo.`,
  ]);
});
