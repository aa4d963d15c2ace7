// Joins the modules of the pages into few files, because a browser that loads thirty modules waits for several consecutive round trips. A
// module becomes a function that returns its exports, placed after everything it imports.

/** JavaScript modules by name. They import each other as `./name.ts`, and packages by name. */
export type Modules = ReadonlyMap<string, Module>;

interface Import {
  /** Imported name and local name. */
  readonly names: readonly (readonly [string, string])[];
  readonly module: string;
}

export interface Module {
  readonly imports: readonly Import[];
  /** Exported name and local name. */
  readonly exports: readonly (readonly [string, string])[];
  /** Modules that it imports dynamically. */
  readonly later: readonly string[];
  readonly body: string;
}

const IMPORT = /^import\s*(?:(\w+)|\{([^}]*)\})\s*from\s*'(?:\.\/)?([^'.]+)(?:\.ts)?';$/gm;
const IMPORT_LATER = /\bimport\('(?:\.\/)?([^'.]+)(?:\.ts)?'\)/g;
const EXPORTED = /^export (?=(?:const|let|class|function|async function) (\w+))/gm;
const EXPORT_LIST = /\bexport\s*\{([^}]*)\};?/g;
const EXPORT_DEFAULT = /^export default (\w+);$/gm;

/** `a as b, c` as pairs. */
const pairsIn = (list: string): [string, string][] =>
  list
    .split(',')
    .map((part) => part.trim().split(/\s+as\s+/))
    .flatMap(([first = '', second = first]) => (first === '' ? [] : [[first, second]]));

/** @throws if the text contains an import or export that cannot be linked */
export function moduleOf(text: string): Module {
  const imports = [...text.matchAll(IMPORT)].map(([, whole, list = '', module = '']) => ({
    names: whole === undefined ? pairsIn(list) : [['default', whole] as const],
    module,
  }));
  const exports: (readonly [string, string])[] = [
    ...[...text.matchAll(EXPORTED)].map(([, name = '']) => [name, name] as const),
    ...[...text.matchAll(EXPORT_LIST)].flatMap(([, list = '']) =>
      pairsIn(list).map(([local, exported]) => [exported, local] as const),
    ),
    ...[...text.matchAll(EXPORT_DEFAULT)].map(([, local = '']) => ['default', local] as const),
  ];
  const body = [IMPORT, EXPORTED, EXPORT_LIST, EXPORT_DEFAULT].reduce(
    (rest, form) => rest.replace(form, ''),
    text,
  );
  const left = /^\s*(?:import\b(?!\()|export\b).*$/m.exec(body)?.[0];
  if (left !== undefined)
    throw new Error(`A page script contains an import or export that cannot be linked: ${left}.`);
  const later = [...text.matchAll(IMPORT_LATER)].map(([, module = '']) => module);
  return { imports, exports, later, body };
}

const variable = (module: string): string => `$${module.replaceAll('-', '_')}`;
const member = ([from, to]: readonly [string, string]): string => (from === to ? from : `${from}: ${to}`);

function linked(module: string, modules: Modules, fileOf: (module: string) => string): string {
  const { imports = [], exports = [], body = '' } = modules.get(module) ?? {};
  const given = imports.map(
    ({ names, module: other }) => `const { ${names.map(member).join(', ')} } = ${variable(other)};`,
  );
  const text = body.replace(
    IMPORT_LATER,
    (_, other: string) => `import('./${fileOf(other)}').then((file) => file.${variable(other)})`,
  );
  return `const ${variable(module)} = (() => {\n${given.join('\n')}\n${text.trim()}\nreturn { ${exports.map(member).join(', ')} };\n})();\n`;
}

/** The module and its direct and indirect imports, each after what it imports. */
function inOrder(module: string, modules: Modules, above: readonly string[] = []): readonly string[] {
  if (above.includes(module)) throw new Error(`Modules import each other: ${[...above, module].join(', ')}.`);
  const found = modules.get(module);
  if (found === undefined) throw new Error(`${above.at(-1)} imports ${module}, which is not served.`);
  const below = found.imports.flatMap(({ module: other }) => inOrder(other, modules, [...above, module]));
  return [...new Set([...below, module])];
}

export interface LinkedScript {
  readonly text: string;
  /** Files that it imports from. */
  readonly imports: readonly string[];
  /** Files that it imports dynamically. */
  readonly later: readonly string[];
  readonly modules: ReadonlySet<string>;
}

interface LinkScope {
  /** Existing files, each with its modules. */
  readonly before: ReadonlyMap<string, ReadonlySet<string>>;
  /** Whether other files import from it, so that it exports each of its modules. */
  readonly isShared: boolean;
  /** Modules that are only imported dynamically, each with its file. */
  readonly onDemand?: ReadonlyMap<string, string>;
}

/** @throws if no file has the module, because dynamically imported modules are not joined with their importer */
function fileOf(module: string, { before, onDemand }: LinkScope): string {
  const [file = onDemand?.get(module)] = [...before].find(([, modules]) => modules.has(module)) ?? [];
  if (file === undefined) throw new Error(`${module} is imported dynamically, but no file has it.`);
  return file;
}

/** One file with the modules that `roots` need and that no file of `before` has. */
export function link(roots: readonly string[], modules: Modules, scope: LinkScope): LinkedScript {
  const { before, isShared } = scope;
  const needed = [...new Set(roots.flatMap((root) => inOrder(root, modules)))];
  const used = [...before]
    .map(([file, theirs]) => ({ file, names: needed.filter((name) => theirs.has(name)) }))
    .filter(({ names }) => names.length > 0);
  const elsewhere = new Set(used.flatMap(({ names }) => names));
  const own = needed.filter((name) => !elsewhere.has(name));
  const lines = [
    ...used.map(({ file, names }) => `import { ${names.map(variable).join(', ')} } from './${file}';\n`),
    ...own.map((name) => linked(name, modules, (other) => fileOf(other, scope))),
    isShared ? `export { ${own.map(variable).join(', ')} };\n` : '',
  ];
  const later = own.flatMap((name) => modules.get(name)?.later ?? []);
  return {
    text: lines.join(''),
    imports: used.map(({ file }) => file),
    later: [...new Set(later.map((name) => fileOf(name, scope)))],
    modules: new Set(own),
  };
}
