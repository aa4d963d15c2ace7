// Folders of earlier versions, which others could read, are closed; those of other users stay as they are.
import { chmodSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadConfig } from '../../../jobs/config.ts';
import { restrictAccess } from '../../../jobs/app/file-access.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const FOLDERS = ['landing', 'recordings', 'quarantine', 'snapshots'];
const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

function closed(file_access: string, user: number) {
  const dir = temporaryFolder('file-access');
  chmodSync(dir, 0o755);
  for (const name of [...FOLDERS, 'mirror']) {
    mkdirSync(join(dir, name));
    chmodSync(join(dir, name), 0o755);
  }
  writeFileSync(join(dir, 'ledger.ndjson'), '');
  chmodSync(join(dir, 'ledger.ndjson'), 0o644);
  const env = { DATA_DIR: dir, FILE_ACCESS: file_access };
  restrictAccess(loadConfig({ env, readFile: () => '' }), user);
  return [...[...FOLDERS, 'ledger.ndjson', 'mirror'].map((name) => modeOf(join(dir, name))), modeOf(dir)];
}

const own = process.getuid?.() ?? -1;

test.each([
  ['owner', own, ['700', '700', '700', '700', '600', '755', '755']],
  ['group', own, ['750', '750', '750', '750', '640', '755', '755']],
  ['owner', own + 1, ['755', '755', '755', '755', '644', '755', '755']],
])('with FILE_ACCESS=%s, for user %i', (file_access, user, modes) => {
  expect(closed(file_access, user)).toEqual(modes);
});
