// SQL in TypeScript: statements in string and template literals, with a name in place of what is filled in at run time.
import { isNode, lineOf, type SourceFile, type SyntaxNode, syntaxTree, walk } from './source-tree.ts';

export interface Statement {
  readonly path: string;
  readonly line: number;
  readonly sql: string;
}

/** Files that may hold SQL of one engine: DuckDB, Trino, the ops store, leases, process locks, and commands that pages show. */
const ENGINE_ROOMS =
  /^(jobs\/(engine|ingest)\/|server\/store\/|platform\/(leases|postgres)\/|server\/web\/browser\/|platform\/storage\/process-lock\.ts$)/;
const OPENS_A_STATEMENT =
  /^\s*(with\s+\w+\s+as\s*\(|select\s|insert\s+into\s|delete\s+from\s|update\s+\w+(\.\w+)?\s+set\s|create\s+(or\s+replace\s+)?(temp\s+)?(table|view|macro)\s|drop\s+(table|view)\s|alter\s+table\s|copy\s*\(|describe\s+\w|attach\s|pragma\s|checkpoint\b)/i;

export const isOutsideEngines = ({ path }: SourceFile): boolean => !ENGINE_ROOMS.test(path);

/** Every statement in the text of a file. */
export function statementsIn(file: SourceFile): Statement[] {
  const found: Statement[] = [];
  walk(syntaxTree(file), (node) => {
    const sql = textOf(node);
    if (sql !== null && OPENS_A_STATEMENT.test(sql))
      found.push({ path: file.path, line: lineOf(file.text, node.start), sql });
  });
  return found;
}

function textOf(node: SyntaxNode): string | null {
  if (node.type === 'Literal') return typeof node['value'] === 'string' ? node['value'] : null;
  if (node.type !== 'TemplateLiteral' || !Array.isArray(node['quasis'])) return null;
  const parts = node['quasis'].map((quasi) => (isNode(quasi) ? cooked(quasi) : ''));
  return parts.reduce((text, part) => `${text}${placeholderAfter(text)}${part}`);
}

const cooked = (quasi: SyntaxNode): string =>
  String((quasi['value'] as { readonly cooked?: unknown } | undefined)?.cooked ?? '');

/** A name fits where an expression, a table or a list does; only a limit has to be a number. */
const placeholderAfter = (text: string) => (/\blimit\s*$/i.test(text) ? '1' : 'filled_in');
