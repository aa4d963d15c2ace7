// Names of subjects: how checks find them in rows, how they are found in the rows of a dataset, and which of them rest on others.

import type { Dataset } from '../../define/dataset.ts';
import type { Domain } from '../../define/domain.ts';
import type { RawTable } from '../../define/raw-table.ts';
import { columnsOf, fieldsOf, type SubjectColumns, type SubjectId } from '../../define/subject.ts';
import type { Row } from '../../engine/rows.ts';

/** The fields that identify a subject, with their values. */
export type Subject = ReadonlyMap<string, string>;

/** The fields of one kind of subject. */
export type Kind = readonly string[];

export const nameOf = (subject: Subject): string => [...subject.values()].join(' ');

/** Equal for equal subjects. */
export const subjectKey = (subject: Subject): string =>
  JSON.stringify([...subject].sort(([a], [b]) => (a < b ? -1 : 1)));

/** Every kind of subject that these domains know, those with the most fields first. */
export function kindsOf(domains: readonly Pick<Domain, 'raw' | 'links' | 'datasets'>[]): readonly Kind[] {
  const kinds = domains.flatMap(({ raw, links = [], datasets }): readonly Kind[] => [
    ...raw.map(({ subject }) => subject),
    ...links.flatMap(({ of, to }) => [Object.keys(of), Object.keys(to)]),
    ...datasets.map(({ subject }) => Object.keys(columnsOf(subject))),
  ]);
  return kinds.filter((fields) => fields.length > 0).toSorted((a, b) => b.length - a.length);
}

/** The kind that a row with these columns names: the one with the most fields. */
export const kindIn = (kinds: readonly Kind[], columns: ReadonlySet<string>): Kind | undefined =>
  kinds.find((fields) => fields.every((field) => columns.has(field)));

/** The subject that a row of an audit names; null if it does not name any. */
export function subjectIn(kinds: readonly Kind[], row: Row): Subject | null {
  const isNamed = (field: string) => ['string', 'number'].includes(typeof row[field]);
  const kind = kindIn(kinds, new Set(Object.keys(row).filter(isNamed)));
  return kind === undefined ? null : new Map(kind.map((field) => [field, String(row[field])]));
}

/**
 * Fields of a kind that identify rows by these columns: all of the kind, or those that name the rows' whole subject. Null if the kind does
 * not say which rows are meant.
 */
export function placingFields(columns: SubjectColumns, kind: Kind): readonly string[] | null {
  const fields = kind.filter((field) => columns[field] !== undefined);
  const named = new Set(fields.map((field) => columns[field]));
  const isWhole = Object.values(columns).every((column) => named.has(column));
  return fields.length > 0 && (fields.length === kind.length || isWhole) ? fields : null;
}

export const landedFields = ({ subject }: Pick<Dataset, 'subject'>, raw: Pick<RawTable, 'subject'>) =>
  placingFields(columnsOf(subject), raw.subject);

/** Columns of a dataset's table with the values that rows of the subject have; null if its rows do not show the subject. */
export function valuesIn(columns: SubjectColumns, subject: Subject): ReadonlyMap<string, string> | null {
  const fields = placingFields(columns, [...subject.keys()]);
  if (fields === null) return null;
  // In the order in which the dataset names them.
  return new Map(
    Object.entries(columns).flatMap(([field, column]): [string, string][] => {
      const value = fields.includes(field) ? subject.get(field) : undefined;
      return value === undefined ? [] : [[column, value]];
    }),
  );
}

/** Finds rows by the values of some of their columns. */
export class RowsBySubject {
  /** Columns -> the values of them that are sought. */
  readonly #sought = new Map<string, { readonly columns: readonly string[]; readonly values: Set<string> }>();

  constructor(sought: Iterable<ReadonlyMap<string, string>>) {
    for (const one of sought) {
      const columns = [...one.keys()];
      const key = JSON.stringify(columns);
      const same = this.#sought.get(key) ?? { columns, values: new Set() };
      same.values.add(JSON.stringify([...one.values()]));
      this.#sought.set(key, same);
    }
  }

  has(row: Row): boolean {
    for (const { columns, values } of this.#sought.values())
      if (values.has(JSON.stringify(columns.map((column) => String(row[column]))))) return true;
    return false;
  }
}

/** Finds subjects by the ids that events have. */
export class SubjectIds {
  readonly #exact = new Set<string>();
  readonly #patterns: RegExp[] = [];

  constructor(ids: readonly SubjectId[], subjects: Iterable<Subject>) {
    for (const subject of subjects)
      for (const id of ids) {
        if (!fieldsOf(id).every((field) => subject.has(field))) continue;
        const text = id.replaceAll(/\{(\w+)\}/g, (_, field) =>
          (subject.get(field) ?? '').replaceAll('|', ':'),
        );
        if (id.includes('*')) this.#patterns.push(patternOf(id, subject));
        else this.#exact.add(text);
      }
  }

  has(id: string): boolean {
    return this.#exact.has(id) || this.#patterns.some((pattern) => pattern.test(id));
  }
}

/** Values may contain a star, so only those of the id itself are wildcards. */
function patternOf(id: SubjectId, subject: Subject): RegExp {
  const parts = id.split(/(\{\w+\}|\*)/).map((part) => {
    if (part === '*') return '.*';
    const field = /^\{(\w+)\}$/.exec(part)?.[1];
    return escaped(field === undefined ? part : (subject.get(field) ?? '').replaceAll('|', ':'));
  });
  return new RegExp(`^${parts.join('')}$`, 's');
}

const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
