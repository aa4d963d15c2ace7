// What no backup is made of, and where none is made: each message names the folder or the key, and what to do.
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { backupStoreAt, refusePlace } from '../../../operations/backup/place.ts';
import {
  refuseMissingLanding,
  refuseNoConfig,
  refuseOtherSealKey,
} from '../../../operations/backup/whole-installation.ts';
import { loadSettings } from '../../../platform/settings/load-settings.ts';
import type { Settings } from '../../../platform/settings/settings.ts';
import { AuditAnchor } from '../../../server/store/audit-anchor.ts';
import { makeSealer } from '../../../server/store/seal.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

let dir: string;
let settings: Settings;
beforeEach(() => {
  dir = temporaryFolder('refused');
  ({ settings } = loadSettings({ env: { DATA_DIR: join(dir, 'data') }, readFile: () => '' }));
  mkdirSync(join(dir, 'data/landing/feed_round'), { recursive: true });
  writeFileSync(join(dir, 'data/installation.json'), '{}');
});

const effects = () => ({ settings, env: {}, nowMs: () => 0, random: () => 0 });

test.each([
  ['', /--to is empty.*BACKUP_TO/],
  [' ', /--to is empty/],
  ['gs://bucket/x', /"gs:\/\/bucket\/x" is neither a folder nor a bucket/],
  ['S3://bucket/x', /neither a folder nor a bucket.*s3:\/\/bucket\/prefix/],
  ['file:///mnt', /neither a folder nor a bucket/],
])('no place is at %j', (address, message) => {
  expect(() => backupStoreAt(address, '--to', effects())).toThrow(message);
});

test.each(['', '/', '/backups', '/snapshots/backups', '/landing/deep/below', '/../data/backups', '/../link'])(
  'no place is inside the data folder: DATA_DIR%s',
  (below) => {
    symlinkSync(join(dir, 'data'), join(dir, 'link'));
    expect(() => refusePlace(`${settings.data_dir}${below}`, settings, 'x')).toThrow(
      /is inside .*data, which the backup is of.*Name another folder with --to/,
    );
  },
);

test.each(['/../backups', '-backups', '/../..data', '/..'])('a place may be at DATA_DIR%s', (path) => {
  refusePlace(`${settings.data_dir}${path}`, settings, 'x');
});

test('a place that is a file, or cannot be written, is named with what to do', () => {
  writeFileSync(join(dir, 'file'), '');
  for (const address of ['file', 'file/below'])
    expect(() => backupStoreAt(join(dir, address), '--from', effects())).toThrow(/file is a file.*--from/);
  expect(() => refusePlace('/proc/none', settings, 'x')).toThrow(/\/proc\/none cannot be written.*--to/);
});

test('a data folder that is gone, or has lost what landed', () => {
  refuseMissingLanding(settings, false);
  rmSync(join(dir, 'data/landing'), { recursive: true });
  expect(() => refuseMissingLanding(settings, false)).toThrow(/landing holds nothing.*Mount the folder/);
  refuseMissingLanding(settings, true);
  mkdirSync(join(dir, 'data/landing/.tmp'), { recursive: true });
  expect(() => refuseMissingLanding(settings, false)).toThrow(/landing holds nothing/);
  rmSync(join(dir, 'data/installation.json'));
  refuseMissingLanding(settings, false);
  rmSync(join(dir, 'data'), { recursive: true });
  expect(() => refuseMissingLanding(settings, false)).toThrow(/data does not exist.*--data-dir/);
});

test('a landing key that is missing, cut or another one, once names were hashed with it', () => {
  const key = settings.landing_key_file;
  mkdirSync(join(dir, 'data/landing/social_message'), { recursive: true });
  writeFileSync(join(dir, 'data/landing/key-fingerprint.txt'), 'other\n');
  expect(() => refuseMissingLanding(settings, false)).toThrow(/landing\.key: the key is missing/);
  writeFileSync(key, 'ab'.repeat(31));
  expect(() => refuseMissingLanding(settings, false)).toThrow(/not a key/);
  writeFileSync(key, 'ab'.repeat(32));
  expect(() => refuseMissingLanding(settings, false)).toThrow(/hashed with a different key/);
});

test('a seal key that is missing, cut or not that of the store', () => {
  const { seal_key_file: key, ops_store: store } = settings;
  mkdirSync(join(dir, 'data/ops'));
  const head = { seq: 1, hash: 'a'.repeat(64) };
  const sealer = (byte: number) => makeSealer(new Uint8Array(32).fill(byte), () => new Uint8Array());
  new AuditAnchor(store, sealer(1)).write(head);
  expect(() => refuseOtherSealKey(settings)).toThrow(/seal\.key is missing.*No backup was made/);
  writeFileSync(key, '01');
  expect(() => refuseOtherSealKey(settings)).toThrow(/not a key/);
  writeFileSync(key, '02'.repeat(32));
  expect(() => refuseOtherSealKey(settings)).toThrow(/belongs to another installation/);
  writeFileSync(key, '01'.repeat(32));
  refuseOtherSealKey(settings);
});

test('a folder that is written with a configuration, by a command that has none', () => {
  const config = { paths: [{ absolute: '/etc/risk/my own.json', from_folder: '../none.json' }], sha256: '' };
  expect(() => refuseNoConfig({ config }, null, '/data')).toThrow(
    /Add --config '\/etc\/risk\/my own\.json'\.$/,
  );
  refuseNoConfig({ config }, 'other.json', '/data');
  refuseNoConfig({ config: null }, null, '/data');
  refuseNoConfig(null, null, '/data');
});
