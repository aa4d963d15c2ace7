// A folder as a user has it, a configuration file with the files that it names, run through the whole pipeline. Kept under test/ as the
// input of one known fault.
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runOnce } from '../../jobs/commands/work.ts';
import type { Json } from '../../platform/base/json.ts';
import type { DatasetEntry, Document } from '../../snapshots/layout.ts';
import { textOf } from './file-world.ts';
import { inWorld, publishedManifest, testFolder } from './pipeline-world.ts';

export interface InputRun {
  readonly dir: string;
  readonly code: number;
  /** The documents of a published dataset; throws if it is not published. */
  documents(dataset: string): readonly Document[];
  /** The one document of a dataset with this key. */
  value(dataset: string, key: string): Json | undefined;
  /** What speaks against a dataset in its gate and confidence. */
  gateOf(dataset: string): readonly string[];
  /** Rows of the warehouse. */
  rows(sql: string): Promise<readonly { readonly [column: string]: unknown }[]>;
  /** Runs again with the clock at `now`, and returns the exit code. */
  again(now: number): Promise<number>;
  remove(): void;
}

/** Runs once on a copy of the folder; `change` may alter the copy before. */
export async function runInputFolder(
  folder: URL,
  now: number,
  change: (dir: string) => void = () => undefined,
): Promise<InputRun> {
  const { dir, remove } = testFolder();
  cpSync(fileURLToPath(folder), dir, { recursive: true });
  change(dir);
  const config = JSON.parse(readFileSync(join(dir, 'config.json'), 'utf8')) as Json;
  const runAt = (at: number) => inWorld(dir, { config, now: at }, (world) => runOnce(world, null));
  const documents = (dataset: string) => documentsOf(dir, dataset);
  return {
    dir,
    code: await runAt(now),
    documents,
    value: (dataset, key) => documents(dataset).find((document) => document.key === key)?.value,
    gateOf: (dataset) => textOf(entryOf(dir, dataset)),
    rows: (sql) => inWorld(dir, { config, now }, ({ warehouse }) => warehouse.rows(sql)),
    again: runAt,
    remove,
  };
}

function documentsOf(dir: string, dataset: string): readonly Document[] {
  const entry = entryOf(dir, dataset);
  return readFileSync(join(dir, `snapshots/datasets/${dataset}/${entry.sha256}.ndjson`), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Document);
}

function entryOf(dir: string, dataset: string): DatasetEntry {
  const entry = publishedManifest(dir).datasets[dataset];
  if (entry === undefined) throw new Error(`dataset ${dataset} is not published`);
  return entry;
}
