// Remembers what was published of each day after it has left the seven-day lists, so that a later change of it is noticed. The rows
// of an old day are computed by the list's own query, as of a time when it still held the day.
import { isDeepStrictEqual } from 'node:util';
import type { Json } from '../../../snapshots/layout.ts';
import type { Dataset } from '../../define/dataset.ts';
import { renderParameters } from '../../engine/parameters.ts';
import type { Row } from '../../engine/rows.ts';
import { literal, quoted } from '../../engine/sql-text.ts';
import type { StateTable } from '../../engine/warehouse.ts';
import type { PipelineContext } from '../context.ts';
import { DAY_SECONDS, dayOf } from '../run/plan.ts';
import { keyOf, publishedRow } from './documents.ts';

type DailyContext = Pick<PipelineContext, 'warehouse' | 'models' | 'domains'>;

/** Days from `from` up to and without `to`, Unix seconds of 00:00. */
export interface Days {
  readonly from: number;
  readonly to: number;
}

export interface DailyRow {
  readonly key: string;
  readonly day: number;
  readonly part: string;
  readonly value: { readonly [field: string]: Json };
}

export interface DailyChange {
  readonly dataset: string;
  readonly key: string;
  readonly day: number;
  readonly part: string;
  readonly before: DailyRow['value'] | null;
  readonly after: DailyRow['value'] | null;
}

const DAILY_ROWS: StateTable = {
  name: 'meta.daily_row',
  columns: [
    { name: 'dataset', type: 'VARCHAR' },
    { name: 'key', type: 'VARCHAR' },
    { name: 'day', type: 'BIGINT' },
    { name: 'part', type: 'VARCHAR' },
    { name: 'value', type: 'VARCHAR' },
  ],
};
const LIST_DAYS = 7;
/** Days that one query gives: not the newest two of a list, which may be unfinished in it. A list that ends a day earlier holds them too. */
const TILE_SECONDS = 5 * DAY_SECONDS;

export const dailyDatasets = ({ domains }: Pick<PipelineContext, 'domains'>): readonly Dataset[] =>
  domains.flatMap(({ datasets }) => datasets).filter(({ day }) => day !== undefined);

/** First day of a seven-day list that has a record of today. A list that ends with yesterday still holds the day before (decision 57). */
export const firstListedDay = (now: number) => dayOf(now) - (LIST_DAYS - 1) * DAY_SECONDS;

export const prepareDailyRows = ({ warehouse }: DailyContext) => warehouse.state.prepare(DAILY_ROWS);

/** Remembers days of a dataset as they are now, in place of what was remembered of them. */
export async function rememberDays(context: DailyContext, dataset: Dataset, days: Days): Promise<void> {
  if (days.to <= days.from) return;
  await replaceRows(context, dataset, { days, rows: await rowsOfDays(context, dataset, days) });
}

/** The same of days that were compared: what was never in a list stays unremembered. */
export async function rememberCompared(context: DailyContext, dataset: Dataset, days: Days): Promise<void> {
  const firstDays = await firstDaysOf(context, dataset);
  const rows = await rowsOfDays(context, dataset, days);
  await replaceRows(context, dataset, { days, rows: rows.filter((row) => wasListed(firstDays, row)) });
}

interface RowsOfDays {
  readonly days: Days;
  readonly rows: readonly DailyRow[];
}

const replaceRows = (
  { warehouse }: DailyContext,
  dataset: Dataset,
  { days, rows }: RowsOfDays,
): Promise<void> =>
  warehouse.state.replace(
    DAILY_ROWS,
    rows.map((row) => storedRow(dataset, row)),
    within(dataset, days),
  );

/** Remembers what the lists hold of these days, of keys of which nothing is remembered yet: it is where their history begins. */
export async function rememberNewKeys(context: DailyContext, dataset: Dataset, days: Days): Promise<void> {
  const known = await firstDaysOf(context, dataset);
  const listed = await listedRows(context, dataset, days);
  const fresh = listed.filter(({ key }) => !known.has(key));
  await context.warehouse.state.add(
    DAILY_ROWS,
    fresh.map((row) => storedRow(dataset, row)),
  );
}

const storedRow = ({ id }: Dataset, { key, day, part, value }: DailyRow) => ({
  dataset: id,
  key,
  day,
  part,
  value: JSON.stringify(value),
});

/**
 * What is other now than it was remembered, by key, day and part. A key brings no change of days before the first that is remembered of
 * it: they were never in its list.
 */
