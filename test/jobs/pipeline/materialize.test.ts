import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Engine } from '../../../jobs/engine/engine.ts';
import { bindPolicy } from '../../../jobs/pipeline/bind.ts';
import { absorb, materialize, notAbsorbed } from '../../../jobs/pipeline/materialize.ts';
import { loadModels, type Model } from '../../../jobs/pipeline/model.ts';
import { prepareTables } from '../../../jobs/pipeline/model-table.ts';
import { openScratchEngine } from '../../support/case-duckdb.ts';
import { limitTable, READING_SQL, readingTable, type Scratch, scratch } from '../../support/model-folder.ts';

const DAY = 86_400;
const span = (start: number, end: number) => ({ start, end, now: end - 1 });
const ALL = span(0, 100 * DAY);

let engine: Engine;
let folder: Scratch;
let models: readonly Model[];
beforeEach(async () => {
  engine = await openScratchEngine();
  folder = scratch();
  await bindPolicy(engine, limitTable, [['high', 9]]);
});
afterEach(async () => {
  folder.remove();
  await engine.close();
});

async function prepare(files: { readonly [name: string]: string }) {
  ({ models } = await loadModels(engine, [
    folder.domain('meters', { 'obs.reading.sql': READING_SQL, ...files }),
  ]));
  return prepareTables(engine, { models, raw: [readingTable] });
}

const model = (name: string): Model => {
  const found = models.find((one) => one.name === name);
  if (found === undefined) throw new Error(`no model ${name}`);
  return found;
};
const absorbFiles = (files: readonly string[]) =>
  absorb(engine, model('obs.reading'), { raw: readingTable, files, parameters: ALL });
const rows = (name: string) => engine.rows(`select * from ${name}`);

describe('append', () => {
  beforeEach(() => prepare({}));

  test('absorbs the rows of new files in order, and says which time they span', async () => {
    const file = await folder.land(engine, 'a', [
      ['M2', 20, 1],
      ['m1', 30, 2],
      ['m1', 10, 3],
    ]);
    expect(await absorbFiles([file])).toEqual({ files: 1, rows: 3, firstTime: 10, lastTime: 30 });
    expect(await rows('obs.reading')).toEqual([
      { meter: 'm1', read_at: 10, level: 3 },
      { meter: 'm1', read_at: 30, level: 2 },
      { meter: 'm2', read_at: 20, level: 1 },
    ]);
  });

  test('a file is absorbed once, whatever folder it is in', async () => {
    const a = await folder.land(engine, 'a', [['m', 1, 1]]);
    const b = await folder.land(engine, 'b', [['m', 2, 2]]);
    await absorbFiles([a]);
    expect(await notAbsorbed(engine, model('obs.reading'), [a, b, '/elsewhere/a.parquet'])).toEqual([b]);
    expect(await absorbFiles([a, b])).toEqual({ files: 1, rows: 1, firstTime: 2, lastTime: 2 });
    expect(await absorbFiles([a, b])).toEqual({ files: 0, rows: 0, firstTime: null, lastTime: null });
    expect(await rows('obs.reading')).toHaveLength(2);
  });

  test('a file without rows that the model keeps is absorbed too', async () => {
    const file = await folder.land(engine, 'late', [['m', 101 * DAY, 1]]);
    expect(await absorbFiles([file])).toEqual({ files: 1, rows: 0, firstTime: null, lastTime: null });
    expect(await notAbsorbed(engine, model('obs.reading'), [file])).toEqual([]);
  });

  test('rows that share a grain are refused with their key, and neither rows nor files are kept', async () => {
    const file = await folder.land(engine, 'a', [
      ['M', 7, 1],
      ['m', 7, 2],
    ]);
    await expect(absorbFiles([file])).rejects.toThrow(
      'jobs/meters/obs.reading.sql: rows share one meter, read_at: [{"meter":"m","read_at":7}]',
    );
    expect(await rows('obs.reading')).toEqual([]);
    expect(await notAbsorbed(engine, model('obs.reading'), [file])).toEqual([file]);
  });

  test('a damaged file takes its whole batch back', async () => {
    const good = await folder.land(engine, 'a', [['m', 1, 1]]);
    await expect(absorbFiles([good, `${folder.dir}/not-there.parquet`])).rejects.toThrow('not-there');
    expect(await absorbFiles([good])).toMatchObject({ rows: 1 });
  });

  test('it is not computed like other models', async () => {
    await expect(materialize(engine, model('obs.reading'), ALL)).rejects.toThrow('it absorbs landed files');
  });
});

