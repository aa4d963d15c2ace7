import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { DuckDb } from '../../../../jobs/engine/duckdb/session.ts';
import { loadModels } from '../../../../jobs/pipeline/models/load-models.ts';
import { openScratchEngine } from '../../../support/case-duckdb.ts';
import { READING_SQL, type Scratch, scratch } from '../../../support/model-folder.ts';

let engine: DuckDb;
let folder: Scratch;
beforeEach(async () => {
  engine = await openScratchEngine();
  folder = scratch();
});
afterEach(async () => {
  folder.remove();
  await engine.close();
});

const head = (more = '') => `-- A row.\n-- kind: full   grain: a${more}\n`;
const load = (files: { readonly [name: string]: string }) =>
  loadModels(engine, [folder.domain('meters', files)]);
const problemOf = (files: { readonly [name: string]: string }) =>
  load(files).then(
    () => 'loaded',
    (error: Error) => error.message,
  );

test('a model is its file: name, header, and the tables that its SQL reads', async () => {
  const { models } = await load({
    'obs.reading.sql': READING_SQL,
    'derived.level.sql': `-- The level of one meter on one day,
-- carried over.
-- kind: window   grain: meter, day
-- time: day   order: day desc, meter
with before as (select * from derived.level where day = @start - 86400)
select r.meter, r.read_at - r.read_at % 86400 as day, r.level from obs.reading r left join before b on b.meter = r.meter`,
  });
  expect(models[1]).toMatchObject({
    name: 'derived.level',
    layer: 'derived',
    domain: 'meters',
    file: 'jobs/families/meters/derived.level.sql',
    about: 'The level of one meter on one day, carried over.',
    kind: 'window',
    grain: ['meter', 'day'],
    time: 'day',
    byHour: '',
    order: 'day desc, meter',
    reads: ['obs.reading'],
    readsSelf: true,
  });
  expect(models[0]).toMatchObject({
    name: 'obs.reading',
    order: 'meter, read_at',
    time: '',
    readsSelf: false,
  });
});

test('a window model may be replaced by the hour, another model may not', async () => {
  const hourly = (kind: string) =>
    load({
      'obs.reading.sql': READING_SQL,
      'derived.one.sql': `-- One.\n-- kind: ${kind}   grain: meter, read_at   time: read_at   by_hour: read_at   order: read_at, meter\nselect * from obs.reading`,
    });
  expect((await hourly('window')).models[1]).toMatchObject({
    time: 'read_at',
    byHour: 'read_at',
    order: 'read_at, meter',
  });
  await expect(hourly('full')).rejects.toThrow('only rows of a window are replaced by the hour');
});

test('events and audits are distinguished from models by their names', async () => {
  const { models, events, audits } = await load({
    'obs.reading.sql': READING_SQL,
    'obs.reading.audit.sql': '-- No level is below zero.\nselect * from obs.reading where level < 0',
    'event.meter.level.high.sql': '-- A level that is high.\nselect meter from obs.reading where level > 9',
  });
  expect(models).toHaveLength(1);
  expect(audits).toMatchObject([
    { name: 'obs.reading.audit', table: 'obs.reading', about: 'No level is below zero.' },
  ]);
  expect(events).toMatchObject([
    { name: 'event.meter.level.high', type: 'meter.level.high', reads: ['obs.reading'] },
  ]);
});

test('models come after what they read, and in the same order however the files are named', async () => {
  const { models } = await load({
    'out.a.sql': `${head()}select a from derived.a`,
    'derived.a.sql': `${head()}select a from derived.z join derived.m using (a)`,
    'derived.m.sql': `${head()}select a from derived.z`,
    'derived.z.sql': `${head()}select a from obs.b`,
    'obs.b.sql': `${head()}select meter as a from landing.reading`,
    'obs.a.sql': `${head()}select name as a from policy.limits`,
  });
  expect(models.map(({ name }) => name)).toEqual([
    'obs.a',
    'obs.b',
    'derived.z',
    'derived.m',
    'derived.a',
    'out.a',
  ]);
});

test('a cycle is shown in full', async () => {
  const circle = {
    'derived.a.sql': `${head()}select a from derived.b`,
    'derived.b.sql': `${head()}select a from derived.a`,
  };
  expect(await problemOf(circle)).toContain('derived.a -> derived.b -> derived.a: move what they share');
});

