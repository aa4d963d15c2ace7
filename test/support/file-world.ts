// A pipeline over files that a test writes: lines of JSON whose members bear the names of the raw fields, a source a table, a file or more
// a source. What strangers have, in small.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runOnce } from '../../jobs/commands/work.ts';
import { type Domain, deliveredFields } from '../../jobs/define.ts';
import { domains as everything } from '../../jobs/registry.ts';
import type { DatasetEntry, Document, Json, Manifest } from '../../snapshots/layout.ts';
import { inWorld, publishedManifest, testFolder } from './pipeline-world.ts';

export type FileRow = { readonly [field: string]: Json };

/** File name -> its rows, or its text as it is. */
export type FileSet = { readonly [name: string]: readonly FileRow[] | string };

export interface FileWorldOptions {
  readonly domains: readonly Domain[];
  readonly policy?: Json;
  readonly settings?: { readonly [setting: string]: Json };
}

export interface FileWorld {
  readonly dir: string;
  /** Writes files of a raw table under `inputs/<table>/`; its source takes all that lie there. */
  write(table: string, files: FileSet): void;
  removeFile(table: string, name: string): void;
  /** Runs once with the clock at `now`; answers the exit code. */
  run(now: number): Promise<number>;
  manifest(): Manifest;
  dataset(id: string): DatasetEntry;
  documents(id: string): readonly Document[];
  /** What gate and confidence of a dataset name, a text each. */
  words(id: string): readonly string[];
  log(): string;
  remove(): void;
}

export function openFileWorld({ domains, policy, settings = {} }: FileWorldOptions): FileWorld {
  const folder = testFolder();
  const dir = folder.dir;
  const tables = new Set<string>();
  const inputs = (table: string) => join(dir, 'inputs', table);
  const config = () => ({
    profile: 'files',
    ...settings,
    ...(policy === undefined ? {} : { policy }),
    sources: Object.fromEntries([...tables].map((table) => [sourceId(table), sourceOf(table)])),
  });
  const manifest = () => publishedManifest(dir);
  const dataset = (id: string): DatasetEntry => {
    const entry = manifest().datasets[id];
    if (entry === undefined) throw new Error(`dataset ${id} is not published`);
    return entry;
  };
  return {
    dir,
    write(table, files) {
      tables.add(table);
      mkdirSync(inputs(table), { recursive: true });
      for (const [name, rows] of Object.entries(files))
        writeFileSync(join(inputs(table), name), typeof rows === 'string' ? rows : linesOf(rows));
    },
    removeFile: (table, name) => rmSync(join(inputs(table), name)),
    run: (now) => inWorld(dir, { config: config(), now, domains }, (world) => runOnce(world, null)),
    manifest,
    dataset,
    documents: (id) =>
      readFileSync(join(dir, `snapshots/datasets/${id}/${dataset(id).sha256}.ndjson`), 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as Document),
    words: (id) => wordsOf(dataset(id)),
    log: () => readFileSync(join(dir, 'log.ndjson'), 'utf8'),
    remove: () => folder.remove(),
  };
}

/** The id of the source of a raw table. */
export const sourceId = (table: string) => table.replaceAll('_', '-');

export const linesOf = (rows: readonly FileRow[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('');

export const wordsOf = ({ quality_gate, confidence }: Pick<DatasetEntry, 'quality_gate' | 'confidence'>) => [
  ...quality_gate.checks.flatMap(({ verdict, detail }) =>
    verdict === 'pass' || detail === null ? [] : [detail],
  ),
  ...confidence.reasons,
];

function sourceOf(table: string): Json {
  const raw = everything.flatMap((domain) => domain.raw).find(({ name }) => name === table);
  if (raw === undefined) throw new Error(`there is no raw table ${table}`);
  const fields = Object.fromEntries(deliveredFields(raw).map(({ name }) => [name, name]));
  return { table, path: `inputs/${table}/*.ndjson`, format: 'ndjson', name: `Files of ${table}`, fields };
}
