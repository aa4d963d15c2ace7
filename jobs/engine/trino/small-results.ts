// Small results are fetched and compared here, so that a model that changes is computed once: the statement that changes the table gets the
// changed rows as constants. A Trino query over few rows costs what its plan costs, so computing them a second time would double the cost.
import { quoted } from '../sql-text.ts';
import type { TrinoClient } from './client.ts';
import type { FetchedRow } from './constants.ts';
import type { Writing } from './statements.ts';

export interface Difference {
  /** Rows of the query. */
  readonly fresh: readonly FetchedRow[];
  /** Rows of the table that the query no longer returns. */
  readonly removed: readonly FetchedRow[];
  readonly added: readonly FetchedRow[];
}

/** Larger results are compared on Trino. */
export const MAX_FETCHED_ROWS = 2_000;

/** Runs the query of a model and reads the rows that it replaces; null if either has more rows than are fetched. */
export async function fetchDifference(
  client: Pick<TrinoClient, 'pages'>,
  { table, columns, rows, old }: Writing,
): Promise<Difference | null> {
  const names = columns.map(({ name }) => quoted(name)).join(', ');
  const [fresh, before] = await Promise.all([
    fetchRows(client, `select ${names} from (${rows}) as batch`),
    fetchRows(client, `select ${names} from ${table} where ${old('')}`),
  ]);
  return fresh === null || before === null ? null : differenceOf(before, fresh);
}

/** Ends the query as soon as there are too many rows. */
async function fetchRows(
  client: Pick<TrinoClient, 'pages'>,
  sql: string,
): Promise<readonly FetchedRow[] | null> {
  const rows: FetchedRow[] = [];
  for await (const page of client.pages(sql)) {
    rows.push(...page.rows);
    if (rows.length > MAX_FETCHED_ROWS) return null;
  }
  return rows;
}

/** Rows are the same if all of their values are; a row may occur several times. */
export function differenceOf(before: readonly FetchedRow[], fresh: readonly FetchedRow[]): Difference {
  const left = new Map<string, FetchedRow[]>();
  for (const row of before) {
    const text = JSON.stringify(row);
    const same = left.get(text);
    if (same === undefined) left.set(text, [row]);
    else same.push(row);
  }
  const added = fresh.filter((row) => left.get(JSON.stringify(row))?.pop() === undefined);
  return { fresh, removed: [...left.values()].flat(), added };
}
