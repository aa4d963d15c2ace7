// Reads the tables and column names of a SELECT from DuckDB's own syntax tree.
// (DuckDB's table-name lister returns nothing for some queries, and for broken ones, without an error.)
import { sentence } from '../../../platform/base/printable.ts';
import type { Json } from '../../../platform/base/json.ts';
import { EngineError } from '../errors.ts';
import { isTree, type SyntaxTree } from '../syntax.ts';

const failure = (problem: string, sql: string, position = 0) =>
  new EngineError(
    `${sentence(problem)}\nIn line ${sql.slice(0, position).split('\n').length}: ${lineAt(sql, position)}`,
  );

const lineAt = (sql: string, position: number) =>
  sql.slice(sql.lastIndexOf('\n', position - 1) + 1).split('\n')[0] ?? '';

/** The tree of one SELECT from the result of `json_serialize_sql`. Throws when the SQL does not parse or is something else. */
export function parsedSelect(serialized: string, sql: string): SyntaxTree {
  const document = JSON.parse(serialized) as SyntaxTree;
  if (document['error']) {
    throw failure(
      String(document['error_message'] ?? 'It does not parse.'),
      sql,
      Number(document['position'] ?? 0),
    );
  }
  const statements = document['statements'] as readonly SyntaxTree[];
  const node = statements.length === 1 ? statements[0]?.['node'] : undefined;
  if (!isTree(node)) throw failure(`Write one SELECT; there are ${statements.length}.`, sql);
  return node;
}

/** Qualified names, sorted. Throws when a table is named without its schema. */
export function tablesRead(tree: SyntaxTree, sql: string): readonly string[] {
  const found = { tables: new Set<string>(), expressions: new Set<string>() };
  collect(tree, found);
  for (const name of found.expressions) found.tables.delete(name);
  for (const name of found.tables) {
    if (!name.includes('.')) throw failure(`"${name}" needs its schema, for example obs.${name}`, sql);
  }
  return [...found.tables].sort();
}

interface QueryNames {
  /** Tables, with their schema where the query gives one. */
  readonly tables: Set<string>;
  /** Names of common table expressions. */
  readonly expressions: Set<string>;
}

function collect(node: Json, names: QueryNames): void {
  if (Array.isArray(node)) {
    for (const child of node) collect(child, names);
  } else if (isTree(node)) {
    const schema = node['schema_name'] ? `${node['schema_name']}.` : '';
    if (node['type'] === 'BASE_TABLE') names.tables.add(`${schema}${node['table_name']}`);
    const expressions = isTree(node['cte_map']) ? node['cte_map']['map'] : [];
    for (const entry of expressions as readonly SyntaxTree[]) names.expressions.add(String(entry['key']));
    for (const child of Object.values(node)) collect(child, names);
  }
}

/** Throws if the text does not name every column: for `*`, or an expression without an alias. */
export function columnsNamed(tree: SyntaxTree, sql: string): readonly string[] {
  if (isTree(tree['left'])) return columnsNamed(tree['left'], sql);
  return (tree['select_list'] as readonly SyntaxTree[]).map((column) => {
    if (column['alias']) return String(column['alias']);
    const name = (column['column_names'] as readonly string[] | undefined)?.at(-1);
    if (name === undefined)
      throw failure(
        'every column needs a name: list the columns instead of *, and name expressions with `as`',
        sql,
      );
    return name;
  });
}
