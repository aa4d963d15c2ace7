import { expect, test } from 'vitest';
import {
  isNode,
  lineOf,
  SOURCE_FOLDERS,
  type SourceFile,
  type SyntaxNode,
  sourceFiles,
  syntaxTree,
  walk,
} from './source-tree.ts';

const MOST_LINES_IN_FILE = 300;
const MOST_LINES_IN_FUNCTION = 40;
const FUNCTIONS = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression']);

function fileProblems({ path, text }: SourceFile): string[] {
  const lines = text.trimEnd().split('\n').length;
  return lines <= MOST_LINES_IN_FILE
    ? []
    : [`${path} has ${lines} lines: split it by what changes together (≤ ${MOST_LINES_IN_FILE})`];
}

/** The callback of `describe(…)` groups tests and is not one piece of work. */
function isGroup(parent: SyntaxNode | null): boolean {
  const callee = parent?.type === 'CallExpression' ? parent['callee'] : undefined;
  const text = isNode(callee)
    ? String(callee['name'] ?? (isNode(callee['object']) ? callee['object']['name'] : ''))
    : '';
  return text.startsWith('describe');
}

function functionProblems(file: SourceFile): string[] {
  const problems: string[] = [];
  walk(syntaxTree(file), (node, parent) => {
    if (!FUNCTIONS.has(node.type) || isGroup(parent)) return;
    const first = lineOf(file.text, node.start);
    const lines = lineOf(file.text, node.end) - first + 1;
    if (lines > MOST_LINES_IN_FUNCTION) {
      problems.push(
        `${file.path}:${first} is a function of ${lines} lines: give its parts names (≤ ${MOST_LINES_IN_FUNCTION})`,
      );
    }
  });
  return problems;
}

const typescript = sourceFiles(SOURCE_FOLDERS, '.ts');

test('no file is longer than 300 lines', () => {
  expect([...typescript, ...sourceFiles(SOURCE_FOLDERS, '.sql')].flatMap(fileProblems)).toEqual([]);
});

test('no function is longer than 40 lines', () => {
  expect(typescript.flatMap(functionProblems)).toEqual([]);
});

test('the limits count as they say', () => {
  const statements = (count: number) => 'x();\n'.repeat(count);
  const ofLines = (count: number) => ({ path: 'a.ts', text: `function f() {\n${statements(count - 2)}}` });
  expect(functionProblems(ofLines(40))).toEqual([]);
  expect(functionProblems(ofLines(41))).toHaveLength(1);
  expect(functionProblems({ path: 'a.ts', text: `describe('x', () => {\n${statements(50)}});` })).toEqual([]);
  expect(functionProblems({ path: 'a.ts', text: `test('x', () => {\n${statements(50)}});` })).toHaveLength(1);
  expect(fileProblems({ path: 'a.ts', text: statements(300) })).toEqual([]);
  expect(fileProblems({ path: 'a.ts', text: statements(301) })).toHaveLength(1);
});
