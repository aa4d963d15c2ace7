import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { migrate, migrationSteps } from '../../../server/store/sqlite/migrate.ts';

const steps = migrationSteps();
const tablesOf = (db: DatabaseSync) =>
  db.prepare(`select name from sqlite_schema where type = 'table' order by name`).all();
const versionOf = (db: DatabaseSync) => db.prepare('pragma user_version').get();

test('steps are numbered without a gap and applied in order', () => {
  const db = new DatabaseSync(':memory:');
  migrate(db, 'x', steps);
  expect(versionOf(db)).toEqual({ user_version: steps.length });
  expect(tablesOf(db)).toEqual(expect.arrayContaining([{ name: 'api_key' }, { name: 'audit_entry' }]));
});

test('a store of any earlier version migrates to the same tables', () => {
  const whole = new DatabaseSync(':memory:');
  migrate(whole, 'x', steps);
  for (let from = 1; from < steps.length; from++) {
    const db = new DatabaseSync(':memory:');
    migrate(db, 'x', steps.slice(0, from));
    expect(versionOf(db)).toEqual({ user_version: from });
    migrate(db, 'x', steps);
    expect(tablesOf(db)).toEqual(tablesOf(whole));
  }
});

test('a step that fails rolls back the steps before it, and the next start retries them', () => {
  const db = new DatabaseSync(':memory:');
  expect(() => migrate(db, 'x', ['create table a (x)', 'create table b (', 'create table c (x)'])).toThrow();
  expect(tablesOf(db)).toEqual([]);
  expect(versionOf(db)).toEqual({ user_version: 0 });
  migrate(db, 'x', ['create table a (x)', 'create table b (x)']);
  expect(tablesOf(db)).toEqual([{ name: 'a' }, { name: 'b' }]);
});

test('a store that is up to date is not written to', () => {
  const db = new DatabaseSync(':memory:');
  migrate(db, 'x', steps);
  db.exec('pragma query_only = 1');
  migrate(db, 'x', steps);
});

test('a store of an earlier format is upgraded with one notice, and one of a later format is refused', () => {
  const steps = ['create table a (x)', 'create table b (x)', 'create table c (x)'];
  const db = new DatabaseSync(':memory:');
  const notices: unknown[] = [];
  const note = (upgrade: unknown) => notices.push(upgrade);
  migrate(db, 'x', steps.slice(0, 1), note);
  expect(notices).toEqual([]);
  migrate(db, 'x', steps, note);
  migrate(db, 'x', steps, note);
  expect(notices).toEqual([{ from: 1, to: 3 }]);
  expect(() => migrate(db, 'x', steps.slice(0, 2), note)).toThrow(
    'The store x has format 3, written by a newer version of this service; this one knows formats up to 2. Nothing was changed.',
  );
});
