// A pipeline over files that a test writes: lines of JSON whose members are named like the raw fields, one source per table, one or more
// files per source. A small version of what users have.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runOnce } from '../../jobs/commands/work.ts';
import type { Domain } from '../../jobs/define/domain.ts';
import { deliveredFields } from '../../jobs/define/raw-table.ts';
import type { PipelineContext } from '../../jobs/pipeline/context.ts';
import { domains as everything } from '../../jobs/registry.ts';
import type { Json } from '../../platform/base/json.ts';
import type { Tracer } from '../../platform/tracing/tracer.ts';
import type { DatasetEntry, Document, Manifest } from '../../snapshots/layout.ts';
import { inWorld, publishedManifest, testFolder } from './pipeline-world.ts';
import { removeFolder } from './temporary-folder.ts';

export type FileRow = { readonly [field: string]: Json };

/** File name -> its rows, or its raw text. */
export type FileSet = { readonly [name: string]: readonly FileRow[] | string };

export interface FileWorldOptions {
  readonly domains: readonly Domain[];
  readonly policy?: Json;
  readonly settings?: { readonly [setting: string]: Json };
  readonly tracer?: Tracer;
}

export interface FileWorld {
  readonly dir: string;
  /** Writes files of a raw table under `inputs/<table>/`; its source reads all of them. */
  write(table: string, files: FileSet): void;
  /** Files of a second source of a raw table. */
  writeSecond(table: string, files: FileSet): void;
  /** Sets what the source of a raw table is expected to deliver. */
  expect(table: string, expects: Json): void;
  /** Sets the mapping of a field of a raw table from now on. */
  map(table: string, field: string, mapping: Json): void;
  removeFile(table: string, name: string): void;
  /** Leaves the source of a raw table out of the configuration. Its files stay. */
  removeSource(table: string): void;
  /** Runs once with the clock at `now`. Returns the exit code. */
  run(now: number): Promise<number>;
  work<T>(now: number, what: (world: PipelineContext) => Promise<T>): Promise<T>;
  manifest(): Manifest;
  dataset(id: string): DatasetEntry;
  documents(id: string): readonly Document[];
  /** The texts in gate and confidence of a dataset. */
  words(id: string): readonly string[];
  log(): string;
  remove(): void;
}

/** `dir`: the caller's own folder of an earlier such pipeline, whose files must be written again. */
export function openFileWorld(options: FileWorldOptions, dir?: string): FileWorld {
  const folder = dir === undefined ? testFolder() : { dir, remove: () => removeFolder(dir) };
  const inputs = inputFiles(folder.dir);
  const config = () => ({ ...configOf(options), sources: inputs.sources() });
  const work = <T>(now: number, what: (world: PipelineContext) => Promise<T>) =>
    inWorld(
      folder.dir,
      { config: config(), now, domains: options.domains, ...(options.tracer && { tracer: options.tracer }) },
      what,
    );
  return {
    dir: folder.dir,
    ...inputs,
    run: (now) => work(now, (world) => runOnce(world, null)),
    work,
    ...outputs(folder.dir),
    remove: () => folder.remove(),
  };
}

const configOf = ({ policy, settings = {} }: FileWorldOptions) => ({
  profile: 'files',
  ...settings,
  ...(policy === undefined ? {} : { policy }),
});

type Inputs = Pick<FileWorld, 'write' | 'writeSecond' | 'map' | 'expect' | 'removeFile' | 'removeSource'> & {
  sources(): { readonly [id: string]: Json };
};

function inputFiles(dir: string): Inputs {
  const tables = new Set<string>();
  const second = new Set<string>();
  const mappings = new Map<string, { readonly [field: string]: Json }>();
  const expectations = new Map<string, Json>();
  const folderOf = (table: string) => join(dir, 'inputs', table);
  const writeIn = (folder: string, files: FileSet) => {
    mkdirSync(folder, { recursive: true });
    for (const [name, rows] of Object.entries(files))
      writeFileSync(join(folder, name), typeof rows === 'string' ? rows : linesOf(rows));
  };
  return {
    write(table, files) {
      tables.add(table);
      writeIn(folderOf(table), files);
    },
    writeSecond(table, files) {
      second.add(table);
      writeIn(folderOf(`${table}${SECOND}`), files);
    },
    map(table, field, mapping) {
      mappings.set(table, { ...mappings.get(table), [field]: mapping });
    },
    expect: (table, expects) => void expectations.set(table, expects),
    removeSource: (table) => void tables.delete(table),
    removeFile: (table, name) => rmSync(join(folderOf(table), name)),
    sources: () =>
      Object.fromEntries([
        ...[...tables].map((table) => {
          const expects = expectations.get(table);
          const source = sourceOf(table, mappings.get(table));
          return [sourceId(table), { ...source, ...(expects === undefined ? {} : { expects }) }];
        }),
        ...[...second].map((table) => [
          sourceId(`${table}${SECOND}`),
          { ...sourceOf(table, mappings.get(table)), path: `inputs/${table}${SECOND}/*.ndjson` },
        ]),
      ]),
  };
}

function outputs(dir: string): Pick<FileWorld, 'manifest' | 'dataset' | 'documents' | 'words' | 'log'> {
  const manifest = () => publishedManifest(dir);
  const dataset = (id: string): DatasetEntry => {
    const entry = manifest().datasets[id];
    if (entry === undefined) throw new Error(`dataset ${id} is not published`);
    return entry;
  };
  return {
    manifest,
    dataset,
    documents: (id) =>
      readFileSync(join(dir, `snapshots/datasets/${id}/${dataset(id).sha256}.ndjson`), 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as Document),
    words: (id) => textOf(dataset(id)),
    log: () => readFileSync(join(dir, 'log.ndjson'), 'utf8'),
  };
}

const SECOND = '_second';

/** The id of the source that feeds a raw table. */
export const sourceId = (table: string) => table.replaceAll('_', '-');

export const linesOf = (rows: readonly FileRow[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('');

export const textOf = ({ quality_gate, confidence }: Pick<DatasetEntry, 'quality_gate' | 'confidence'>) => [
  ...quality_gate.checks.flatMap(({ verdict, detail }) =>
    (verdict === 'warn' || verdict === 'fail') && detail !== null ? [detail] : [],
  ),
  ...confidence.reasons,
];

function sourceOf(table: string, mappings: { readonly [field: string]: Json } = {}) {
  const raw = everything.flatMap((domain) => domain.raw).find(({ name }) => name === table);
  if (raw === undefined) throw new Error(`there is no raw table ${table}`);
  const fields = Object.fromEntries(deliveredFields(raw).map(({ name }) => [name, name]));
  return {
    table,
    path: `inputs/${table}/*.ndjson`,
    format: 'ndjson',
    name: `Files of ${table}`,
    fields: { ...fields, ...mappings },
  };
}
