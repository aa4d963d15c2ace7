import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { FieldMapping } from '../../../../jobs/define/source.ts';
import { development, developmentScores } from '../../../../jobs/families/development/domain.ts';
import { type DomainWorld, exampleConfig, openDomainWorld } from '../../../support/domain-world.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

let world: DomainWorld;
let dir: string;
beforeEach(async () => {
  world = await openDomainWorld(development);
  dir = temporaryFolder('development');
});
afterEach(async () => {
  await world.close();
  rmSync(dir, { recursive: true, force: true });
});

interface Source {
  readonly table: string;
  readonly fields: { readonly [field: string]: string | FieldMapping };
}
const HEADER =
  'commit,author_time,committer_time,author_hash,is_bot,n_parents,files_changed,insertions,deletions';
const commit = (
  no: number,
  more: { time?: string; author?: string; bot?: string; parents?: string } = {},
) => {
  const { time = '2026-01-31T10:00:00Z', author = 'a1', bot = '0', parents = '1' } = more;
  return `${no.toString(16).padStart(40, 'a')},${time},${time},${author},${bot},${parents},1,2,3`;
};

/** Lands lines as the commit log of the example configuration. */
function land(lines: readonly (string | Buffer)[]) {
  const { table, fields } = exampleConfig('development').sources[
    'yearn-ydaemon-commits'
  ] as unknown as Source;
  const path = join(dir, 'commits.csv');
  writeFileSync(
    path,
    Buffer.concat([HEADER, ...lines].map((line) => Buffer.concat([Buffer.from(line), Buffer.from('\n')]))),
  );
  const mapped = Object.entries(fields).map(([field, from]) => [
    field,
    typeof from === 'string' ? { from } : from,
  ]);
  return world.land(table, { kind: 'file', path, format: 'csv', fields: Object.fromEntries(mapped) });
}

test('a commit is of its UTC day in whatever zone and on whichever side of a change of clocks it was made', async () => {
  await land([
    commit(1, { time: '2026-03-29T01:59:59+01:00' }),
    commit(2, { time: '2026-03-29T00:30:00+02:00' }),
    commit(3, { time: '2026-03-28T20:00:00-04:00' }),
    commit(4, { time: '2026-03-28T19:59:59-04:00' }),
    commit(5, { time: '2026-03-29 05:29:59+05:30' }),
  ]);
  const rows = await world.rows('select committed_at, day from obs.development_commit order by commit_id');
  const iso = (at: unknown) => new Date(Number(at) * 1000).toISOString().slice(0, 10);
  expect(rows.map((row) => iso(row['day']))).toEqual([
    '2026-03-29',
    '2026-03-28',
    '2026-03-29',
    '2026-03-28',
    '2026-03-28',
  ]);
});

test.each([
  ['a date of another style', commit(1, { time: '31/01/2026 10:00' }), /^committed_at: not a time/],
  ['a day there is none of', commit(1, { time: '2026-02-30T10:00:00Z' }), /^committed_at: not a time/],
  [
    'a time after the fetch',
    commit(1, { time: '2099-01-31T10:00:00Z' }),
    /^committed_at: later than the fetch/,
  ],
  ['no author', commit(1, { author: '' }), /^author: missing/],
  [
    "an author's address",
    commit(1, { author: 'someone@example.org' }),
    /^author: must be text of at most 128 characters without spaces and `@`/,
  ],
  ['no number of parents', commit(1, { parents: '' }), /^parents: missing/],
  ['half a parent', commit(1, { parents: '0.5' }), /^parents: not an integer/],
  ['a hash that is none', commit(1).replace(/^a+/, 'zz'), /^commit_id: must be 7 to 64 hexadecimal digits/],
  ['a word whether it is of a bot', commit(1, { bot: 'maybe' }), /^is_bot: not true or false/],
])('a commit with %s is in quarantine with its reason, its neighbour lands', async (_what, line, reason) => {
  const receipt = await land([line, commit(2)]);
  expect(receipt).toMatchObject({ rows_in: 2, rows_landed: 1, rows_quarantined: 1 });
  expect(Object.keys(receipt.reasons)).toEqual([expect.stringMatching(reason)]);
});

test('bytes that are no text are in quarantine, the rows around them land', async () => {
  const broken = Buffer.concat([Buffer.from(commit(2).replace(',a1,', ',')), Buffer.from([0xff, 0xfe])]);
  const receipt = await land([commit(1), broken, commit(3)]);
  expect(receipt).toMatchObject({ rows_in: 3, rows_landed: 2, rows_quarantined: 1 });
});

test('a day that comes twice counts once', async () => {
  const receipt = await land([commit(1), commit(2), commit(1), commit(2)]);
  expect(receipt).toMatchObject({ rows_in: 4, rows_landed: 2, rows_deduplicated: 2, rows_quarantined: 0 });
});

test('a commit that comes again with another author is a conflict', async () => {
  const receipt = await land([commit(1), commit(1, { author: 'b2' })]);
  expect(receipt).toMatchObject({ rows_landed: 1, rows_quarantined: 1 });
});

test('repositories without an owner and names with slashes are refused, capitals in a repository are not', async () => {
  const row = { kind: 'protocol', is_fork: false, observed_at: 5 };
  await world.landRows('development_repository', [
    { ...row, repository: 'Owner/Repo.JS', name: 'One' },
    { ...row, repository: 'norepo', name: 'Two' },
    { ...row, repository: 'a/b', name: 'Three/Four' },
    { ...row, repository: 'c/d', name: '../five' },
    { ...row, repository: 'e/f', name: 'Six', kind: 'exchange' },
  ]);
  expect(await world.rows('select repository, path from obs.development_repository')).toEqual([
    { repository: 'owner/repo.js', path: 'one' },
  ]);
});

test('commits of an unregistered repository give no score', async () => {
  await land([commit(1)]);
  const now = Date.UTC(2026, 1, 1) / 1000;
  await world.compute({ start: now - 30 * 86_400, end: now + 1, now });
  expect(await world.document(developmentScores, 'all')).toBeNull();
});
