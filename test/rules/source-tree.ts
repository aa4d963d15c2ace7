// Reads the project's own files and their syntax trees for the rule tests. The parser is the one that vitest itself brings.
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseAst } from 'vitest/node';

export interface SourceFile {
  /** From the project's root, with forward slashes: `jobs/pipeline/run/plan.ts`. */
  readonly path: string;
  readonly text: string;
}

/** A node of the ESTree that the parser returns; members vary by type. */
export interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [member: string]: unknown;
}

export const PROJECT = fileURLToPath(new URL('../../', import.meta.url));
export const SOURCE_FOLDERS = [
  'jobs',
  'models',
  'server',
  'snapshots',
  'platform',
  'schemas',
  'test',
  'packages',
  'examples',
] as const;
export const PRODUCT_FOLDERS = [
  'jobs',
  'models',
  'operations',
  'server',
  'snapshots',
  'platform',
  'schemas',
] as const;

const GENERATED = new Set(['node_modules', 'var', '.git', '.agents', 'dist']);

/** Paths of all files of the project, sorted, without what is installed or produced. */
export function projectFiles(folder = ''): string[] {
  const entries = readdirSync(`${PROJECT}${folder}`, { withFileTypes: true });
  return entries
    .filter((entry) => !GENERATED.has(entry.name))
    .flatMap((entry) =>
      entry.isDirectory() ? projectFiles(`${folder}${entry.name}/`) : [`${folder}${entry.name}`],
    )
    .sort();
}

/** Files under the given top-level folders whose names have this ending. */
export function sourceFiles(folders: readonly string[], ending: string): SourceFile[] {
  return projectFiles()
    .filter((path) => path.endsWith(ending) && folders.some((folder) => path.startsWith(`${folder}/`)))
    .map((path) => ({ path, text: readFileSync(`${PROJECT}${path}`, 'utf8') }));
}

export function syntaxTree(file: SourceFile): SyntaxNode {
  try {
    return parseAst(file.text, { lang: 'ts' }, file.path) as unknown as SyntaxNode;
  } catch (cause) {
    throw new Error(`${file.path} cannot be parsed`, { cause });
  }
}

/** Caches the results of a function for as long as their files: parsing takes most of the time of a rule. */
export function oncePerFile<T>(find: (file: SourceFile) => T): (file: SourceFile) => T {
  const found = new WeakMap<SourceFile, T>();
  return (file) => {
    const known = found.get(file) ?? find(file);
    found.set(file, known);
    return known;
  };
}

/** Calls `visit` for the node and everything below it, parents first, each with its parent. */
export function walk(
  node: SyntaxNode,
  visit: (node: SyntaxNode, parent: SyntaxNode | null) => void,
  parent: SyntaxNode | null = null,
): void {
  visit(node, parent);
  for (const member of Object.values(node)) {
    for (const child of Array.isArray(member) ? member : [member])
      if (isNode(child)) walk(child, visit, node);
  }
}

export const isNode = (value: unknown): value is SyntaxNode =>
  typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string';

/** Line of an offset, from 1. */
export const lineOf = (text: string, offset: number) => text.slice(0, offset).split('\n').length;
