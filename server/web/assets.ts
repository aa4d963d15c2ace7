// Scripts and styles of the pages. On first use, types are removed from the TypeScript scripts, and the scripts are joined into a few
// files; two installed libraries are added unchanged. All are under one path with a hash of them all, so browsers may cache them
// permanently.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire, stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { Strict, Type } from '../../schemas/define.ts';
import { defineEndpoint } from '../define/endpoint.ts';
import { Failure } from '../define/failure.ts';
import { CSS, fileReply, once, openPage, plainType, SCRIPT } from './file-endpoint.ts';
import { link, type Modules, moduleOf } from './link-scripts.ts';

const FOLDER = new URL('./browser/', import.meta.url);

interface Asset {
  readonly type: string;
  readonly bytes: Buffer;
  /** Names of the assets that a page loads with it. */
  readonly imports: readonly string[];
}

const { resolve } = createRequire(import.meta.url);

/** A file of a package that its `exports` may not list, found relative to the file that they do export. */
function packageFile(name: string, file: string): string {
  const entry = resolve(name);
  const folder = entry.slice(0, entry.lastIndexOf(join('node_modules', name)));
  return readFileSync(join(folder, 'node_modules', name, file), 'utf8');
}

const libraries = (): readonly (readonly [name: string, text: string])[] => [
  ['lit-html', packageFile('lit-html', 'lit-html.js').replace(/^\/\/# sourceMappingURL.*$/m, '')],
  // The minified file defines a global; as a module, it exports that instead.
  ['uplot', `${packageFile('uplot', 'dist/uPlot.iife.min.js')}\nexport default uPlot;\n`],
];

export const scriptOf = (source: string): string =>
  withoutBlanks(stripTypeScriptTypes(source, { mode: 'strip' }));

/** Removes comments, indentation, and the remains of removed types. */
const withoutBlanks = (text: string): string =>
  text
    .replace(/^[ \t]*(?:\/\/.*|\/\*\*(?:[^*]|\*(?!\/))*\*\/)$/gm, '')
    .replace(/^[ \t]+|[ \t]+$/gm, '')
    .replace(/\n{2,}/g, '\n');

/** Removes comments, indentation and empty lines. No text in our styles contains what looks like a comment. */
export const styleOf = (source: string): string =>
  source
    .replace(/\/\*(?:[^*]|\*(?!\/))*\*\//g, '')
    .replace(/^[ \t]+|[ \t]+$/gm, '')
    .replace(/\n{2,}/g, '\n');

/** Modules that several pages share, as files that browsers cache across pages. */
const SHARED: Readonly<Record<string, readonly string[]>> = {
  'frame.js': ['shell', 'panel', 'table', 'figures', 'filters', 'names'],
  'charts.js': ['series'],
};

/** Modules that a page loads when a reader needs them, so that all others load faster. */
const ON_DEMAND: Readonly<Record<string, readonly string[]>> = {
  'plot.js': ['uplot'],
  'search.js': ['search-index'],
  'texts.js': ['column-texts'],
  'stream.js': ['stream'],
  'lists.js': ['lending-lists'],
  'market.js': ['market-risk', 'holders'],
  'vault.js': ['vault-risk', 'vault-state'],
  'prices.js': ['vault-prices'],
  'gap.js': ['oracle-gap'],
  'oracle.js': ['oracle-page'],
  'oracles.js': ['oracle-list'],
  'assumed.js': ['market-oracle'],
  'changes.js': ['lending-changes'],
  'acts.js': ['vault-acts'],
};
const onDemand = new Map(
  Object.entries(ON_DEMAND).flatMap(([file, roots]) => roots.map((root) => [root, file])),
);

/** One style per kind of page. */
const STYLES: Readonly<Record<string, readonly string[]>> = {
  'site.css': ['base.css', 'dashboard.css'],
  'paths.css': ['base.css', 'dashboard.css', 'paths.css'],
  'tools.css': ['base.css', 'dashboard.css', 'tools.css'],
  'reference.css': ['base.css', 'docs.css'],
};

const textOf = (name: string): string => readFileSync(new URL(name, FOLDER), 'utf8');

function modules(): Modules {
  const names = readdirSync(FOLDER)
    .filter((name) => name.endsWith('.ts'))
    .map((name) => name.replace(/\.ts$/, ''));
  return new Map(
    [...libraries(), ...names.map((name) => [name, scriptOf(textOf(`${name}.ts`))] as const)].map(
      ([name, text]) => [name, moduleOf(text)],
    ),
  );
}

function scripts(): readonly (readonly [string, Asset])[] {
  const all = modules();
  const before = new Map<string, ReadonlySet<string>>();
  const assetOf = (file: string, roots: readonly string[], isShared: boolean) => {
    const { text, imports, later, modules: own } = link(roots, all, { before, isShared, onDemand });
    if (isShared && !(file in ON_DEMAND)) before.set(file, own);
    const soon = later.filter((name) => !(name in ON_DEMAND));
    return [file, { type: SCRIPT, bytes: Buffer.from(text), imports: [...imports, ...soon] }] as const;
  };
  const pages = [...all.keys()].filter((name) => name.startsWith('page-'));
  return [
    ...Object.entries(SHARED).map(([file, roots]) => assetOf(file, roots, true)),
    ...Object.entries(ON_DEMAND).map(([file, roots]) => assetOf(file, roots, true)),
    ...['docs', ...pages].map((name) => assetOf(`${name}.js`, [name], false)),
  ];
}

function styles(): readonly (readonly [string, Asset])[] {
  const uplot = packageFile('uplot', 'dist/uPlot.min.css');
  return Object.entries(STYLES).map(([file, names]) => {
    const text =
      names.map((name) => styleOf(textOf(name))).join('') + (file === 'reference.css' ? '' : uplot);
    return [file, { type: CSS, bytes: Buffer.from(text), imports: [] }];
  });
}

const read = (): ReadonlyMap<string, Asset> => new Map([...scripts(), ...styles()]);

const assets = once(read);
const hash = once(() => {
  const sum = createHash('sha256');
  for (const [name, { bytes }] of assets()) sum.update(name).update(bytes);
  return sum.digest('hex').slice(0, 16);
});

export const assetPath = (name: string): string => `/assets/${hash()}/${name}`;

/** A script and everything it imports, directly or indirectly. */
export const withImports = (name: string): readonly string[] => [
  ...new Set([...(assets().get(name)?.imports ?? []).flatMap(withImports), name]),
];

export const assetEndpoint = defineEndpoint({
  ...openPage,
  cache: 'immutable',
  // A page loads its scripts and styles, and together they count as one visit.
  isUncounted: true,
  path: '/assets/:hash/:name',
  summary: 'A script or style of the pages',
  mediaTypes: [plainType(SCRIPT), plainType(CSS)],
  params: Strict({ hash: Type.String({ maxLength: 64 }), name: Type.String({ maxLength: 64 }) }),
  errors: ['invalid_request', 'not_found', 'internal_error'],
  handle({ params }, services) {
    const found = params.hash === hash() ? assets().get(params.name) : undefined;
    if (found === undefined) throw new Failure('not_found', 'There is no such file; reload the page.');
    return fileReply(found.bytes, { type: found.type }, services);
  },
  prepare: () => [...assets().keys()].map((name) => ({ hash: hash(), name })),
  mirror: () => [],
});
