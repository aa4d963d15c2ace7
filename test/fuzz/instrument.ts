// Counts the branches that the product takes: when a file of the product is loaded, a call is inserted at the start of each branch. The
// fuzzer learns from the counts which inputs reach new code, and stops an input that takes too many branches, without a clock.
import { readFileSync } from 'node:fs';
import { registerHooks, stripTypeScriptTypes } from 'node:module';
import { fileURLToPath } from 'node:url';
import { isNode, PRODUCT_FOLDERS, PROJECT, type SyntaxNode, syntaxTree, walk } from '../rules/source-tree.ts';
import type { BranchCounts } from './branch-counts.ts';

const COUNTER = '__countBranch';

/** Loads each file of the product with counters from now on. Call this before the product is imported. */
export function instrumentProduct(counts: BranchCounts): void {
  Object.assign(globalThis, { [COUNTER]: (branch: number) => counts.count(branch) });
  const folders = PRODUCT_FOLDERS.map((folder) => `${PROJECT}${folder}/`);
  registerHooks({
    load(url, context, nextLoad) {
      const file = url.startsWith('file:') && url.endsWith('.ts') ? fileURLToPath(url) : '';
      if (!folders.some((folder) => file.startsWith(folder))) return nextLoad(url, context);
      const source = stripTypeScriptTypes(withCounters(file, counts));
      return { format: 'module', source, shortCircuit: true };
    },
  });
}

interface Insertion {
  readonly at: number;
  readonly text: string;
  /** A closing bracket comes before what opens at the same offset, and before those of the nodes around it. */
  readonly isEnd: boolean;
}

function withCounters(file: string, counts: BranchCounts): string {
  const text = readFileSync(file, 'utf8');
  const insertions: Insertion[] = [];
  const literals: string[] = [];
  const next = () => `${COUNTER}(${counts.add(literals)})`;
  walk(syntaxTree({ path: file, text }), (node) => {
    if (node.type === 'Literal' && typeof node['value'] === 'string') literals.push(node['value']);
    insertions.push(...insertionsOf(node, next));
  });
  return inserted(text, insertions);
}

function insertionsOf(node: SyntaxNode, next: () => string): Insertion[] {
  switch (node.type) {
    case 'BlockStatement':
      return [{ at: node.start + 1, text: `${next()};`, isEnd: false }];
    case 'IfStatement':
      return [...asBlock(node['consequent'], next), ...asBlock(node['alternate'], next)];
    case 'ForStatement':
    case 'ForOfStatement':
    case 'ForInStatement':
    case 'WhileStatement':
      return asBlock(node['body'], next);
    case 'SwitchCase':
      return atStart((node['consequent'] as readonly unknown[])[0], next);
    case 'ConditionalExpression':
      return [...asSequence(node['consequent'], next), ...asSequence(node['alternate'], next)];
    case 'LogicalExpression':
      return asSequence(node['right'], next);
    case 'ArrowFunctionExpression':
      return isNode(node['body']) && node['body'].type === 'BlockStatement'
        ? []
        : asSequence(node['body'], next);
    default:
      return [];
  }
}

const around = (node: unknown, open: string, close: string): Insertion[] =>
  isNode(node)
    ? [
        { at: node.start, text: open, isEnd: false },
        { at: node.end, text: close, isEnd: true },
      ]
    : [];

const asBlock = (node: unknown, next: () => string) =>
  isNode(node) && node.type !== 'BlockStatement' ? around(node, `{${next()};`, '}') : [];

const asSequence = (node: unknown, next: () => string) => around(node, `(${next()},`, ')');

const atStart = (node: unknown, next: () => string): Insertion[] =>
  isNode(node) ? [{ at: node.start, text: `${next()};`, isEnd: false }] : [];

/** Nodes are visited from the outside in, so at one offset the last end and the first start come first. */
function inserted(text: string, insertions: readonly Insertion[]): string {
  const ordered = insertions
    .map((one, order) => ({ ...one, rank: one.isEnd ? -1 - order : order }))
    .sort((a, b) => a.at - b.at || Number(b.isEnd) - Number(a.isEnd) || a.rank - b.rank);
  let result = '';
  let from = 0;
  for (const { at, text: added } of ordered) {
    result += text.slice(from, at) + added;
    from = at;
  }
  return result + text.slice(from);
}
