import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DuckDb } from '../../../../jobs/engine/duckdb/session.ts';
import type { TimeUse, ValuesOf } from '../../../../jobs/incremental/dependencies.ts';
import { readDependencies } from '../../../../jobs/incremental/sql/time-use.ts';
import { openScratchEngine } from '../../../support/case-duckdb.ts';

let engine: DuckDb;
beforeAll(async () => {
  engine = await openScratchEngine();
});
afterAll(() => engine.close());

const use = async (sql: string, time = ''): Promise<TimeUse> =>
  (await readDependencies(engine, sql, time)).times;

/** `obs.a "seen" + policy.p "wait" from "end"`: each value that a term must not pass, as text. */
const passing = ({ thresholds }: TimeUse): readonly string[] =>
  thresholds.flatMap(({ term, passes, origins }) =>
    origins.map(({ plus = [], ...own }) => {
      const column = ({ table, expression }: ValuesOf) => `${table} ${expression}`;
      const values = [own, ...plus].map((one) => ('table' in one ? column(one) : JSON.stringify(one)));
      return `${values.join(' + ')} ${passes} ${JSON.stringify(term)}`;
    }),
  );

describe('values that are compared with a parameter', () => {
  test.each([
    ['select 1 as x from obs.a where seen < @end', ['obs.a "seen" from "end"']],
    ['select 1 as x from obs.a where @now >= a.seen', ['obs.a "seen" above "now"']],
    ['select 1 as x from obs.a where not (seen > @now - 5)', ['obs.a "seen" above ["-","now",5]']],
    [
      'select 1 as x from obs.a where seen between @start and @end',
      ['obs.a "seen" from "start"', 'obs.a "seen" above "end"'],
    ],
    [
      'select 1 as x from obs.a where seen - seen % 86400 < @end',
      ['obs.a ("seen" - ("seen" % 86400)) from "end"'],
    ],
    [
      'with b as (select *, seen + 5 as due from obs.a) select 1 as x from b where due < @end',
      ['obs.a "due" from "end"', 'obs.a ("seen" + 5) from "end"'],
    ],
    [
      'with b as (select seen from obs.a union all select happened from obs.c) select 1 as x from b where b.seen < @end',
      ['obs.a "seen" from "end"', 'obs.c "happened" from "end"'],
    ],
    [
      'with b as (select *, 1 as n, seen from obs.a union all select c.*, 2, c.happened from obs.c as c) select 1 as x from b where seen < @end',
      ['obs.a "seen" from "end"', 'obs.c "happened" from "end"'],
    ],
    [
      'select (select max(c.seen) from obs.c as c where c.seen < a.seen and a.until > @now) as x from obs.a as a',
      ['obs.a "until" above "now"'],
    ],
    [
      'select 1 as x from (select k, max(seen) as last_at from obs.a group by k) b where b.last_at < @end',
      ['obs.a "seen" from "end"'],
    ],
    [
      'select 1 as x from unnest(sequence(@start, @end - 1, 86400)) as t(day) where t.day < @end',
      ['{"sequence":["sequence","start",["-","end",1],86400]} from "end"'],
    ],
  ])('%s', async (sql, expected) => {
    expect(passing(await use(sql))).toEqual(expected);
  });
});

describe('sums that are compared with a parameter', () => {
  test.each([
    ['select 1 as x from obs.a where @now - seen > 5', ['obs.a "seen" from ["-","now",5]']],
    [
      'select 1 as x from obs.a as a cross join policy.p as p where a.seen > @now - p.wait',
      ['obs.a "seen" + policy.p "wait" above "now"'],
    ],
    [
      'select 1 as x from obs.a as a cross join policy.p as p where @now - @now % 60 - p.wait >= a.seen - 1',
      ['obs.a ("seen" - 1) + policy.p "wait" above ["-","now",["%","now",60]]'],
    ],
    [
      'select 1 as x from obs.a as a join obs.b as b on true where a.seen + b.heartbeat_s + 60 < @end',
      ['obs.a "seen" + obs.b ("heartbeat_s" + 60) from "end"'],
    ],
    [
      'select 1 as x from obs.a as a cross join policy.p as p where a.seen - p.wait < @end',
      ['obs.a "seen" + policy.p (0 - "wait") from "end"'],
    ],
    [
      'with w as (select t.week + p.opens * 60 as opens_at from unnest(sequence(@start, @end, 604800)) as t(week) cross join policy.p as p) select 1 as x from w where opens_at < @end',
      ['{"sequence":["sequence","start","end",604800]} + policy.p ("opens" * 60) from "end"'],
    ],
    [
      'select 1 as x from obs.a as a cross join unnest(sequence(a.seen - a.seen % 86400, a.until, 86400)) as t(day) where t.day < @end',
      ['{"multipleOf":86400} from "end"'],
    ],
  ])('%s', async (sql, expected) => {
    expect(passing(await use(sql))).toEqual(expected);
  });
});

describe('any other use of the parameters must not change', () => {
  test.each([
    ['select lead(seen, 1, @end) over (order by seen) as x from obs.a', ['end']],
    ['select @now - seen as age from obs.a', ['now']],
    ['select 1 as x from obs.a where seen = @now', ['now']],
    ['select 1 as x from obs.a where day = @now - @now % 86400', [['-', 'now', ['%', 'now', 86400]]]],
    ['select 1 as x from obs.a join obs.b on true where a.seen + b.wait < @end', ['end']],
    ['select 1 as x from obs.a as a join obs.b as b on true where @now - a.seen > b.seen', ['now']],
    [
      'select 1 as x from obs.a as a cross join unnest(sequence(a.seen - a.seen % 60, a.until, 86400)) as t(day) where t.day < @end',
      ['end'],
    ],
    ['select k, max(seen) as seen from obs.a group by k having max(seen) < @end', ['end']],
    ['with b as (select sum(seen) as seen from obs.a) select 1 as x from b where seen < @end', ['end']],
    [
      'with b as (select *, seen * 2 as Seen from obs.a) select 1 as x from b join obs.c on true where b.seen + c.n < @end',
      ['end'],
    ],
  ])('%s', async (sql, terms) => {
    const { terms: found, thresholds } = await use(sql);
    expect(found).toEqual(terms);
    expect(thresholds).toEqual([]);
  });
});

test('a window model does not return rows after the window', async () => {
  expect(passing(await use('select seen from obs.a', 'seen'))).toEqual(['obs.a "seen" from "end"']);
  expect(await use('select a.n * c.n as seen from obs.a join obs.c on true', 'seen')).toEqual({
    terms: ['end'],
    thresholds: [],
  });
  const day = ['-', ['-', 'end', 1], ['%', ['-', 'end', 1], 86_400]];
  expect(await use('select a.n * c.n as day from obs.a join obs.c on true', 'day')).toEqual({
    terms: [day],
    thresholds: [],
  });
});

test('a query without parameters depends on none', async () => {
  expect(await use('select seen from obs.a where seen < 5')).toEqual({
    terms: [],
    thresholds: [],
  });
});
