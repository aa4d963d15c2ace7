import { expect, test } from 'vitest';
import { isNode, lineOf, type SourceFile, sourceFiles, syntaxTree, walk } from './source-tree.ts';

// IEEE 754 fixes the result of + − × ÷ and √. Other functions of Math may differ in the last bit between builds of the runtime.
const EXACT = new Set(['abs', 'min', 'max', 'floor', 'ceil', 'round', 'sqrt', 'imul', 'LN2', 'SQRT2']);

function inexactCalls(file: SourceFile): string[] {
  const problems: string[] = [];
  walk(syntaxTree(file), (node) => {
    const [object, property] = [node['object'], node['property']];
    if (node.type !== 'MemberExpression' || !isNode(object) || !isNode(property)) return;
    if (object['name'] !== 'Math' || EXACT.has(String(property['name']))) return;
    problems.push(
      `${file.path}:${lineOf(file.text, node.start)} uses Math.${String(property['name'])}: take it from models/elementary.ts`,
    );
  });
  return problems;
}

/** `**` is Math.pow by another name; it is exact for integers. */
function inexactPowers(file: SourceFile): string[] {
  const problems: string[] = [];
  walk(syntaxTree(file), (node) => {
    if (node.type !== 'BinaryExpression' || node['operator'] !== '**') return;
    const base = node['left'];
    if (isNode(base) && typeof base['bigint'] === 'string') return;
    problems.push(
      `${file.path}:${lineOf(file.text, node.start)} raises to a power: multiply, or take models/elementary.ts`,
    );
  });
  return problems;
}

test('models use arithmetic that gives the same bytes on every build', () => {
  const files = sourceFiles(['models'], '.ts');
  expect(files.length).toBeGreaterThan(10);
  expect(files.flatMap((file) => [...inexactCalls(file), ...inexactPowers(file)])).toEqual([]);
});

test.each([
  'const x = Math.log(2);',
  'const x = Math.pow(2, 3);',
  'const x = y ** 2;',
  'const x = Math.random();',
])('%s is caught', (text) => {
  const file = { path: 'models/x.ts', text };
  expect([...inexactCalls(file), ...inexactPowers(file)]).toHaveLength(1);
});

test.each(['const x = Math.sqrt(2);', 'const x = y * y;', 'const x = 10n ** 18n;'])('%s passes', (text) => {
  const file = { path: 'models/x.ts', text };
  expect([...inexactCalls(file), ...inexactPowers(file)]).toEqual([]);
});
