// Remembers what was published of each day after it has left the seven-day lists, so that a later change of it is noticed. The rows
// of an old day are computed by the list's own query, as of a time when it still held the day.
import { isDeepStrictEqual } from 'node:util';
import type { Json } from '../../snapshots/layout.ts';
import type { Dataset } from '../define.ts';
import { keyOf, publishedRow } from './documents.ts';
import { literal } from './landing/sql-text.ts';
import { renderParameters } from './model-text.ts';
import { DAY_SECONDS, dayOf } from './plan.ts';
import type { World } from './world.ts';

type DailyWorld = Pick<World, 'engine' | 'models' | 'domains'>;

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

const TABLE = 'meta.daily_row';
const LIST_DAYS = 7;
/** Days that one query answers: not the newest two of a list, which may be unfinished in it. */
const TILE_SECONDS = 5 * DAY_SECONDS;

export const dailyDatasets = ({ domains }: Pick<World, 'domains'>): readonly Dataset[] =>
  domains.flatMap(({ datasets }) => datasets).filter(({ day }) => day !== undefined);

/** First day of the seven-day lists. */
export const firstListedDay = (now: number) => dayOf(now) - (LIST_DAYS - 1) * DAY_SECONDS;

export const prepareDailyRows = ({ engine }: DailyWorld) =>
  engine.execute(
    `create table if not exists ${TABLE} (dataset varchar, key varchar, day bigint, part varchar, value varchar)`,
  );

/** Remembers days of a dataset as they are now, in place of what was remembered of them. */
export async function rememberDays(world: DailyWorld, dataset: Dataset, days: Days): Promise<void> {
  if (days.to <= days.from) return;
  const rows = await rowsOfDays(world, dataset, days);
  const text = (name: string, values: readonly string[]) => ({ name, type: 'VARCHAR' as const, values });
  await world.engine.transaction(async () => {
    await world.engine.execute(`delete from ${TABLE} where ${within(dataset, days)}`);
    if (rows.length === 0) return;
    await world.engine.append(TABLE, [
      text(
        'dataset',
        rows.map(() => dataset.id),
      ),
      text(
        'key',
        rows.map(({ key }) => key),
      ),
      { name: 'day', type: 'BIGINT', values: rows.map(({ day }) => day) },
      text(
        'part',
        rows.map(({ part }) => part),
      ),
      text(
        'value',
        rows.map(({ value }) => JSON.stringify(value)),
      ),
    ]);
  });
}

/** What is other now than it was remembered, by key, day and part. A key that was not published then brings no change. */
export async function changedDays(
  world: DailyWorld,
  dataset: Dataset,
  days: Days,
): Promise<readonly DailyChange[]> {
  const stored = await world.engine.rows(
    `select key, day, part, value from ${TABLE} where ${within(dataset, days)}`,
  );
  const before = new Map<string, DailyRow>();
  for (const { key, day, part, value } of stored) {
    const row = { key: String(key), day: Number(day), part: String(part), value: JSON.parse(String(value)) };
    before.set(nameOf(row), row);
  }
  const known = await world.engine.rows(
    `select distinct key from ${TABLE} where dataset = ${literal(dataset.id)}`,
  );
  const published = new Set(known.map(({ key }) => key));
  const after = new Map((await rowsOfDays(world, dataset, days)).map((row) => [nameOf(row), row]));
  const changes: DailyChange[] = [];
  for (const name of [...new Set([...before.keys(), ...after.keys()])].sort()) {
    const [old, now] = [before.get(name), after.get(name)];
    const row = old ?? now;
    if (row === undefined || !published.has(row.key) || isDeepStrictEqual(old?.value, now?.value)) continue;
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

const within = ({ id }: Dataset, { from, to }: Days) =>
  `dataset = ${literal(id)} and day >= ${from} and day < ${to}`;

const nameOf = ({ key, day, part }: DailyRow) => JSON.stringify([key, String(day).padStart(12, '0'), part]);

async function rowsOfDays({ engine, models }: DailyWorld, dataset: Dataset, days: Days): Promise<DailyRow[]> {
  const model = models.models.find(({ name }) => name === dataset.table);
  if (model === undefined) throw new Error(`dataset ${dataset.id}: there is no model ${dataset.table}`);
  const rows: DailyRow[] = [];
  for (let tile = days.from - (days.from % TILE_SECONDS); tile < days.to; tile += TILE_SECONDS) {
    const now = tile + LIST_DAYS * DAY_SECONDS - 1;
    const sql = renderParameters(model.sql, { start: dayOf(now), end: now + 1, now });
    for (const row of await engine.rows(sql)) {
      const day = dayOf(Number(row[dataset.day ?? '']));
      if (day < Math.max(tile, days.from) || day >= Math.min(tile + TILE_SECONDS, days.to)) continue;
      const part = partColumns(dataset).map((column) => String(row[column]));
      rows.push({ key: keyOf(dataset, row), day, part: part.join('|'), value: publishedRow(dataset, row) });
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
