// A backup that someone else wrote, with the right hash: whatever it names, it is refused as damaged, or its files stay in the data folder.
import { join, sep } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Backup, parseBackup, textOfBackup } from '../../../operations/backup/backup-form.ts';
import { Repository } from '../../../operations/backup/repository.ts';
import { RESTORING } from '../../../platform/processes/data-folder.ts';
import { canonicalJson, sha256Hex } from '../../../platform/storage/canonical.ts';
import { nodeDisk } from '../../../platform/storage/disk.ts';
import { DamagedFileError, RefusedInputError } from '../../../platform/storage/errors.ts';
import { FolderObjectStore } from '../../../platform/storage/folder-store.ts';
import { anyCharacter } from '../../support/any-character.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const ID = '01HZX3K9Q4T2V7B8N6M5P1R0SD';
const HASH = 'a'.repeat(64);
const file = (path: unknown, more: object = {}) => ({
  path,
  sha256: HASH,
  bytes: 1,
  pieces: [HASH],
  ...more,
});
const GOOD: Backup = {
  format: 1,
  id: ID,
  program: '1.0.0',
  begun_at: '2026-03-01T00:00:00.000Z',
  ended_at: '2026-03-01T00:00:01.000Z',
  formats: null,
  version: null,
  as_of: null,
  events: 0,
  last_event_id: null,
  has_store: false,
  config: null,
  key_mark: null,
  files: [file('landing/a.parquet') as Backup['files'][number]],
};

/** As a hostile writer makes it: the hash is that of the content. */
function parsed(more: object): Backup {
  const backup = JSON.parse(JSON.stringify({ ...GOOD, ...more }));
  const text = JSON.stringify({ backup, sha256: sha256Hex(canonicalJson(backup)) });
  return parseBackup(Buffer.from(text), { id: ID, file: 'backups/x.json', program: '1.0.0' });
}

const part = fc.oneof(
  fc.constantFrom('..', '.', '', 'ops', 'landing', RESTORING, 'a\0b', '\u001b[2J', 'a\\b', 'é', '\ud800'),
  fc.string({ unit: anyCharacter, maxLength: 8 }),
);
const path = fc.oneof(
  fc.array(part, { minLength: 1, maxLength: 5 }).map((parts) => parts.join('/')),
  fc.constantFrom('/etc/passwd', '../x', '', null, 5, {}),
);

test('no path leads out of the data folder, and no two files share a place', () => {
  fc.assert(
    fc.property(fc.array(path, { maxLength: 5 }), (paths) => {
      try {
        const { files } = parsed({ files: paths.map((one) => file(one)) });
        const targets = files.map((one) => join('/restored', one.path));
        for (const target of targets) expect(target.startsWith(`/restored${sep}`)).toBe(true);
        expect(new Set(targets).size).toBe(targets.length);
        for (const target of targets)
          expect(targets.some((other) => other.startsWith(`${target}${sep}`))).toBe(false);
      } catch (error) {
        if (!(error instanceof DamagedFileError)) throw error;
        // biome-ignore lint/suspicious/noControlCharactersInRegex: a message acts on no terminal
        expect(error.message).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
      }
    }),
    { numRuns: 300 },
  );
});

test.each<[string, object]>([
  ['files that are no list', { files: {} }],
  ['files that are null', { files: [null] }],
  ['no files', { files: undefined }],
  ['a piece that is a path', { files: [file('a', { pieces: ['../../../etc/passwd'] })] }],
  ['a piece that is a number', { files: [file('a', { pieces: [5] })] }],
  ['pieces that are text', { files: [file('a', { pieces: HASH })] }],
  ['a negative size', { files: [file('a', { bytes: -1 })] }],
  ['a size that is text', { files: [file('a', { bytes: '1' })] }],
  ['a configuration outside the backup', { config: '../../tmp/evil.json' }],
  ['a configuration that is no text', { config: ['a'] }],
  ['a key mark that is no text', { key_mark: {} }],
  ['formats that are text', { formats: 'x' }],
  ['the same file twice', { files: [file('a'), file('a')] }],
  ['a file that is a folder too', { files: [file('a'), file('a/b')] }],
])('a backup with %s is refused as damaged', (_, more) => {
  expect(() => parsed(more)).toThrow(DamagedFileError);
});

test('what this program writes is accepted', () => {
  const given = {
    ...GOOD,
    config: 'config/my.json',
    files: [...GOOD.files, file('config/my.json')],
  } as Backup;
  const text = Buffer.from(textOfBackup(given));
  expect(parseBackup(text, { id: ID, file: 'x', program: '1.0.0' })).toEqual(given);
});

test.each([
  ['{"id":"x","at_ms":8000000000000000}', true],
  ['{"id":"x","at_ms":"soon"}', true],
  ['null', true],
  ['[]', true],
  ['not JSON', true],
  ['{"id":"x","at_ms":880000}', false],
  ['{"id":"x","at_ms":879999}', true],
  ['{"id":"x","at_ms":1120000}', false],
  ['{"id":"x","at_ms":1120001}', true],
])('the mark of a running backup %s: a new one may begin: %s', async (text, mayBegin) => {
  const store = new FolderObjectStore(nodeDisk, temporaryFolder('marks'));
  await store.replace('running.json', Buffer.from(text));
  const begun = new Repository(store, { nowMs: () => 1_000_000, program: '1' }).begin(ID);
  if (mayBegin) await begun;
  else await expect(begun).rejects.toThrow(RefusedInputError);
});
