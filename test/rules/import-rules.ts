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
/** The command line, when to stop, and how a program is started. */
const LAUNCH = /^launch\/(cli\/[a-z-]+|data-folder|stop-signal|processes)\.ts$/;
const DATA_FOLDER = /^launch\/data-folder\.ts$/;
const COMMAND_LINE = /^launch\/cli\//;
const PROCESS_LOCK = /^launch\/process-lock\.ts$/;
const SNAPSHOTS = /^snapshots\//;
const COORDINATION = /^coordination\//;
const PACKAGE =
  /^(?!node:|@duckdb\/|\.|(launch|jobs|models|server|snapshots|coordination|schemas|test|examples)\/)/;
const rule = (
  from: RegExp,
  may: readonly RegExp[],
  instead: string,
  mayNameTypesOf: readonly RegExp[] = [],
): ImportRule => ({ from, may, mayNameTypesOf, instead });
const DRIVER_FREE =
  'only jobs/engine/duckdb/ knows the driver; use the Warehouse interface of jobs/engine/warehouse.ts';
const VOCABULARY = [/^(snapshots\/(layout|columns)\.ts$|jobs\/(define\/|policy\/define\.ts$))/];
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
    /^models\//,
    [/^models\//, SCHEMAS],
    'models are pure functions: numbers come in as arguments, and files, clocks and packages stay outside',
  ),
  rule(
    /^snapshots\/s3\//,
    [/^snapshots\//, SCHEMAS, NODE, /^(aws4fetch|undici)$/],
    'the client of buckets knows keys and bytes; what they mean is in snapshots/',
  ),
  rule(
    /^snapshots\//,
    [
      /^snapshots\//,
      SCHEMAS,
      /^node:(fs|fs\/promises|crypto|path|stream|stream\/promises|readline|string_decoder)$/,
      /^ulid$/,
    ],
    'snapshots are the contract between both programs: schemas and files only; pass anything else in as an argument',
  ),
  rule(
    COORDINATION,
    [COORDINATION, PROCESS_LOCK, SCHEMAS, NODE, /^pg$/],
    'coordination knows leases, terms and databases, and neither program; pass anything else in as an argument',
    [/^snapshots\/fence\.ts$/],
  ),
  rule(
    /^jobs\/engine\/duckdb\//,
    [/^jobs\/engine\//, SCHEMAS, NODE, /^@duckdb\/node-api$/],
    DRIVER_FREE,
    VOCABULARY,
  ),
  rule(
    /^jobs\/engine\/trino\//,
    [/^jobs\/engine\//, COORDINATION, SCHEMAS, NODE, /^pg$/],
    'the warehouse on Trino knows Trino, PostgreSQL and the DuckDB that parses for it; where files are put comes in as an argument',
    VOCABULARY,
  ),
  rule(/^jobs\/engine\//, [/^jobs\/engine\/(?!(duckdb|trino)\/)/, SCHEMAS, NODE], DRIVER_FREE, VOCABULARY),
  rule(
    /^jobs\/ingest\//,
    [
      /^jobs\/(ingest\/|define\/|engine\/duckdb\/(session|landed-sql)\.ts$)/,
      ENGINES,
      /^snapshots\//,
      SCHEMAS,
      NODE,
      PACKAGE,
    ],
    'ingest turns deliveries into landed files, on DuckDB, and knows neither models nor domains; receive them as arguments',
  ),
  rule(/^jobs\/shared\//, [/^jobs\/shared\//, SNAPSHOTS, SCHEMAS, NODE], 'shared/ keeps any files'),
  rule(
    /^jobs\/net\//,
    [/^jobs\/net\//, SCHEMAS, NODE, PACKAGE],
    'net knows protocols and not the product; let the source that uses it do the rest',
  ),
  rule(
    /^jobs\/live\/git\/run-git\.ts$/,
    [/^node:child_process$/],
    'this file alone starts git; what it prints is read elsewhere',
  ),
  rule(
    /^jobs\/live\//,
    [/^jobs\/(live|net|files|define)\//, /^snapshots\/(disk|disk-steps)\.ts$/, SCHEMAS, NODE, PACKAGE],
    'live fetches and keeps what it received; landing and the pipeline receive it as sources from jobs/context/',
  ),
  rule(
    /^jobs\/pipeline\//,
    [/^jobs\/(pipeline\/|ingest\/|define\/|policy\/define\.ts$)/, ENGINES, SNAPSHOTS, SCHEMAS, NODE, PACKAGE],
    'the pipeline knows no domain and no concrete engine; receive domains and the Warehouse as arguments from jobs/main.ts',
  ),
  rule(
    /^jobs\/commands\//,
    [
      /^jobs\/(commands\/|backtests\/|pipeline\/|ingest\/|define\/|live\/|net\/|config\.ts$)/,
      ENGINES,
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
    [/^jobs\/(backtests\/|policy\/define\.ts$)/, ENGINES, /^models\//, SCHEMAS],
    'backtests apply models/ to rows of the warehouse; the command that runs them lands the results',
  ),
  rule(
    /^jobs\/define\//,
    [/^jobs\/define\//, SCHEMAS],
    'define/ is the vocabulary of the domains and depends only on schemas',
    [/^jobs\/(engine\/rows|policy\/define)\.ts$/, /^jobs\/demo\/settings\.ts$/],
  ),
  rule(
    /^jobs\/policy\//,
    [/^jobs\/policy\//, SCHEMAS, /^typebox(\/|$)/],
    'what a policy is knows none of them; receive the definitions as arguments from jobs/policies.ts',
  ),
  rule(
    /^jobs\/main\.ts$/,
    [/^jobs\//, /^snapshots\//, COORDINATION, SCHEMAS, LAUNCH, NODE, PACKAGE],
    'jobs share only files with the server',
  ),
  rule(
    /^jobs\/(context\/|[a-z0-9-]+\.ts$)/,
    [
      /^jobs\//,
      /^snapshots\//,
      COORDINATION,
      SCHEMAS,
      COMMAND_LINE,
      PROCESS_LOCK,
      DATA_FOLDER,
      NODE,
      PACKAGE,
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
      SCHEMAS,
    ],
    'a route looks up, filters and returns a value; what it needs comes in through its services, shared code goes to server/replies/, server/data/paging/, server/series/ or server/analytics/',
    [/^server\/(?!routes\/)/, /^snapshots\//],
  ),
  rule(
    /^server\/define\//,
    [/^server\/define\//, /^snapshots\/(?!(write|gc|retract)\.ts$)/, SCHEMAS, /^typebox(\/|$)/],
    'define/ is the contract of an endpoint and names only types of the rest of the server; how a response is made is in server/replies/',
    [/^server\//],
  ),
  rule(
    /^server\/access\//,
    [/^server\/(?!http\/)/, /^snapshots\/(?!(write|gc|retract)\.ts$)/, SCHEMAS, NODE, PACKAGE],
    'who may do what is decided without knowing connections and routes: http/ uses access/, never the reverse',
  ),
  rule(
    /^server\/web\/browser\//,
    [/^server\/web\/browser\//, /^(lit-html|uplot)$/],
    'scripts of the pages run in a browser, unbundled: they share only scripts of their folder and the two libraries that are served',
  ),
  rule(
    /^server\/analytics\//,
    [/^server\//, /^models\//, /^snapshots\/(?!(write|gc|retract)\.ts$)/, SCHEMAS, NODE, PACKAGE],
    'calculations are pure functions of models/ over published inputs: never jobs/, never the writing half of snapshots/',
  ),
  rule(
    /^server\/main\.ts$/,
    [/^server\//, /^snapshots\/(?!(write|gc|retract)\.ts$)/, SCHEMAS, LAUNCH, NODE, PACKAGE],
    'the server reads published files: never jobs/, never the database driver, never the writing half of snapshots/',
  ),
  rule(
    /^server\/keys(\/|\.ts$)/,
    [/^server\//, /^snapshots\/(?!(write|gc|retract)\.ts$)/, SCHEMAS, COMMAND_LINE, NODE, PACKAGE],
    'the commands for keys work on the store of the server: never jobs/, never the writing half of snapshots/',
  ),
  rule(
    /^server\/store\//,
    [
      /^server\//,
      COORDINATION,
      /^snapshots\/(?!(write|gc|retract)\.ts$)/,
      SCHEMAS,
      PROCESS_LOCK,
      NODE,
      PACKAGE,
    ],
    'the store is part of the server: never jobs/, never the writing half of snapshots/',
  ),
  rule(
    /^server\//,
    [/^server\//, /^snapshots\/(?!(write|gc|retract)\.ts$)/, SCHEMAS, NODE, PACKAGE],
    'the server reads published files: never jobs/, never the database driver, never the writing half of snapshots/',
  ),
  rule(
    COMMAND_LINE,
    [COMMAND_LINE, SCHEMAS, /^node:util$/],
    'the command line knows definitions and texts; the programs do what a command says',
  ),
  rule(
    /^launch\//,
    [/^launch\//, SCHEMAS, /^node:/],
    'the launcher starts both programs as processes; they share the command line, the stop signal and the settings',
  ),
  rule(/^(test|examples)\//, [/./], 'tests may import everything'),
];

const DOMAIN = /^jobs\/([a-z0-9-]+)\//;

/** A folder under jobs/ that no row names is a domain. */
function domainRule(folder: string, path: string): ImportRule {
  const own = new RegExp(`^jobs/(${folder}/|define/|policy/define\\.ts$|net/)`);
  const extra = [...(EXTRA_OF_FOLDER[folder] ?? []), ...(DEMO_FILE.test(path) ? [/^jobs\/demo\//] : [])];
  const instead =
    'domains share through tables, never through TypeScript: read the other domain’s table in SQL; only `demo.ts` and `demo-*.ts` use jobs/demo/';
  return rule(DOMAIN, [own, SCHEMAS, ...extra], instead, [/^jobs\/engine\/rows\.ts$/]);
}

/** Demo files of a domain may use the demo generator. */
const DEMO_FILE = /\/demo(-[a-z0-9-]+)?\.ts$/;

/** Folders that bring rows to the raw tables of all domains, and what a domain needs beyond its own folder. */
const EXTRA_OF_FOLDER: Readonly<Record<string, readonly RegExp[]>> = {
  demo: [NODE],
  files: [NODE, /^typebox(\/|$)/],
  lending: [/^viem(\/|$)/],
  social: [/^node:crypto$/, /^vader-sentiment(\/|$)/],
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
  const folder = DOMAIN.exec(path)?.[1];
  if (folder === undefined)
    throw new Error(`${path}: no import rule covers this place; add a row to test/rules/import-rules.ts`);
  return domainRule(folder, path);
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