describe('window', () => {
  const DAILY = `-- Readings of one day.
-- kind: window   grain: meter, day   time: day   order: day, meter
select meter, read_at - read_at % 86400 as day, cast(count(*) as bigint) as n from obs.reading
where read_at >= @start and read_at < @end group by meter, read_at - read_at % 86400`;

  test('computes its own days again and leaves the others alone', async () => {
    await prepare({ 'derived.daily.sql': DAILY });
    await absorbFiles([
      await folder.land(engine, 'a', [
        ['m', 1, 1],
        ['m', DAY + 1, 1],
        ['m', 2 * DAY, 1],
      ]),
    ]);
    expect(await materialize(engine, model('derived.daily'), span(0, 3 * DAY))).toBe(3);
    await engine.execute('update derived.daily set n = 100');
    await absorbFiles([await folder.land(engine, 'b', [['m', DAY + 2, 1]])]);
    expect(await materialize(engine, model('derived.daily'), span(DAY, 2 * DAY))).toBe(1);
    expect(await rows('derived.daily')).toEqual(
      expect.arrayContaining([
        { meter: 'm', day: 0, n: 100 },
        { meter: 'm', day: DAY, n: 2 },
        { meter: 'm', day: 2 * DAY, n: 100 },
      ]),
    );
  });

  test('gives the same rows however often it runs', async () => {
    await prepare({ 'derived.daily.sql': DAILY });
    await absorbFiles([
      await folder.land(engine, 'a', [
        ['m', 1, 1],
        ['n', 1, 1],
      ]),
    ]);
    for (const _ of [1, 2, 3]) await materialize(engine, model('derived.daily'), span(0, DAY));
    expect(await rows('derived.daily')).toHaveLength(2);
  });

  test('rows outside the window are not written: they belong to another one', async () => {
    await prepare({ 'derived.daily.sql': DAILY.replace('where read_at >= @start and read_at < @end ', '') });
    await absorbFiles([
      await folder.land(engine, 'a', [
        ['m', 1, 1],
        ['m', DAY, 1],
      ]),
    ]);
    for (const start of [0, DAY]) await materialize(engine, model('derived.daily'), span(start, start + DAY));
    expect(await rows('derived.daily')).toHaveLength(2);
  });

  test('a model that carries on from its own rows gets its types from itself, and may be computed again', async () => {
    await prepare({
      'derived.total.sql': `-- Readings so far.
-- kind: window   grain: meter, day   time: day
select meter, cast(sum(n) as bigint) as n, @start as day, max(level) as highest
from (
  select meter, n, highest as level from derived.total where day = @start - 86400
  union all
  select meter, 1 as n, level from obs.reading where read_at >= @start and read_at < @end
) both_parts group by meter`,
    });
    expect(
      await engine.rows(
        "select column_name, data_type from information_schema.columns where table_name = 'total'",
      ),
    ).toEqual([
      { column_name: 'meter', data_type: 'VARCHAR' },
      { column_name: 'n', data_type: 'BIGINT' },
      { column_name: 'day', data_type: 'BIGINT' },
      { column_name: 'highest', data_type: 'DOUBLE' },
    ]);
    await absorbFiles([
      await folder.land(engine, 'a', [
        ['m', 1, 5],
        ['m', 2, 4],
        ['m', DAY, 1],
      ]),
    ]);
    for (const start of [0, DAY, DAY])
      await materialize(engine, model('derived.total'), span(start, start + DAY));
    expect(await rows('derived.total')).toEqual([
      { meter: 'm', n: 2, day: 0, highest: 5 },
      { meter: 'm', n: 3, day: DAY, highest: 5 },
    ]);
    expect((await prepareTables(engine, { models, raw: [readingTable] })).changed).toEqual([]);
  });
});

test('full replaces everything, view computes when read, merge replaces by grain', async () => {
  await prepare({
    'derived.all.sql':
      '-- All.\n-- kind: full   grain: meter, read_at   order: read_at desc\nselect * from obs.reading',
    'derived.seen.sql':
      '-- Now.\n-- kind: view   grain: meter\nselect meter, max(read_at) as at from obs.reading where read_at < @end group by meter',
    'derived.last.sql':
      '-- Last.\n-- kind: merge   grain: meter\nselect meter, max_by(level, read_at) as level from obs.reading where read_at >= @start and read_at < @end group by meter',
  });
  await absorbFiles([
    await folder.land(engine, 'a', [
      ['m', 1, 1],
      ['n', 2, 2],
    ]),
  ]);
  for (const one of models.filter(({ layer }) => layer === 'derived'))
    await materialize(engine, one, span(0, 3));
  await absorbFiles([await folder.land(engine, 'b', [['m', 3, 3]])]);
  expect(await rows('derived.seen order by meter')).toEqual([
    { meter: 'm', at: 1 },
    { meter: 'n', at: 2 },
  ]);
  expect(await materialize(engine, model('derived.all'), span(3, 4))).toBe(3);
  expect(await materialize(engine, model('derived.last'), span(3, 4))).toBe(1);
  await materialize(engine, model('derived.seen'), span(3, 4));
  expect((await rows('derived.all')).map((row) => row['read_at'])).toEqual([3, 2, 1]);
  expect(await rows('derived.seen order by meter')).toEqual([
    { meter: 'm', at: 3 },
    { meter: 'n', at: 2 },
  ]);
  expect(await rows('derived.last order by meter')).toEqual([
    { meter: 'm', level: 3 },
    { meter: 'n', level: 2 },
  ]);
});

