// What publications recorded on each UTC day: one point per day and subject. No model can compute it again, so it is carried over from
// version to version. Pure.
import { DAY_S } from '../../../../platform/base/time.ts';
import type { SeriesGap } from '../../../../schemas/series.ts';
import type { Json } from '../../../../platform/base/json.ts';
import type { Document } from '../../../../snapshots/layout.ts';

export type DayValues = { readonly [column: string]: Json };

/** What one publication recorded about a subject on a day. */
export interface Look {
  readonly key: string;
  /** 00:00 UTC of the day, Unix seconds. */
  readonly day: number;
  readonly values: DayValues;
}

export interface DayColumns {
  readonly names: readonly string[];
  /** Combines the point of a day with a further look at that day. */
  join(known: DayValues, seen: DayValues): DayValues;
}

interface Points {
  readonly t: readonly number[];
  readonly columns: { readonly [column: string]: readonly Json[] };
  readonly gaps: readonly SeriesGap[];
}

/** Reason of a gap: no version was published, or none had the subject. */
const UNPUBLISHED = 'nothing_published';

export class RecordedDays {
  readonly #columns: DayColumns;
  readonly #points = new Map<string, Map<number, DayValues>>();
  readonly #gaps = new Map<string, Map<number, SeriesGap>>();

  /** `documents`: the documents of files that may still change. */
  constructor(columns: DayColumns, documents: readonly Document[]) {
    this.#columns = columns;
    for (const { key, value } of documents) this.#read(key, value as unknown as Points);
  }

  /** Adds a look. Days between two points become a gap. */
  add({ key, day, values }: Look): void {
    const points = this.#pointsOf(key);
    const known = points.get(day);
    if (known === undefined) {
      const last = Math.max(...points.keys());
      if (day - last > DAY_S && last >= 0) this.addGap(key, { from: last, to: day, reason: UNPUBLISHED });
    }
    points.set(day, known === undefined ? values : this.#columns.join(known, values));
  }

  addGap(key: string, gap: SeriesGap): void {
    const gaps = this.#gaps.get(key) ?? new Map<number, SeriesGap>();
    this.#gaps.set(key, gaps.set(gap.from, gap));
  }

  at(key: string, day: number): DayValues | undefined {
    return this.#points.get(key)?.get(day);
  }

  /** The documents of one file: points from `from`, included, to `to`, excluded, and the gaps that reach into it. */
  documents({ from, to }: { readonly from: number; readonly to: number }): readonly Document[] {
    const keys = [...new Set([...this.#points.keys(), ...this.#gaps.keys()])];
    return keys.flatMap((key): Document[] => {
      const points = [...(this.#points.get(key) ?? [])]
        .filter(([day]) => day >= from && day < to)
        .sort(([a], [b]) => a - b);
      const gaps = [...(this.#gaps.get(key)?.values() ?? [])]
        .filter((gap) => gap.from < to && gap.to > from)
        .sort((a, b) => a.from - b.from);
      if (points.length === 0 && gaps.length === 0) return [];
      const columns = this.#columns.names.map((name) => [
        name,
        points.map(([, values]) => values[name] ?? null),
      ]);
      const t = points.map(([day]) => day);
      return [{ key, value: { t, columns: Object.fromEntries(columns), gaps } as unknown as Json }];
    });
  }

  #read(key: string, { t, columns, gaps }: Points): void {
    const points = this.#pointsOf(key);
    t.forEach((day, index) => {
      const values = this.#columns.names.map((name) => [name, columns[name]?.[index] ?? null]);
      points.set(day, Object.fromEntries(values) as DayValues);
    });
    for (const gap of gaps) this.addGap(key, gap);
  }

  #pointsOf(key: string): Map<number, DayValues> {
    const points = this.#points.get(key) ?? new Map<number, DayValues>();
    this.#points.set(key, points);
    return points;
  }
}
