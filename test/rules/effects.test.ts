import { expect, test } from 'vitest';
import {
  isNode,
  lineOf,
  PRODUCT_FOLDERS,
  type SourceFile,
  type SyntaxNode,
  sourceFiles,
  syntaxTree,
  walk,
} from './source-tree.ts';

const ENTRY_POINTS = new Set([
  'jobs/main.ts',
  'server/main.ts',
  'platform/processes/main.ts',
  'server/keys.ts',
  // For backup.ts, restore.ts and doctor.ts.
  'operations/program.ts',
  // What scripts of pages take from their browser.
  'server/web/browser/environment.ts',
]);
const GLOBAL_EFFECTS: Readonly<Record<string, string>> = {
  'process.env': 'the environment',
  'process.argv': 'the arguments',
  'process.exit': 'the end of the process',
  'Date.now': 'the clock',
  'Math.random': 'randomness',
  'crypto.randomUUID': 'randomness',
  'crypto.getRandomValues': 'randomness',
  'performance.timeOrigin': 'the clock',
};
const RANDOM_IMPORTS =
  /^(randomBytes|randomUUID|randomInt|randomFill|randomFillSync|getRandomValues|webcrypto)$/;

const nameOf = (node: unknown) => (isNode(node) && typeof node['name'] === 'string' ? node['name'] : '');

function effectOf(node: SyntaxNode): string | undefined {
  if (node.type === 'MemberExpression')
    return GLOBAL_EFFECTS[`${nameOf(node['object'])}.${nameOf(node['property'])}`];
  const isBareDate =
    nameOf(node['callee']) === 'Date' && Array.isArray(node['arguments']) && node['arguments'].length === 0;
  if (node.type === 'NewExpression' && isBareDate) return 'the clock';
  if (
    node.type === 'ImportDeclaration' &&
    isNode(node['source']) &&
    node['source']['value'] === 'node:process'
  ) {
    return 'the process';
  }
  return node.type === 'ImportSpecifier' && RANDOM_IMPORTS.test(nameOf(node['imported']))
    ? 'randomness'
    : undefined;
}

/** A word of each effect; a file without any need not be parsed. */
const NAMES_AN_EFFECT = /\b(?:process|Date|Math|performance)\b|crypto|random/i;

function effectProblems(file: SourceFile): string[] {
  if (!NAMES_AN_EFFECT.test(file.text)) return [];
  const problems: string[] = [];
  walk(syntaxTree(file), (node) => {
    const effect = effectOf(node);
    if (effect === undefined) return;
    const where = `${file.path}:${lineOf(file.text, node.start)}`;
    problems.push(
      `${where} takes ${effect} itself: let ${[...ENTRY_POINTS].join(', ')} pass it in as an argument`,
    );
  });
  return problems;
}

test('only the entry points take the environment, the clock, randomness and the end of the process', () => {
  const files = sourceFiles(PRODUCT_FOLDERS, '.ts').filter((file) => !ENTRY_POINTS.has(file.path));
  expect(files.flatMap(effectProblems)).toEqual([]);
});

test.each([
  'const dir = process.env.DATA_DIR;',
  'const { PORT } = process.env;',
  'process.exit(1);',
  'const now = Date.now();',
  'const clock = { now: Date.now };',
  'const now = new Date();',
  'const n = Math.random();',
  "import { randomBytes } from 'node:crypto';",
  "import { env } from 'node:process';",
  'const id = crypto.randomUUID();',
])('%s is caught', (text) => {
  expect(effectProblems({ path: 'jobs/x.ts', text })).toHaveLength(1);
});

test.each([
  'const day = new Date(0);',
  'const now = clock.now();',
  "import { createHash } from 'node:crypto';",
])('%s passes', (text) => {
  expect(effectProblems({ path: 'jobs/x.ts', text })).toEqual([]);
});

/** Functions that a top-level await calls would read such a constant before it is initialised. */
function lateConstants(file: SourceFile): string[] {
  const body = syntaxTree(file)['body'];
  const statements = Array.isArray(body) ? body.filter(isNode) : [];
  const isFunction = (node: SyntaxNode) => /Function/.test(node.type);
  const awaits = (statement: SyntaxNode): boolean => {
    if (isFunction(statement)) return false;
    let [found, functionEnd] = [false, -1];
    walk(statement, (node) => {
      if (node.start < functionEnd) return;
      if (isFunction(node)) functionEnd = node.end;
      else if (node.type === 'AwaitExpression') found = true;
    });
    return found;
  };
  const first = statements.findIndex(awaits);
  if (first === -1) return [];
  return statements
    .slice(first + 1)
    .filter(({ type }) => type === 'VariableDeclaration' || type === 'ClassDeclaration')
    .map(
      ({ start }) => `${file.path}:${lineOf(file.text, start)} declares a constant after a top-level await`,
    );
}

test('entry points declare their constants before their first top-level await', () => {
  const files = sourceFiles(PRODUCT_FOLDERS, '.ts').filter(({ path }) => ENTRY_POINTS.has(path));
  expect(files.length).toBe(ENTRY_POINTS.size);
  expect(files.flatMap(lateConstants)).toEqual([]);
});

test.each([
  ['await main();\nconst text = () => 1;', 1],
  ['if (x) await main();\nclass A {}', 1],
  ['const text = () => 1;\nawait main();\nfunction f() { const x = 1; }', 0],
  ['const main = async () => { await f(); };\nconst late = 1;', 0],
  ['async function main() { await f(); }\nconst late = 1;', 0],
])('%j has %i late constants', (text, count) => {
  expect(lateConstants({ path: 'jobs/x.ts', text })).toHaveLength(count);
});
