// Remembers the published rows of each day after it has left the seven-day lists, so that later changes are detected. The rows of an old
// day are computed by the list's own query, as of a time when the list still held the day.
import { isDeepStrictEqual } from 'node:util';
import { DAY_S, dayOf } from '../../../platform/base/time.ts';
import type { Json } from '../../../platform/base/json.ts';
import { type Dataset, LIST_DAYS } from '../../define/dataset.ts';
import { renderParameters } from '../../engine/parameters.ts';
import type { Row } from '../../engine/rows.ts';
import { literal, quoted } from '../../engine/sql-text.ts';
import type { StateTable } from '../../engine/warehouse.ts';
import type { PipelineContext } from '../context.ts';
import { isKeyed, keyOf, publishedRow } from './documents.ts';

type DailyContext = Pick<PipelineContext, 'warehouse' | 'models' | 'domains'>;

/** Days from `from` (included) to `to` (excluded), Unix seconds of 00:00. */
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
/** Days taken from one query: all but the two newest of a list, which may be incomplete. A list that ends a day earlier has them too. */
const TILE_SECONDS = 5 * DAY_S;

export const dailyDatasets = ({ domains }: Pick<PipelineContext, 'domains'>): readonly Dataset[] =>
  domains.flatMap(({ datasets }) => datasets).filter(({ day }) => day !== undefined);

export const prepareDailyRows = ({ warehouse }: DailyContext) => warehouse.state.prepare(DAILY_ROWS);

/** Remembers the current rows of a dataset's days, replacing the rows remembered so far. */
export async function rememberDays(context: DailyContext, dataset: Dataset, days: Days): Promise<void> {
  if (days.to <= days.from) return;
  await replaceRows(context, dataset, { days, rows: await rowsOfDays(context, dataset, days) });
}

/** Like `rememberDays`, for days that were compared: rows that were never in a list are not remembered. */
export async function rememberCompared(context: DailyContext, dataset: Dataset, days: Days): Promise<void> {
  const firstDays = await firstDaysOf(context, dataset);
  const rows = await rowsOfDays(context, dataset, fromFirstDay(days, firstDays));
  await replaceRows(context, dataset, { days, rows: rows.filter((row) => wasListed(firstDays, row)) });
}

const replaceRows = (
  { warehouse }: DailyContext,
  dataset: Dataset,
  { days, rows }: { readonly days: Days; readonly rows: readonly DailyRow[] },
): Promise<void> =>
  warehouse.state.replace(
    DAILY_ROWS,
    rows.map((row) => storedRow(dataset, row)),
    within(dataset, days),
  );

/** Remembers the listed rows of these days for keys without remembered rows: their history begins here. */
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
 * Differences from the remembered rows, by key, day and part. Days before the first remembered day of a key are not compared: they were
 * never in its list.
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
  const rows = await rowsOfDays(context, dataset, fromFirstDay(days, firstDays));
  const after = new Map(rows.map((row) => [nameOf(row), row]));
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

/** Key -> its first remembered day. */
async function firstDaysOf({ warehouse }: DailyContext, { id }: Dataset): Promise<FirstDays> {
  const rows = await warehouse.state.rows(
    `select key, min(day) as day from ${DAILY_ROWS.name} where dataset = ${literal(id)} group by key`,
  );
  return new Map(rows.map(({ key, day }) => [String(key), Number(day)]));
}

const wasListed = (firstDays: FirstDays, { key, day }: DailyRow): boolean =>
  day >= (firstDays.get(key) ?? Number.POSITIVE_INFINITY);

/** Only days on which some key was listed can have been published; there are none while nothing is remembered. */
function fromFirstDay({ from, to }: Days, firstDays: FirstDays): Days {
  const first = [...firstDays.values()].reduce((a, b) => Math.min(a, b), to);
  return { from: Math.max(from, first), to };
}

const within = ({ id }: Dataset, { from, to }: Days) =>
  `dataset = ${literal(id)} and day >= ${from} and day < ${to}`;

const nameOf = ({ key, day, part }: DailyRow) => JSON.stringify([key, String(day).padStart(12, '0'), part]);

/** Keys and days, within the given days, that the lists hold now, in the form of `placeOf`. */
export async function listedDays(
  context: DailyContext,
  dataset: Dataset,
  days: Days,
): Promise<ReadonlySet<string>> {
  return new Set((await listedRows(context, dataset, days)).map(positionOf));
}

/** Key and day of a row or a change. */
export const positionOf = ({ key, day }: Pick<DailyRow, 'key' | 'day'>): string => JSON.stringify([key, day]);

async function listedRows({ warehouse }: DailyContext, dataset: Dataset, days: Days): Promise<DailyRow[]> {
  const day = quoted(dataset.day ?? '');
  const rows = await warehouse.rows(
    `select * from ${dataset.table} where ${day} >= ${days.from} and ${day} < ${days.to}`,
  );
  return rows.filter((row) => isKeyed(dataset, row)).map((row) => dailyRow(dataset, row));
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
  if (model === undefined) throw new Error(`Dataset ${dataset.id}: there is no model ${dataset.table}.`);
  const rows: DailyRow[] = [];
  for (let tile = days.from - (days.from % TILE_SECONDS); tile < days.to; tile += TILE_SECONDS) {
    const now = tile + LIST_DAYS * DAY_S - 1;
    const sql = renderParameters(model.sql, { start: dayOf(now), end: now + 1, now });
    for (const row of await warehouse.rows(sql)) {
      if (!isKeyed(dataset, row)) continue;
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
