import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Warehouse } from '../../../../jobs/engine/warehouse.ts';
import type { PipelineContext } from '../../../../jobs/pipeline/context.ts';
import { computeModels } from '../../../../jobs/pipeline/run/compute.ts';
import { jsonReporter } from '../../../../jobs/pipeline/run/report.ts';
import { stretchesOf } from '../../../../jobs/engine/stretches.ts';
import { divider } from '../../../../jobs/pipeline/run/stretches.ts';
import { domains } from '../../../../jobs/registry.ts';
import { loadModels } from '../../../../jobs/pipeline/models/load-models.ts';
import { DAY, type ModelWorld, openModelWorld, span } from '../../../support/model-world.ts';
import { limitTable, readingTable } from '../../../support/model-folder.ts';
import { openScratchEngine } from '../../../support/case-duckdb.ts';

describe('the stretches of a window', () => {
  const window = span(2 * DAY, 6 * DAY + 500);
  const days = (rows: readonly (readonly [day: number, rows: number])[], max: number) =>
    stretchesOf(window, new Map(rows.map(([day, count]) => [day * DAY, count])), max).map(
      ({ start, end, now }) => {
        expect(now).toBe(window.now);
        return [start / DAY, end === window.end ? 'end' : end / DAY];
      },
    );
  const each = [
    [2, 10],
    [3, 10],
    [4, 10],
    [5, 10],
    [6, 10],
  ] as const;

  it('are one as long as all rows fit', () => {
    expect(days(each, 50)).toEqual([[2, 'end']]);
    expect(days([], 1)).toEqual([[2, 'end']]);
  });

  it('have at most so many rows, and follow each other', () => {
    expect(days(each, 49)).toEqual([
      [2, 6],
      [6, 'end'],
    ]);
    expect(days(each, 20)).toEqual([
      [2, 4],
      [4, 6],
      [6, 'end'],
    ]);
    expect(days(each.toReversed(), 20)).toEqual(days(each, 20));
  });

  it('are days where a day alone has more, and none begins before the window', () => {
    expect(days(each, 1)).toEqual([
      [2, 3],
      [3, 4],
      [4, 5],
      [5, 6],
      [6, 'end'],
    ]);
    expect(days([[2, 99]], 1)).toEqual([[2, 'end']]);
    expect(days([[6, 99]], 1)).toEqual([[2, 'end']]);
  });

  it('begin where rows are: days without any belong to the stretch before them', () => {
    expect(
      days(
        [
          [2, 10],
          [5, 10],
        ],
        10,
      ),
    ).toEqual([
      [2, 5],
      [5, 'end'],
    ]);
  });
});

const TOTAL = `-- Levels so far.
-- kind: window   grain: meter, day   time: day
select meter, @start as day, sum(level) as total
from (
  select meter, total as level from derived.total where day = @start - 86400
  union all
  select meter, level from obs.reading where read_at >= @start and read_at < @end
) both_parts group by meter`;
const DAILY = `-- Levels of a day.
-- kind: window   grain: meter, day   time: day   order: day, meter
select r.meter, r.read_at - r.read_at % 86400 as day, sum(r.level + l.highest) as total
from obs.reading r
cross join policy.limits l
where r.read_at >= @start and r.read_at < @end
group by r.meter, r.read_at - r.read_at % 86400`;
const NEWEST = `-- The newest day.
-- kind: full   grain: meter
select meter, max(day) as day from derived.daily group by meter`;

describe('computing in stretches', () => {
  let world: ModelWorld;
  beforeEach(async () => {
    world = await openModelWorld();
    await world.prepare({
      'derived.total.sql': TOTAL,
      'derived.daily.sql': DAILY,
      'derived.newest.sql': NEWEST,
    });
    const rows = [0, 1, 2, 3].map((day) => ['m', day * DAY + 7, day + 1] as const);
    await world.absorb([await world.land('a', rows)]);
  });
  afterEach(() => world.close());

  const nowMs = () => 0;
  const reporter = jsonReporter({ write: () => {}, nowMs, level: 'silent' });
  const compute = (maxStretchRows: number, warehouse: Warehouse = world.warehouse) =>
    computeModels(
      {
        warehouse,
        models: { models: world.models(), events: [], audits: [] },
        domains: [{ raw: [readingTable] }] as unknown as PipelineContext['domains'],
        nowMs,
        reporter,
        maxStretchRows,
      },
      span(0, 4 * DAY),
    );
  /** The same warehouse, which notes the windows of each model. */
  const noted = (failAt?: string): { readonly warehouse: Warehouse; readonly windows: string[] } => {
    const windows: string[] = [];
    const note = (model: { readonly name: string }, { start, end }: { start: number; end: number }) => {
      windows.push(`${model.name} ${start / DAY}-${end / DAY}`);
      if (windows.at(-1) === failAt) throw new Error('the power failed');
    };
    const { warehouse } = world;
    return {
      windows,
      warehouse: new Proxy(warehouse, {
        get(target, name) {
          const member: unknown = Reflect.get(target, name);
          if (name === 'capabilities') return { ...target.capabilities, transactions: failAt === undefined };
          if (typeof member !== 'function') return member;
          if (name !== 'replace' && name !== 'rebuild') return member.bind(target);
          return async (...given: Parameters<Warehouse['replace']>) => {
            note(...given);
            return (await member.apply(target, given)) as unknown;
          };
        },
      }),
    };
  };
  const totals = async () => (await world.rows('derived.total order by day')).map((row) => row['total']);

  it('divides models with a window by what has landed below them, and no others', async () => {
    const { warehouse, windows } = noted();
    await compute(2, warehouse);
    expect(windows).toEqual([
      'derived.daily 0-2',
      'derived.daily 2-4',
      'derived.newest 0-4',
      'derived.total 0-2',
      'derived.total 2-4',
    ]);
  });

  it('continues from the rows of the stretch before', async () => {
    await compute(1);
    expect(await totals()).toEqual([1, 3, 6, 10]);
  });

  it('computes a model again that ended between two stretches, although its inputs are those from before', async () => {
    const limit = (highest: number) => world.warehouse.bindPolicy(limitTable, [{ name: 'high', highest }]);
    const days = async () => (await world.rows('derived.daily order by day')).map((row) => row['total']);
    await compute(1);
    expect(await days()).toEqual([10, 11, 12, 13]);
    await limit(20);
    await expect(compute(1, noted('derived.daily 2-3').warehouse)).rejects.toThrow('the power failed');
    expect(await days()).toEqual([21, 22, 12, 13]);
    await limit(9);
    await compute(1);
    expect(await days()).toEqual([10, 11, 12, 13]);
  });

  it('counts nothing for the window of one day', async () => {
    const models = world.models();
    const context = {
      models: { models, events: [], audits: [] },
      domains: [{ raw: [readingTable] }],
      warehouse: { rows: () => Promise.reject(new Error('it was counted')) },
    } as unknown as PipelineContext;
    const [daily] = models.filter(({ name }) => name === 'derived.daily');
    const window = span(DAY, 2 * DAY);
    expect(daily && (await divider(context, window, 1)(daily))).toEqual([window]);
  });
});

it('stores the rows of every window by time first, so that stretches follow each other on disk', async () => {
  const engine = await openScratchEngine();
  const { models } = await loadModels(engine, domains);
  await engine.close();
  const odd = models.filter(
    ({ kind, order, time }) => kind === 'window' && !['day', time].includes(order.split(',')[0] ?? ''),
  );
  expect(odd.map(({ file }) => file)).toEqual([]);
});
