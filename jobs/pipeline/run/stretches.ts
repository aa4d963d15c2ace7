// The stretches in which the models of one window are computed. Dividing changes no row: a window may begin at any midnight, because every
// model continues from what was known at the end of the day before.
import { DAY_S } from '../../../platform/base/time.ts';
import type { Parameters } from '../../engine/parameters.ts';
import {
  MAX_STRETCH_ROWS,
  type RowsByDay,
  rowsByDayOf,
  rowsByDaySql,
  stretchesOf,
} from '../../engine/stretches.ts';
import type { PipelineContext } from '../context.ts';
import { lineage } from '../models/lineage.ts';
import type { Model } from '../models/model.ts';

type CountContext = Pick<PipelineContext, 'warehouse' | 'models' | 'domains'>;

/**
 * Finds the stretches of models for one window, by the rows that have landed in the tables on which they rest. Every table is counted at most
 * once, and none for a window of one day.
 */
export function divider(context: CountContext, window: Parameters, maxRows = MAX_STRETCH_ROWS) {
  const counted = new Map<string, Promise<RowsByDay>>();
  const times = new Map(
    context.domains.flatMap(({ raw }) => raw.map(({ observations: { model, time } }) => [model, time])),
  );
  const rowsOf = (table: string, time: string): Promise<RowsByDay> => {
    const known = counted.get(table) ?? countByDay(context, { table, time }, window);
    counted.set(table, known);
    return known;
  };
  return async (model: Model): Promise<readonly Parameters[]> => {
    if (model.kind !== 'window' || window.end - window.start <= DAY_S) return [window];
    const total = new Map<number, number>();
    for (const table of lineage(context.models, model.name)) {
      const time = times.get(table);
      if (time === undefined) continue;
      for (const [day, rows] of await rowsOf(table, time)) total.set(day, (total.get(day) ?? 0) + rows);
    }
    return stretchesOf(window, total, maxRows);
  };
}

const countByDay = async (
  { warehouse }: CountContext,
  { table, time }: { readonly table: string; readonly time: string },
  { start, end }: Parameters,
): Promise<RowsByDay> =>
  rowsByDayOf(
    await warehouse.rows(rowsByDaySql(`${table} where ${time} >= ${start} and ${time} < ${end}`, time)),
  );
