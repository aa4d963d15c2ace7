// Who may import whom, as a table: the first row that fits a file decides. Each row names what a file there may import and what to
// do instead of breaking it.
import { posix } from 'node:path';
import { isNode, lineOf, oncePerFile, type SourceFile, syntaxTree, walk } from './source-tree.ts';

export interface Import {
  /** Path from the project's root for our own files, otherwise the package or `node:` module as written. */
  readonly target: string;
  readonly isTypeOnly: boolean;
  readonly line: number;
}

export interface ImportRule {
  readonly from: RegExp;
  readonly may: readonly RegExp[];
  /** Allowed only as `import type`. */
  readonly mayNameTypesOf: readonly RegExp[];
  readonly instead: string;
}

const SCHEMAS = /^schemas\//;
/** Only the launcher starts processes. */
const NODE = /^node:(?!child_process$)/;
/** What everything may use: plain values, and the settings. */
const BASE = /^platform\/(base|settings)\//;
/** The command line, when to stop, and how a program is started. */
const LAUNCH =
  /^platform\/(command-line\/[a-z-]+|processes\/(data-folder|writable-folder|stop-signal|processes))\.ts$/;
const COMMAND_LINE = /^platform\/command-line\//;
const DATA_FOLDER = /^platform\/processes\/(data-folder|writable-folder)\.ts$/;
const STORAGE = /^platform\/storage\//;
const PROCESS_LOCK = /^platform\/storage\/process-lock\.ts$/;
const SNAPSHOTS = /^snapshots\//;
/** Spans for a collector. */
const TRACING = /^platform\/tracing\//;
const COORDINATION = /^platform\/(leases|postgres)\//;
const PACKAGE =
  /^(?!node:|@duckdb\/|\.|(jobs|models|operations|platform|server|snapshots|schemas|packages|test|examples)\/)/;
const rule = (
  from: RegExp,
  may: readonly RegExp[],
  instead: string,
  mayNameTypesOf: readonly RegExp[] = [],
): ImportRule => ({ from, may, mayNameTypesOf, instead });
const DRIVER_FREE =
  'only jobs/engine/duckdb/ knows the driver; use the Warehouse interface of jobs/engine/warehouse.ts';
const VOCABULARY = [/^(snapshots\/(layout|columns)\.ts$|jobs\/define\/)/];
/** The interfaces of the engines, and no engine. */
const ENGINES = /^jobs\/engine\/[a-z-]+\.ts$/;

