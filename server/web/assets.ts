// Scripts and styles of the pages. The scripts are TypeScript, whose types are removed when they are first served; two libraries are
// served as they are installed. All are under one path that contains a hash of all of them, so that browsers may keep them.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire, stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { Strict, Type } from '../../schemas/define.ts';
import { defineEndpoint } from '../define/endpoint.ts';
import { Failure } from '../define/failure.ts';
import { CSS, fileReply, once, openPage, plainType, SCRIPT } from './file-endpoint.ts';

const FOLDER = new URL('./browser/', import.meta.url);

interface Asset {
  readonly type: string;
  readonly bytes: Buffer;
  /** Names of the assets that it imports. */
  readonly imports: readonly string[];
}

/** Packages that scripts import, and the names under which they are served. */
const PACKAGES: Readonly<Record<string, string>> = { 'lit-html': 'lit-html.js', uplot: 'uplot.js' };

const { resolve } = createRequire(import.meta.url);

/** A file of a package, which its `exports` may not name: next to or above what it exports. */
function packageFile(name: string, file: string): string {
  const entry = resolve(name);
  const folder = entry.slice(0, entry.lastIndexOf(join('node_modules', name)));
  return readFileSync(join(folder, 'node_modules', name, file), 'utf8');
}

const libraries = (): readonly (readonly [name: string, text: string])[] => [
  ['lit-html.js', packageFile('lit-html', 'lit-html.js').replace(/^\/\/# sourceMappingURL.*$/m, '')],
  // The minified file defines a global: as a module, it exports it instead.
  ['uplot.js', `${packageFile('uplot', 'dist/uPlot.iife.min.js')}\nexport default uPlot;\n`],
];

const IMPORT = /(^(?:import|export)\b[^;']*\bfrom\s*|^import\s*)'([^']+)'/gm;

/** `./api.ts` and `lit-html` become `./api.js` and `./lit-html.js`. */
const servedName = (specifier: string): string =>
  `./${PACKAGES[specifier] ?? specifier.replace(/^\.\//, '').replace(/\.ts$/, '.js')}`;

export function scriptOf(source: string): string {
  const text = stripTypeScriptTypes(source, { mode: 'strip' });
  return withoutBlanks(
    text.replace(IMPORT, (_, before: string, name: string) => `${before}'${servedName(name)}'`),
  );
}

/** What removed types and comments leave behind. */
const withoutBlanks = (text: string): string =>
  text
    .replace(/^[ \t]*(?:\/\/.*|\/\*\*(?:[^*]|\*(?!\/))*\*\/)$/gm, '')
    .replace(/[ \t]+$/gm, '')
    .replace(/\n{2,}/g, '\n');

const importsOf = (text: string): string[] =>
  [...text.matchAll(IMPORT)].map(([, , specifier = '']) => specifier.replace(/^\.\//, ''));

const asset = (type: string, text: string): Asset => ({
  type,
  bytes: Buffer.from(text),
  imports: type === SCRIPT ? importsOf(text) : [],
});

function read(): ReadonlyMap<string, Asset> {
  const names = readdirSync(FOLDER).sort();
  const textOf = (name: string) => readFileSync(new URL(name, FOLDER), 'utf8');
  const scripts = names.filter((name) => name.endsWith('.ts'));
  const styles = names.filter((name) => name.endsWith('.css'));
  return new Map([
    ...libraries().map(([name, text]) => [name, asset(SCRIPT, text)] as const),
    ...scripts.map((name) => [name.replace(/ts$/, 'js'), asset(SCRIPT, scriptOf(textOf(name)))] as const),
    ...styles.map((name) => [name, asset(CSS, textOf(name))] as const),
    ['uplot.css', asset(CSS, packageFile('uplot', 'dist/uPlot.min.css'))],
  ]);
}

const assets = once(read);
const hash = once(() => {
  const sum = createHash('sha256');
  for (const [name, { bytes }] of assets()) sum.update(name).update(bytes);
  return sum.digest('hex').slice(0, 16);
});

export const assetPath = (name: string): string => `/assets/${hash()}/${name}`;

/** A script and everything that it imports, directly or not. */
export function withImports(name: string, seen: Set<string> = new Set()): ReadonlySet<string> {
  if (seen.has(name)) return seen;
  seen.add(name);
  for (const other of assets().get(name)?.imports ?? []) withImports(other, seen);
  return seen;
}

export const assetEndpoint = defineEndpoint({
  ...openPage,
  cache: 'immutable',
  // A page loads its scripts and style with it: they count as one visit.
  isUncounted: true,
  path: '/assets/:hash/:name',
  summary: 'A script or style of the pages',
  mediaTypes: [plainType(SCRIPT), plainType(CSS)],
  params: Strict({ hash: Type.String({ maxLength: 64 }), name: Type.String({ maxLength: 64 }) }),
  errors: ['invalid_request', 'not_found', 'internal_error'],
  handle({ params }, services) {
    const found = params.hash === hash() ? assets().get(params.name) : undefined;
    if (found === undefined) throw new Failure('not_found', 'The pages have no such file; reload the page.');
    return fileReply(found.bytes, { type: found.type }, services);
  },
  prepare: () => [...assets().keys()].map((name) => ({ hash: hash(), name })),
  mirror: () => [],
});
