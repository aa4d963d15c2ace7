// Queries a table for the next values of several expressions in one statement.
import type { Row } from './rows.ts';
import type { Question, TableVersions } from './versions.ts';

type NextValue = Awaited<ReturnType<TableVersions['next']>>;

export const hasColumn = (columns: readonly string[], column: string): boolean =>
  columns.some((name) => name.toLowerCase() === column);

/** All questions concern the same table, which has these columns. Resolves to the values in the order of the questions. */
export async function nextOfAll(
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
