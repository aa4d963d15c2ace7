// Which tables a SELECT reads, from DuckDB's own syntax tree. (Its table-name lister answers nothing at all for some queries, and for
// broken ones, without an error.)
import type { Json } from '../../snapshots/layout.ts';
import { EngineError } from './errors.ts';

/** Qualified names in order of the alphabet. Throws when the SQL does not parse, is not one SELECT, or names a table without its schema. */
export function tablesOfSerializedSelect(tree: string, sql: string): readonly string[] {
  const document = JSON.parse(tree) as {
    error: boolean;
    error_message?: string;
    statements?: readonly Json[];
  };
  if (document.error)
    throw new EngineError(`${document.error_message ?? 'the SQL does not parse'}\nin the statement: ${sql}`);
  if (document.statements?.length !== 1)
    throw new EngineError(`expected one SELECT\nin the statement: ${sql}`);
  const found = { tables: new Set<string>(), named: new Set<string>() };
  collect(document.statements[0] ?? null, found);
  for (const name of found.named) found.tables.delete(name);
  for (const name of found.tables) {
    if (!name.includes('.'))
      throw new EngineError(`"${name}" needs its schema, for example obs.${name}\nin the statement: ${sql}`);
  }
  return [...found.tables].sort();
}

interface Found {
  /** Tables, with their schema where the query gives one. */
  readonly tables: Set<string>;
  /** Names of common table expressions. */
  readonly named: Set<string>;
}

function collect(node: Json, found: Found): void {
  if (node === null || typeof node !== 'object') return;
  if (Array.isArray(node)) {
    for (const child of node) collect(child, found);
    return;
  }
  const fields = node as { readonly [key: string]: Json };
  if (fields['type'] === 'BASE_TABLE') {
    found.tables.add(
      fields['schema_name']
        ? `${fields['schema_name']}.${fields['table_name']}`
        : String(fields['table_name']),
    );
  }
  for (const name of namesDefined(fields['cte_map'])) found.named.add(name);
  for (const child of Object.values(fields)) collect(child, found);
}

function namesDefined(cteMap: Json | undefined): readonly string[] {
  const entries = (cteMap as { map?: readonly { key: string }[] } | undefined)?.map ?? [];
  return entries.map((entry) => entry.key);
}