export const IMPORT_RULES: readonly ImportRule[] = [
  rule(
    /^schemas\/validator\.ts$/,
    [SCHEMAS, /^(typebox|ajv|ajv-formats)(\/|$)/],
    'the validator checks values against schemas and knows neither program',
  ),
  rule(
    /^schemas\//,
    [SCHEMAS, /^typebox(\/|$)/],
    'schemas describe and import nothing but TypeBox and each other; take effects as arguments, move work to its caller',
  ),
  rule(
    /^platform\/base\//,
    [/^platform\/base\//, /^(node:crypto|ulid|@noble\/hashes\/sha3\.js)$/],
    'plain values know neither program nor files; take effects as arguments',
  ),
  rule(
    /^platform\/settings\//,
    [BASE, /^node:(fs|path)$/],
    'settings are read from the environment and files that come in as arguments',
  ),
  rule(
    COMMAND_LINE,
    [COMMAND_LINE, BASE, /^schemas\/plans\.ts$/, /^node:util$/],
    'the command line knows definitions and texts; the programs do what a command says',
  ),
  rule(
    /^platform\/storage\/s3\//,
    [STORAGE, BASE, NODE, /^(aws4fetch|undici)$/],
    'the client of buckets knows keys and bytes; what they mean is in snapshots/',
  ),
  rule(
    STORAGE,
    [STORAGE, BASE, /^node:(fs|fs\/promises|crypto|path|sqlite|stream|stream\/promises|string_decoder)$/],
    'storage knows files and bytes, and neither program; pass anything else in as an argument',
  ),
  rule(
    TRACING,
    [TRACING, BASE, /^undici$/],
    'tracing knows spans and their collector, and neither program; what a span is about comes in as an argument',
  ),
  rule(
    COORDINATION,
    [COORDINATION, PROCESS_LOCK, BASE, NODE, /^pg$/],
    'leases and databases know neither program; pass anything else in as an argument',
    [STORAGE],
  ),
  rule(
    /^platform\/processes\//,
    [/^platform\/(processes|command-line)\//, BASE, /^node:/],
    'the launcher starts both programs as processes; they share the command line, the stop signal and the settings',
  ),
  rule(
    /^models\//,
    [/^models\//, /^platform\/base\//, SCHEMAS],
    'models are pure functions: numbers come in as arguments, and files, clocks and packages stay outside',
  ),
  rule(
    /^snapshots\//,
    [
      /^snapshots\//,
      STORAGE,
      BASE,
      SCHEMAS,
      /^node:(fs|fs\/promises|crypto|path|stream|stream\/promises|readline|string_decoder)$/,
    ],
    'snapshots are the contract between both programs: schemas and files only; pass anything else in as an argument',
  ),
  rule(
    /^jobs\/engine\/duckdb\//,
    [/^jobs\/engine\//, BASE, SCHEMAS, NODE, /^@duckdb\/node-api$/],
    DRIVER_FREE,
    VOCABULARY,
  ),
  rule(
    /^jobs\/engine\/trino\//,
    [/^jobs\/engine\//, COORDINATION, BASE, SCHEMAS, NODE, /^pg$/],
    'the warehouse on Trino knows Trino, PostgreSQL and the DuckDB that parses for it; where files are put comes in as an argument',
    VOCABULARY,
  ),
  rule(
    /^jobs\/engine\//,
    [/^jobs\/engine\/(?!(duckdb|trino)\/)/, BASE, SCHEMAS, NODE],
    DRIVER_FREE,
    VOCABULARY,
  ),
  rule(
    /^jobs\/incremental\/sql\//,
    [/^jobs\/(incremental\/(sql\/|dependencies\.ts$)|engine\/(parameters|sql-text|syntax)\.ts$)/, BASE],
    'what a query depends on is read from its syntax tree alone; tables and files stay outside',
  ),
  rule(
    /^jobs\/incremental\//,
    [/^jobs\/(incremental|define)\//, ENGINES, BASE, /^snapshots\/(dataset-file|layout)\.ts$/, SCHEMAS, NODE],
    'what need not be computed again is decided from tables, versions and times; the pipeline uses it, never the reverse',
  ),
  rule(
    /^jobs\/ingest\//,
    [
      /^jobs\/(ingest\/|define\/|engine\/duckdb\/(session|landed-sql)\.ts$)/,
      ENGINES,
      STORAGE,
      BASE,
      /^snapshots\//,
      SCHEMAS,
      NODE,
      PACKAGE,
    ],
    'ingest turns deliveries into landed files, on DuckDB, and knows neither models nor domains; receive them as arguments',
  ),
  rule(
    /^jobs\/app\/copies\//,
    [/^jobs\/app\/copies\//, STORAGE, BASE, SNAPSHOTS, SCHEMAS, NODE],
    'copies between folders and buckets know no file’s meaning',
  ),
  rule(
    /^jobs\/sources\/live\/git\/run-git\.ts$/,
    [/^node:child_process$/],
    'this file alone starts git; what it prints is read elsewhere',
  ),
  rule(
    /^jobs\/sources\/live\//,
    [
      /^jobs\/(sources\/(live|files)|define)\//,
      /^platform\/storage\/(disk|disk-steps)\.ts$/,
      BASE,
      SCHEMAS,
      NODE,
      PACKAGE,
    ],
    'live fetches and keeps what it received; landing and the pipeline receive it as sources from jobs/app/',
  ),
  rule(
    /^jobs\/sources\/files\//,
    [/^jobs\/(sources\/files|define)\//, BASE, SCHEMAS, NODE, /^typebox(\/|$)/],
    'files are deliveries by name; what their rows mean is in the families',
  ),
  rule(
    /^jobs\/sources\/demo\/scenario\//,
    [/^jobs\/(sources\/demo\/scenario|define)\//, BASE, SCHEMAS, NODE],
    'the scenario of the demo knows no family: each family adds its part in jobs/sources/demo/',
  ),
  rule(
    /^jobs\/pipeline\//,
    [
      /^(jobs\/(pipeline|incremental|ingest|define)\/|models\/exposure-paths\.ts$)/,
      ENGINES,
      TRACING,
      STORAGE,
      BASE,
      SNAPSHOTS,
      SCHEMAS,
      NODE,
      PACKAGE,
    ],
    'the pipeline knows no domain and no concrete engine; receive domains and the Warehouse as arguments from jobs/main.ts',
  ),
  rule(
    /^jobs\/commands\//,
    [
      /^jobs\/(commands\/|backtests\/|pipeline\/|ingest\/|define\/|sources\/live\/|config\.ts$)/,
      ENGINES,
      STORAGE,
      BASE,
      /^snapshots\//,
      SCHEMAS,
      COMMAND_LINE,
      NODE,
      PACKAGE,
    ],
    'a command drives the pipeline; domains, the engine and the sources come in from jobs/main.ts',
  ),
  rule(
    /^jobs\/backtests\//,
    [/^jobs\/(backtests\/|define\/policy\/define\.ts$)/, ENGINES, /^models\//, BASE, SCHEMAS],
    'backtests apply models/ to rows of the warehouse; the command that runs them lands the results',
  ),
  rule(
    /^jobs\/define\//,
    [/^jobs\/define\//, BASE, SCHEMAS, /^typebox(\/|$)/],
    'define/ is the vocabulary of the families and knows none of them',
    [/^jobs\/engine\/rows\.ts$/, /^jobs\/sources\/demo\/scenario\/settings\.ts$/],
  ),
  rule(
    /^jobs\/main\.ts$/,
    [/^jobs\//, /^snapshots\//, COORDINATION, STORAGE, TRACING, BASE, SCHEMAS, LAUNCH, NODE, PACKAGE],
    'jobs share only files with the server',
  ),
  rule(
    /^jobs\/(app\/|[a-z0-9-]+\.ts$)/,
    [
      /^jobs\//,
      /^snapshots\//,
      ...[COORDINATION, STORAGE, TRACING, BASE, SCHEMAS, COMMAND_LINE, DATA_FOLDER, NODE, PACKAGE],
    ],
    'jobs share only files with the server',
  ),
  rule(
    /^server\/routes\//,
    [
      /^server\/(define|replies|data\/paging|analytics|series)\//,
      /^server\/access\/(authorize|dataset-access)\.ts$/,
      /^server\/store\/latency-buckets\.ts$/,
      /^snapshots\/layout\.ts$/,
      BASE,
      SCHEMAS,
    ],
    'a route looks up, filters and returns a value; what it needs comes in through its services, shared code goes to server/replies/, server/data/paging/, server/series/ or server/analytics/',
    [/^server\/(?!routes\/)/, /^snapshots\//, STORAGE],
  ),
  rule(
    /^server\/define\//,
    [
      /^server\/define\//,
      /^snapshots\/(?!(write|gc|retract)\.ts$)/,
      STORAGE,
      BASE,
      SCHEMAS,
      /^typebox(\/|$)/,
    ],
    'define/ is the contract of an endpoint and names only types of the rest of the server; how a response is made is in server/replies/',
    [/^server\//],
  ),
  rule(
    /^server\/access\//,
    [/^server\/(?!http\/)/, /^snapshots\/(?!(write|gc|retract)\.ts$)/, STORAGE, BASE, SCHEMAS, NODE, PACKAGE],
    'who may do what is decided without knowing connections and routes: http/ uses access/, never the reverse',
  ),
  rule(
    /^server\/web\/browser\//,
    [/^server\/web\/browser\//, /^(lit-html|uplot)$/],
    'scripts of the pages run in a browser, unbundled: they share only scripts of their folder and the two libraries that are served',
  ),
  rule(
    /^server\/analytics\//,
    [
      /^server\//,
      /^models\//,
      /^snapshots\/(?!(write|gc|retract)\.ts$)/,
      STORAGE,
      BASE,
      SCHEMAS,
      NODE,
      PACKAGE,
    ],
    'calculations are pure functions of models/ over published inputs: never jobs/, never the writing half of snapshots/',
  ),
  rule(
    /^server\/main\.ts$/,
    [
      /^server\//,
      /^snapshots\/(?!(write|gc|retract)\.ts$)/,
      ...[STORAGE, TRACING, BASE, SCHEMAS, LAUNCH, NODE, PACKAGE],
    ],
    'the server reads published files: never jobs/, never the database driver, never the writing half of snapshots/',
  ),
  rule(
    /^server\/keys(\/|\.ts$)/,
    [
      /^server\//,
      /^snapshots\/(?!(write|gc|retract)\.ts$)/,
      ...[STORAGE, BASE, SCHEMAS, COMMAND_LINE, DATA_FOLDER, NODE, PACKAGE],
    ],
    'the commands for keys work on the store of the server: never jobs/, never the writing half of snapshots/',
  ),
  rule(
    /^server\/store\//,
    [
      /^server\//,
      COORDINATION,
      /^snapshots\/(?!(write|gc|retract)\.ts$)/,
      STORAGE,
      BASE,
      SCHEMAS,
      DATA_FOLDER,
      NODE,
      PACKAGE,
    ],
    'the store is part of the server: never jobs/, never the writing half of snapshots/',
  ),
  rule(
    /^server\//,
    [/^server\//, /^snapshots\/(?!(write|gc|retract)\.ts$)/, STORAGE, TRACING, BASE, SCHEMAS, NODE, PACKAGE],
    'the server reads published files: never jobs/, never the database driver, never the writing half of snapshots/',
  ),
  rule(
    /^packages\/client\/src\/cli\//,
    [/^packages\/client\/src\//, NODE],
    'the client is installed without the service: nothing of the service may be in it, and no package',
  ),
  rule(
    /^packages\/client\//,
    [/^packages\/client\/src\/(?!cli\/)/],
    'the client runs in browsers: only its commands may use Node',
  ),
  rule(
    /^operations\//,
    [
      /^(operations\/|server\/store\/|snapshots\/(?!(write|gc|retract)\.ts$))/,
      /^jobs\/(ingest\/(data-folder|receipts\/)|(pipeline\/run\/ledger(-line)?|app\/(copies\/journal(-form)?|installation-keys|open-snapshots|perform-fetching)|commands\/(status|sources)|config|registry)\.ts$)/,
      ...[COORDINATION, STORAGE, BASE, SCHEMAS, COMMAND_LINE, DATA_FOLDER, NODE, PACKAGE],
    ],
    'operations read what both programs write: landing, ledger, published versions, the store; they compute and publish nothing',
  ),
  rule(/^(test|examples)\//, [/./], 'tests may import everything'),
];

const FAMILY = /^jobs\/families\/([a-z0-9-]+)\//;
const DEMO = /^jobs\/sources\/demo\/([a-z0-9-]+)\.ts$/;

function familyRule(family: string): ImportRule {
  const own = new RegExp(
    `^jobs/(families/${family}/|define/|sources/live/http/|sources/demo/${family}(-[a-z0-9-]+)?\\.ts$)`,
  );
  return rule(
    FAMILY,
    [own, BASE, SCHEMAS, ...(PACKAGES_OF_FAMILY[family] ?? [])],
    'families share through tables, never through TypeScript: read the other family’s table in SQL',
    [/^jobs\/engine\/rows\.ts$/],
  );
}

/** What `jobs/sources/demo/<family>.ts` and `<family>-<part>.ts` may import: their own family and the scenario. */
function demoRule(name: string): ImportRule {
  const families = name.split('-').map((_, at, parts) => parts.slice(0, at + 1).join('-'));
  const own = new RegExp(
    `^jobs/(families/(${families.join('|')})/|define/|sources/demo/(scenario/|(${families.join('|')})(-[a-z0-9-]+)?\\.ts$)|sources/live/http/)`,
  );
  return rule(
    DEMO,
    [own, BASE, SCHEMAS, ...(PACKAGES_OF_FAMILY[families[0] ?? ''] ?? [])],
    'the demo of a family adds its part to the scenario and knows no other family',
    [/^jobs\/engine\/rows\.ts$/],
  );
}

/** What a family needs from packages. */
const PACKAGES_OF_FAMILY: Readonly<Record<string, readonly RegExp[]>> = {
  lending: [/^viem(\/|$)/],
  social: [/^node:crypto$/],
};

export const importsOf = oncePerFile((file): readonly Import[] => {
  const found: Import[] = [];
  walk(syntaxTree(file), (node) => {
    const source = node['source'];
    if (!isNode(source) || typeof source['value'] !== 'string') return;
    const isTypeOnly =
      node['importKind'] === 'type' || node['exportKind'] === 'type' || node.type === 'TSImportType';
    found.push({
      target: resolve(file.path, source['value']),
      isTypeOnly,
      line: lineOf(file.text, node.start),
    });
  });
  return found;
});

const resolve = (from: string, specifier: string) =>
  specifier.startsWith('.') ? posix.normalize(posix.join(posix.dirname(from), specifier)) : specifier;

/** What is wrong with a file's imports, in words; empty when nothing is. */
export function importProblems(file: SourceFile): string[] {
  const row = IMPORT_RULES.find((candidate) => candidate.from.test(file.path)) ?? ruleOfFolder(file.path);
  return importsOf(file).flatMap(({ target, isTypeOnly, line }) => {
    const allowed = [...row.may, ...(isTypeOnly ? row.mayNameTypesOf : [])];
    const asType = !isTypeOnly && row.mayNameTypesOf.some((pattern) => pattern.test(target));
    if (allowed.some((pattern) => pattern.test(target))) return [];
    return [
      `${file.path}:${line} imports ${target}${asType ? ' (only its types are allowed: import type)' : ''}: ${row.instead}`,
    ];
  });
}

function ruleOfFolder(path: string): ImportRule {
  const family = FAMILY.exec(path)?.[1];
  if (family !== undefined) return familyRule(family);
  const demo = DEMO.exec(path)?.[1];
  if (demo !== undefined) return demoRule(demo);
  throw new Error(`${path}: no import rule covers this place; add a row to test/rules/import-rules.ts`);
}

/**
 * Chains of imports that come back to where they began. Imports of types count: two files that name each other's types cannot be read or
 * moved one without the other, and one word fewer (`type`) makes the chain a run-time one.
 */
export function importCycles(files: readonly SourceFile[]): string[] {
  const edges = new Map(files.map((file) => [file.path, importsOf(file).map(({ target }) => target)]));
  const done = new Set<string>();
  const cycles: string[] = [];
  const follow = (path: string, trail: readonly string[]): void => {
    if (trail.includes(path)) cycles.push([...trail.slice(trail.indexOf(path)), path].join(' -> '));
    if (trail.includes(path) || done.has(path)) return;
    for (const target of edges.get(path) ?? []) follow(target, [...trail, path]);
    done.add(path);
  };
  for (const path of edges.keys()) follow(path, []);
  return cycles;
}
