// What is known about each version of a table: the values of its columns and whether it has rows. Each fact is queried once.
import type { Row } from './rows.ts';
import type { Question, TableVersions, ValuePlace, ValuesOf } from './versions.ts';

/** A table that was never written. */
export const UNWRITTEN = '0';

/** There is no value from `at` up to `next`. */
interface Gap {
  readonly at: number;
  readonly next: number | null | undefined;
}

interface Gaps {
  readonly version: string;
  readonly list: Gap[];
}

/** Each query needs values for a few times: the end of the window, some days before it, a few durations before those. */
const MAX_GAPS = 64;
const MAX_VALUES = 64;
/** Maximum number of questions that one statement covers. */
const MAX_QUESTIONS = 32;

type Values = Awaited<ReturnType<TableVersions['values']>>;

const isSame = (a: Question, b: Question): boolean =>
  a.at === b.at && a.side === b.side && a.values.expression === b.values.expression;

export abstract class KnownVersions implements TableVersions {
  readonly #gaps = new Map<string, Gaps>();
  /** Announced questions by table. */
  readonly #expected = new Map<string, { readonly version: string; readonly list: readonly Question[] }>();
  readonly #asking = new Map<string, Promise<void>>();
  readonly #values = new Map<string, { readonly version: string; readonly values: Values }>();
  /** Whether each table has rows, and in which of its versions that was found. */
  readonly #filled = new Map<string, { readonly version: string; readonly hasRows: boolean }>();

  abstract of(table: string): Promise<string>;
  protected abstract rows(sql: string): Promise<readonly Row[]>;
  /** Null when there is no such table. */
  protected abstract columnsOf(table: string): Promise<readonly string[] | null>;
  /** Whether the table is bound from outside, so that its version says nothing about its rows. */
  protected abstract isBound(table: string): boolean;

  async next(values: ValuesOf, place: ValuePlace): Promise<number | null | undefined> {
    const { table } = values;
    for (;;) {
      const gap = await this.#gapOf({ values, ...place });
      if (gap !== undefined) return gap.next;
      const asked = this.#asking.get(table);
      if (asked === undefined) break;
      await asked;
    }
    const work = this.#ask({ values, ...place });
    // A failure rejects the call that runs the query, not those that wait for it.
    const ended = work.then(
      () => undefined,
      () => undefined,
    );
    this.#asking.set(table, ended);
    try {
      return await work;
    } finally {
      this.#asking.delete(table);
    }
  }

  async expect(questions: readonly Question[]): Promise<void> {
    this.#expected.clear();
    for (const [table, list] of Map.groupBy(questions, ({ values }) => values.table))
      this.#expected.set(table, { version: await this.of(table), list });
  }

  async values({ table, column, expression }: ValuesOf): Promise<Values> {
    const version = await this.of(table);
    const key = `${table} ${expression}`;
    const known = this.#values.get(key);
    if (known?.version === version) return known.values;
    const values = await this.#distinctValues({ table, column, expression });
    this.#values.set(key, { version, values });
    return values;
  }

  async hasRows(table: string): Promise<boolean> {
    const version = await this.of(table);
    // A table whose rows are not versioned may have some by now.
    if (version === UNWRITTEN || this.isBound(table)) return true;
    const known = this.#filled.get(table);
    if (known?.version === version) return known.hasRows;
    const rows = await this.rows(`select 1 as one from ${table} limit 1`);
    this.#filled.set(table, { version, hasRows: rows.length > 0 });
    return rows.length > 0;
  }

  /** Whether the table has rows, if that is already known without a query. */
  async knownRows(table: string): Promise<'none' | 'some' | 'unknown'> {
    const known = this.#filled.get(table);
    if (known?.version !== (await this.of(table))) return 'unknown';
    return known.hasRows ? 'some' : 'none';
  }

  protected noteRows(table: string, version: string, hasRows: boolean): void {
    this.#filled.set(table, { version, hasRows });
  }

  protected forgetKnown(): void {
    this.#gaps.clear();
    this.#values.clear();
    this.#filled.clear();
  }

  async #gapOf({ values: { table, expression }, side, at }: Question): Promise<Gap | undefined> {
    const known = this.#gaps.get(`${side} ${table} ${expression}`);
    if (known === undefined || known.version !== (await this.of(table))) return undefined;
    return known.list.find((one) => one.at <= at && (one.next ?? Number.POSITIVE_INFINITY) > at);
  }

  /** Queries the value of one question, and in the same statement those announced for the same table. */
  async #ask(question: Question): Promise<number | null | undefined> {
    const { table } = question.values;
    const version = await this.of(table);
    const expected = this.#expected.get(table);
    const questions = [question];
    for (const one of expected?.version === version ? expected.list : [])
      if (questions.length < MAX_QUESTIONS && !questions.some((other) => isSame(one, other)))
        if ((await this.#gapOf(one)) === undefined) questions.push(one);
    const columns = (await this.columnsOf(table)) ?? [];
    const answers = await nextOfAll((sql) => this.rows(sql), questions, columns);
    for (const [index, one] of questions.entries()) this.#keep(one, { version, next: answers[index] });
    return answers[0];
  }

  #keep({ values, side, at }: Question, { version, next }: { version: string; next: Gap['next'] }): void {
    const key = `${side} ${values.table} ${values.expression}`;
    const known = this.#gaps.get(key);
    const gaps = known?.version === version ? known.list : [];
    this.#gaps.set(key, { version, list: [{ at, next }, ...gaps].slice(0, MAX_GAPS) });
  }

  async #distinctValues({ table, column, expression }: ValuesOf): Promise<Values> {
    if (!hasColumn((await this.columnsOf(table)) ?? [], column)) return undefined;
    const rows = await this.rows(
      `select distinct ${expression} as value from ${table} where ${expression} is not null limit ${MAX_VALUES + 1}`,
    );
    return rows.length > MAX_VALUES ? null : rows.map(({ value }) => Number(value));
  }
}

// Queries a table for the next values of several expressions in one statement.

type NextValue = Awaited<ReturnType<TableVersions['next']>>;

const hasColumn = (columns: readonly string[], column: string): boolean =>
  columns.some((name) => name.toLowerCase() === column);

/** All questions concern the same table, which has these columns. Resolves to the values in the order of the questions. */
async function nextOfAll(
  rows: (sql: string) => Promise<readonly Row[]>,
  questions: readonly Question[],
  columns: readonly string[],
): Promise<readonly NextValue[]> {
  const answers: NextValue[] = questions.map(() => undefined);
  const parts = questions.flatMap(({ values: { table, column, expression }, side, at }, index) => {
    if (!hasColumn(columns, column)) return [];
    const operator = side === 'from' ? '>=' : '>';
    return [
      `select ${index} as place, min(${expression}) as next from ${table} where ${expression} ${operator} ${at}`,
    ];
  });
  if (parts.length === 0) return answers;
  for (const { place, next } of await rows(parts.join(' union all ')))
    answers[Number(place)] = next === null || next === undefined ? null : Number(next);
  return answers;
}