export async function changedDays(
  context: DailyContext,
  dataset: Dataset,
  days: Days,
): Promise<readonly DailyChange[]> {
  const stored = await context.warehouse.state.rows(
    `select key, day, part, value from ${DAILY_ROWS.name} where ${within(dataset, days)}`,
  );
  const before = new Map<string, DailyRow>();
  for (const { key, day, part, value } of stored) {
    const row = { key: String(key), day: Number(day), part: String(part), value: JSON.parse(String(value)) };
    before.set(nameOf(row), row);
  }
  const firstDays = await firstDaysOf(context, dataset);
  const after = new Map((await rowsOfDays(context, dataset, days)).map((row) => [nameOf(row), row]));
  const changes: DailyChange[] = [];
  for (const name of [...new Set([...before.keys(), ...after.keys()])].sort()) {
    const [old, now] = [before.get(name), after.get(name)];
    const row = old ?? now;
    if (row === undefined || !wasListed(firstDays, row)) continue;
    if (isDeepStrictEqual(old?.value, now?.value)) continue;
    const { key, day, part } = row;
    changes.push({
      dataset: dataset.id,
      key,
      day,
      part,
      before: old?.value ?? null,
      after: now?.value ?? null,
    });
  }
  return changes;
}

type FirstDays = ReadonlyMap<string, number>;

/** Key -> first day that is remembered of it. */
async function firstDaysOf({ warehouse }: DailyContext, { id }: Dataset): Promise<FirstDays> {
  const rows = await warehouse.state.rows(
    `select key, min(day) as day from ${DAILY_ROWS.name} where dataset = ${literal(id)} group by key`,
  );
  return new Map(rows.map(({ key, day }) => [String(key), Number(day)]));
}

const wasListed = (firstDays: FirstDays, { key, day }: DailyRow): boolean =>
  day >= (firstDays.get(key) ?? Number.POSITIVE_INFINITY);

const within = ({ id }: Dataset, { from, to }: Days) =>
  `dataset = ${literal(id)} and day >= ${from} and day < ${to}`;

const nameOf = ({ key, day, part }: DailyRow) => JSON.stringify([key, String(day).padStart(12, '0'), part]);

/** Keys and days that the lists hold now, of the days given, as `placeOf` writes them. */
export async function listedDays(
  context: DailyContext,
  dataset: Dataset,
  days: Days,
): Promise<ReadonlySet<string>> {
  return new Set((await listedRows(context, dataset, days)).map(placeOf));
}

/** Key and day of a row or a change. */
export const placeOf = ({ key, day }: Pick<DailyRow, 'key' | 'day'>): string => JSON.stringify([key, day]);

async function listedRows({ warehouse }: DailyContext, dataset: Dataset, days: Days): Promise<DailyRow[]> {
  const day = quoted(dataset.day ?? '');
  const rows = await warehouse.rows(
    `select * from ${dataset.table} where ${day} >= ${days.from} and ${day} < ${days.to}`,
  );
  return rows.map((row) => dailyRow(dataset, row));
}

function dailyRow(dataset: Dataset, row: Row): DailyRow {
  const day = dayOf(Number(row[dataset.day ?? '']));
  const part = partColumns(dataset).map((column) => String(row[column]));
  return { key: keyOf(dataset, row), day, part: part.join('|'), value: publishedRow(dataset, row) };
}

async function rowsOfDays(
  { warehouse, models }: DailyContext,
  dataset: Dataset,
  days: Days,
): Promise<DailyRow[]> {
  const model = models.models.find(({ name }) => name === dataset.table);
  if (model === undefined) throw new Error(`dataset ${dataset.id}: there is no model ${dataset.table}`);
  const rows: DailyRow[] = [];
  for (let tile = days.from - (days.from % TILE_SECONDS); tile < days.to; tile += TILE_SECONDS) {
    const now = tile + LIST_DAYS * DAY_SECONDS - 1;
    const sql = renderParameters(model.sql, { start: dayOf(now), end: now + 1, now });
    for (const row of await warehouse.rows(sql)) {
      const found = dailyRow(dataset, row);
      if (found.day >= Math.max(tile, days.from) && found.day < Math.min(tile + TILE_SECONDS, days.to))
        rows.push(found);
    }
  }
  return rows;
}

const partColumns = ({ order, part }: Dataset): readonly string[] =>
  part ??
  order
    .split(',')
    .slice(1)
    .map((term) => term.trim().replace(/ (asc|desc).*$/, ''));
