// Counts the landed rows of each subject. A run counts only new rows, if the engine can tell which these are.
import { ALL_ON, type SwitchedOff } from '../../platform/base/switches.ts';
import type { RawTable } from '../define/raw-table.ts';
import type { Row } from '../engine/rows.ts';
import { quoted } from '../engine/sql-text.ts';
import type { Warehouse } from '../engine/warehouse.ts';

export interface LandedSubject {
  /** Values of the fields, as text. */
  readonly values: readonly (string | null)[];
  readonly rows: number;
  /** Unix seconds. */
  readonly newest: number;
}

/** Identifies a subject among others with the same fields. */
export const subjectKey = (values: LandedSubject['values']): string => JSON.stringify(values);

/** Columns `s0`, `s1`, … with the values of the columns as text. */
export const textColumns = (columns: readonly string[]): string =>
  columns.map((column, index) => `cast(${quoted(column)} as varchar) as s${index}`).join(', ');

export const textsOf = (row: Row, count: number): LandedSubject['values'] =>
  Array.from({ length: count }, (_, index) => {
    const value = row[`s${index}`];
    return value === null || value === undefined ? null : String(value);
  });

export class LandedSubjects {
  readonly #off: SwitchedOff;
  readonly #counted = new Map<
    string,
    { readonly version: string; readonly subjects: ReadonlyMap<string, LandedSubject> }
  >();

  constructor(off: SwitchedOff = ALL_ON) {
    this.#off = off;
  }

  /** The subjects of a raw table that these of its fields name. */
  async of(
    warehouse: Pick<Warehouse, 'rows' | 'versions'>,
    { observations: { model, time } }: RawTable,
    fields: readonly string[],
  ): Promise<ReadonlyMap<string, LandedSubject>> {
    if (!(await warehouse.versions.hasRows(model))) return new Map();
    const id = `${model} ${fields.join(' ')}`;
    const version = await warehouse.versions.of(model);
    const before = this.#off.has('landed-subjects') ? undefined : this.#counted.get(id);
    if (before?.version === version) return before.subjects;
    const isNew = before && (await warehouse.versions.addedSince?.(model, before.version));
    const names = fields.map((_, index) => `s${index}`).join(', ');
    const found = await warehouse.rows(
      `select ${names}, count(*) as n, max(landed_at) as newest
       from (select ${textColumns(fields)}, ${quoted(time)} as landed_at from ${model}${isNew === undefined ? '' : ` where ${isNew}`})
       group by ${names}`,
    );
    const subjects = new Map(isNew === undefined ? [] : before?.subjects);
    for (const row of found) {
      const values = textsOf(row, fields.length);
      const counted = subjects.get(subjectKey(values));
      subjects.set(subjectKey(values), {
        values,
        rows: Number(row['n']) + (counted?.rows ?? 0),
        newest: Math.max(Number(row['newest']), counted?.newest ?? -Infinity),
      });
    }
    this.#counted.set(id, { version, subjects });
    return subjects;
  }
}