describe('a file that cannot be used is named with what to do', () => {
  const good = { 'obs.reading.sql': READING_SQL };
  test.each<readonly [string, string, string]>([
    ['obs.a.sql', 'select 1 as a', 'begin the file with a comment'],
    ['obs.a.sql', '-- A row.\nselect 1 as a', 'add a line `-- kind: view|full|window|merge|append'],
    ['obs.a.sql', '-- A row.\n-- kind: table   grain: a\nselect 1 as a', 'its kind is "table"'],
    ['obs.a.sql', '-- A row.\n-- kind: full\nselect 1 as a', 'its grain is missing'],
    ['obs.a.sql', '-- A row.\n-- kind: window   grain: a\nselect 1 as a', 'needs `time: column`'],
    ['obs.a.sql', `${head()}select 1 as a; select 2`, 'Write one SELECT; there are 2.'],
    ['obs.a.sql', `${head()}select from`, 'syntax error'],
    [
      'obs.a.sql',
      `${head()}select @begin as a`,
      '@begin is not a parameter: the parameters are @start, @end, @now',
    ],
    ['obs.a.sql', `${head()}select a from reading`, '"reading" needs its schema'],
    ['obs.a.sql', `${head()}select a from landing.other`, 'which is not a raw table of its own domain'],
    ['obs.a.sql', `${head()}select a from policy.other`, 'which is not a policy table'],
    ['obs.a.sql', `${head()}select a from obs.reading`, 'but obs may read only landing, policy'],
    [
      'derived.a.sql',
      `${head()}select a from landing.reading`,
      'but derived may read only obs, derived, policy',
    ],
    ['derived.a.sql', `${head()}select a from derived.a`, 'only a window model may'],
    ['derived.a.sql', `${head()}select a from obs.nothing`, 'which no model builds'],
    ['out.a.sql', `${head()}select a from out.b`, 'but out may read only obs, derived'],
    ['event.a.b.sql', '-- A row.\nselect a from out.b', 'but event may read only obs, derived'],
    ['obs.b.audit.sql', '-- Nothing.\nselect 1 as a', 'no model obs.b to audit'],
    ['raw.a.sql', `${head()}select 1 as a`, 'name it <layer>.<table>.sql'],
    ['Obs.A.sql', `${head()}select 1 as a`, 'name it <layer>.<table>.sql'],
  ])('%s: %j', async (name, sql, message) => {
    const problem = await problemOf({ ...good, [name]: sql });
    expect(problem).toContain(`jobs/families/meters/${name}: `);
    expect(problem).toContain(message);
  });
});

test('all faulty files are named at once', async () => {
  const problem = await problemOf({ 'obs.a.sql': 'select 1', 'obs.b.sql': 'select 1' });
  expect(problem).toMatch(/obs\.a\.sql.*\n.*obs\.b\.sql/);
});

test('a table that two domains define is refused', async () => {
  const files = { 'obs.a.sql': `${head()}select name as a from policy.limits` };
  const both = loadModels(engine, [folder.domain('one', files), folder.domain('two', files)]);
  await expect(both).rejects.toThrow(
    /jobs\/families\/one\/obs\.a\.sql: obs\.a is defined twice, also in jobs\/families\/two\/obs\.a\.sql/,
  );
});

test('an audit stops a publication unless its header says that it warns', async () => {
  const { audits } = await load({
    'obs.reading.sql': READING_SQL,
    'obs.reading.audit.sql': '-- No reading is low.\nselect 1 as a from obs.reading',
    'derived.level.sql': `${head()}select 1 as a from obs.reading`,
    'derived.level.audit.sql': '-- No level is odd.\n-- verdict: warn\nselect 1 as a from derived.level',
  });
  expect(audits.map(({ name, about, verdict }) => [name, about, verdict])).toEqual([
    ['derived.level.audit', 'No level is odd.', 'warn'],
    ['obs.reading.audit', 'No reading is low.', 'fail'],
  ]);
});

test('an unknown verdict is named', async () => {
  const files = {
    'obs.reading.audit.sql': '-- No reading is low.\n-- verdict: mild\nselect 1 as a from obs.reading',
  };
  expect(await problemOf({ 'obs.reading.sql': READING_SQL, ...files })).toContain('its verdict is "mild"');
});
