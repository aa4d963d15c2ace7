// The next value of a column after an instant, and its distinct values. Each is queried once for each version of its table, and together
// with the values that are announced for the same table.
import type { Queries, Warehouse } from '../engine/warehouse.ts';
import type { ValuesOf } from './dependencies.ts';

/** Where to look for a value: at or after an instant (`from`), or after it (`above`). */
export interface Direction {
  readonly at: number;
  readonly side: 'from' | 'above';
}

export interface Question extends Direction {
  readonly values: ValuesOf;
}

/** The lowest value in a direction; null when there is none, undefined when the table has no such column. */
type NextValue = number | null | undefined;

/** Distinct values without nulls; null when there are too many, undefined when the table has no such column. */
type Values = readonly number[] | null | undefined;

/** There is no value from `at` up to `next`. */
interface Gap {
  readonly at: number;
  readonly next: NextValue;
}

/** Each query needs values for a few times: the end of the window, some days before it, a few durations before those. */
const MAX_GAPS = 64;
const MAX_VALUES = 64;
/** Maximum number of questions that one statement covers. */
const MAX_QUESTIONS = 32;

const isSame = (a: Question, b: Question): boolean =>
  a.at === b.at && a.side === b.side && a.values.expression === b.values.expression;

export type ValuesWarehouse = Pick<Warehouse, 'rows' | 'describe'> & {
  readonly versions: Pick<Warehouse['versions'], 'of'>;
};

export class ColumnValues {
  readonly #warehouse: ValuesWarehouse;
  readonly #gaps = new Map<string, { readonly version: string; readonly list: Gap[] }>();
  /** Announced questions by table. */
  readonly #announced = new Map<string, { readonly version: string; readonly list: readonly Question[] }>();
  readonly #asking = new Map<string, Promise<void>>();
  readonly #values = new Map<string, { readonly version: string; readonly values: Values }>();

  constructor(warehouse: ValuesWarehouse) {
    this.#warehouse = warehouse;
  }

  async next(values: ValuesOf, direction: Direction): Promise<NextValue> {
    const { table } = values;
    for (;;) {
      const gap = await this.#gapOf({ values, ...direction });
      if (gap !== undefined) return gap.next;
      const running = this.#asking.get(table);
      if (running === undefined) break;
      await running;
    }
    const work = this.#ask({ values, ...direction });
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

  /** Announces the values that will be needed of the current versions, so that one statement per table fetches them all. */
  async announce(questions: readonly Question[]): Promise<void> {
    this.#announced.clear();
    for (const [table, list] of Map.groupBy(questions, ({ values }) => values.table))
      this.#announced.set(table, { version: await this.#warehouse.versions.of(table), list });
  }

  async values({ table, column, expression }: ValuesOf): Promise<Values> {
    const version = await this.#warehouse.versions.of(table);
    const key = `${table} ${expression}`;
    const found = this.#values.get(key);
    if (found?.version === version) return found.values;
    const values = await this.#distinctValues({ table, column, expression });
    this.#values.set(key, { version, values });
    return values;
  }

  async #gapOf({ values: { table, expression }, side, at }: Question): Promise<Gap | undefined> {
    const gaps = this.#gaps.get(`${side} ${table} ${expression}`);
    if (gaps === undefined || gaps.version !== (await this.#warehouse.versions.of(table))) return undefined;
    return gaps.list.find((one) => one.at <= at && (one.next ?? Number.POSITIVE_INFINITY) > at);
  }

  /** Queries the value of one question, and in the same statement those announced for the same table. */
  async #ask(question: Question): Promise<NextValue> {
    const { table } = question.values;
    const version = await this.#warehouse.versions.of(table);
    const announced = this.#announced.get(table);
    const questions = [question];
    for (const one of announced?.version === version ? announced.list : [])
      if (questions.length < MAX_QUESTIONS && !questions.some((other) => isSame(one, other)))
        if ((await this.#gapOf(one)) === undefined) questions.push(one);
    const columns = await this.#columnsOf(table);
    const answers = await nextOfAll(this.#warehouse, questions, columns);
    for (const [index, one] of questions.entries()) this.#store(one, { version, next: answers[index] });
    return answers[0];
  }

  #store({ values, side, at }: Question, { version, next }: { version: string; next: Gap['next'] }): void {
    const key = `${side} ${values.table} ${values.expression}`;
    const before = this.#gaps.get(key);
    const list = before?.version === version ? before.list : [];
    this.#gaps.set(key, { version, list: [{ at, next }, ...list].slice(0, MAX_GAPS) });
  }

  async #columnsOf(table: string): Promise<readonly string[]> {
    return (await this.#warehouse.describe(table))?.map(({ name }) => name) ?? [];
  }

  async #distinctValues({ table, column, expression }: ValuesOf): Promise<Values> {
    if (!hasColumn(await this.#columnsOf(table), column)) return undefined;
    const rows = await this.#warehouse.rows(
      `select distinct ${expression} as value from ${table} where ${expression} is not null limit ${MAX_VALUES + 1}`,
    );
    return rows.length > MAX_VALUES ? null : rows.map(({ value }) => Number(value));
  }
}

// Queries a table for the next values of several expressions in one statement.

const hasColumn = (columns: readonly string[], column: string): boolean =>
  columns.some((name) => name.toLowerCase() === column);

/** All questions concern the same table, which has these columns. Resolves to the values in the order of the questions. */
async function nextOfAll(
  warehouse: Pick<Queries, 'rows'>,
  questions: readonly Question[],
  columns: readonly string[],
): Promise<readonly NextValue[]> {
  const answers: NextValue[] = questions.map(() => undefined);
  const parts = questions.flatMap(({ values: { table, column, expression }, side, at }, index) => {
    if (!hasColumn(columns, column)) return [];
    const isAfter = `${expression} ${side === 'from' ? '>=' : '>'} ${at}`;
    return [`select ${index} as question, min(${expression}) as next from ${table} where ${isAfter}`];
  });
  if (parts.length === 0) return answers;
  for (const { question, next } of await warehouse.rows(parts.join(' union all ')))
    answers[Number(question)] = next === null || next === undefined ? null : Number(next);
  return answers;
}