test('a model that fails leaves its table as it was', async () => {
  await prepare({
    'derived.all.sql':
      '-- All.\n-- kind: full   grain: meter\nselect meter, cast(1 / (level - 2) as bigint) as v from obs.reading',
  });
  await absorbFiles([await folder.land(engine, 'a', [['m', 1, 1]])]);
  await materialize(engine, model('derived.all'), ALL);
  await absorbFiles([await folder.land(engine, 'b', [['m', 2, 2]])]);
  await expect(materialize(engine, model('derived.all'), ALL)).rejects.toThrow(
    /in the statement: insert into derived.all/,
  );
  expect(await rows('derived.all')).toEqual([{ meter: 'm', v: -1 }]);
});

describe('a model that changes', () => {
  const full = (more: string) => ({
    'derived.all.sql': `-- All.\n-- kind: full   grain: meter\nselect meter${more} from obs.reading`,
  });
  const names = (list: readonly Model[]) => list.map(({ name }) => name);

  test('is created once, kept while only its comments change, and made anew when its SQL does', async () => {
    expect(names((await prepare(full(''))).created)).toEqual(['obs.reading', 'derived.all']);
    await absorbFiles([await folder.land(engine, 'a', [['m', 1, 1]])]);
    await materialize(engine, model('derived.all'), ALL);
    expect(await prepare(full(' /* only a comment */'))).toEqual({ created: [], changed: [] });
    expect(await rows('derived.all')).toEqual([{ meter: 'm' }]);
    expect(names((await prepare(full(', level'))).changed)).toEqual(['derived.all']);
    expect(await rows('derived.all')).toEqual([]);
  });

  test('takes those that read its columns along', async () => {
    await prepare({
      ...full(', level as v'),
      'out.all.sql': '-- All.\n-- kind: full   grain: meter\nselect * from derived.all',
    });
    const { changed } = await prepare(full(', cast(level as bigint) as v'));
    expect(names(changed)).toEqual(['derived.all', 'out.all']);
  });

  test('of kind append forgets its files, so that all are absorbed again', async () => {
    await prepare({});
    const file = await folder.land(engine, 'a', [['m', 1, 1]]);
    await absorbFiles([file]);
    expect(
      names(
        (await prepare({ 'obs.reading.sql': READING_SQL.replace('level from', 'level * 2 as level from') }))
          .changed,
      ),
    ).toEqual(['obs.reading']);
    await absorbFiles([file]);
    expect(await rows('obs.reading')).toEqual([{ meter: 'm', read_at: 1, level: 2 }]);
  });

  test('from a table into a view and back is made anew', async () => {
    await prepare(full(''));
    const view = { 'derived.all.sql': full('')['derived.all.sql'].replace('kind: full', 'kind: view') };
    expect(names((await prepare(view)).changed)).toEqual(['derived.all']);
    expect(names((await prepare(full(''))).changed)).toEqual(['derived.all']);
    expect(await materialize(engine, model('derived.all'), ALL)).toBe(0);
  });

  test('into SQL that cannot run is refused by name', async () => {
    await expect(prepare(full(', nothing_like_it'))).rejects.toThrow(
      /jobs\/meters\/derived\.all\.sql: .*"nothing_like_it" not found/,
    );
  });

  test('to a header with a column it does not have is refused by name', async () => {
    const wrong = prepare({
      'derived.all.sql': '-- All.\n-- kind: full   grain: metre\nselect meter from obs.reading',
    });
    await expect(wrong).rejects.toThrow(
      'jobs/meters/derived.all.sql: its header names metre, which is not among its columns: meter',
    );
  });
});

test('policy rows are bound with their types, and no rows are typed too', async () => {
  await bindPolicy(engine, limitTable, [
    ['a', 1],
    [null, null],
  ]);
  expect(await rows('landing.limits')).toEqual([
    { name: 'a', highest: 1 },
    { name: null, highest: null },
  ]);
  await bindPolicy(engine, limitTable, []);
  const types = await engine.rows(
    "select data_type from information_schema.columns where table_name = 'limits'",
  );
  expect(types).toEqual([{ data_type: 'VARCHAR' }, { data_type: 'DOUBLE' }]);
  await expect(bindPolicy(engine, limitTable, [['a']])).rejects.toThrow(
    'policy table limits: a row has 1 values for 2 columns',
  );
});
