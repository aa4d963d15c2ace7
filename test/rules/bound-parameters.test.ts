// Values from outside are bound to statements of the ops store and of PostgreSQL, never written into them: what a statement interpolates
// is a constant of its file, in capitals, or derived from one.
import { describe, expect, test } from 'vitest';
import {
  isNode,
  lineOf,
  type SourceFile,
  type SyntaxNode,
  sourceFiles,
  syntaxTree,
  walk,
} from './source-tree.ts';

const STATEMENT =
  /^\s*(select|insert|update|delete|with|create|alter|drop|pragma|begin|set|vacuum|attach)\b/i;
const FOLDERS = /^(server\/store|platform\/(leases|postgres))\//;
/** They write names of tables and columns of their own schema, and numbers of migrations; nothing that a caller sends. */
const OF_SCHEMA = /^server\/store\/(copy\/|sqlite\/(migrate|sqlite-session)\.ts$)/;
const CONSTANT = /^[A-Z][A-Z0-9_]*$/;

/** Whether the value is a constant, a member or method of one with constant arguments, or a call of a function of this file with literals. */
function isConstant(node: unknown, own: ReadonlySet<string>): boolean {
  if (!isNode(node)) return false;
  switch (node.type) {
    case 'Literal':
    case 'ArrowFunctionExpression':
      return true;
    case 'Identifier':
      return CONSTANT.test(String(node['name'])) || own.has(String(node['name']));
    case 'MemberExpression':
      return isConstant(node['object'], own);
    case 'CallExpression': {
      const args = node['arguments'] as readonly unknown[];
      const { callee } = node as { readonly callee?: unknown };
      const isFunction = isNode(callee) && callee.type === 'Identifier';
      return (isFunction || isConstant(callee, own)) && args.every((one) => isConstant(one, own));
    }
    case 'TemplateLiteral':
      return (node['expressions'] as readonly unknown[]).every((one) => isConstant(one, own));
    default:
      return false;
  }
}

/** Names that a loop or a mapping over a constant of the file binds. */
function namesOverConstants(tree: SyntaxNode): ReadonlySet<string> {
  const names = new Set<string>();
  walk(tree, (node) => {
    if (node.type !== 'ForOfStatement' || !isConstant(node['right'], names)) return;
    walk(node['left'] as SyntaxNode, (inner) => {
      if (inner.type === 'Identifier') names.add(String(inner['name']));
    });
  });
  return names;
}

function problemsIn(file: SourceFile): string[] {
  const tree = syntaxTree(file);
  const own = namesOverConstants(tree);
  const problems: string[] = [];
  walk(tree, (node) => {
    if (node.type !== 'TemplateLiteral') return;
    const [first] = node['quasis'] as readonly { readonly value: { readonly raw: string } }[];
    if (!STATEMENT.test(first?.value.raw ?? '')) return;
    for (const expression of node['expressions'] as readonly SyntaxNode[])
      if (!isConstant(expression, own))
        problems.push(
          `${file.path}:${lineOf(file.text, expression.start)} writes ${file.text.slice(expression.start, expression.end)} into a statement: bind it`,
        );
  });
  return problems;
}

const files = sourceFiles(['server', 'platform'], '.ts').filter(
  ({ path }) => FOLDERS.test(path) && !OF_SCHEMA.test(path),
);

test('statements of the store bind their values', () => {
  expect(files.length).toBeGreaterThan(20);
  expect(files.flatMap(problemsIn)).toEqual([]);
});

describe('the rule catches', () => {
  /** `#` stands for the mark of an interpolation. */
  const withMarks = (text: string) => text.replaceAll('#{', `${'$'}{`);
  const caught = (text: string) => problemsIn({ path: 'server/store/a.ts', text: withMarks(text) }).length;

  test.each([
    'const sql = (name: string) => `select 1 where name = #{name}`;',
    'db.get(`delete from a where id = #{row.id}`);',
    'db.run(`update a set b = #{String(value)} where c = ?`, 1);',
  ])('%s', (text) => {
    expect(caught(text)).toBe(1);
  });

  test.each([
    'db.get(`select * from a limit #{BATCH}`);',
    "db.get(`insert into a (#{COLUMNS.join(', ')}) values (?)`, value);",
    'const text = `the key #{name} is unknown`;',
  ])('nothing in %s', (text) => {
    expect(caught(text)).toBe(0);
  });
});
