// Layer-2 figures through a whole pipeline: files in a folder, one run, and what is published of them.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../../../jobs/pipeline/run.ts';
import type { Layer2Statistic } from '../../../schemas/layer2.ts';
import type { Json } from '../../../snapshots/layout.ts';
import { inWorld, publishedManifest } from '../../support/pipeline-world.ts';

export const DAY = 86_400;

export interface FigureRow {
  readonly network: string;
  readonly metric: string;
  readonly day_at: number;
  readonly measured_at?: number;
  readonly value: number | string;
}

const FIELDS = {
  network: 'network',
  metric: 'metric',
  day_at: { from: 'day_at', time: 'unix_s' },
  measured_at: { from: 'measured_at', time: 'unix_s' },
  value: 'value',
};

/** A configuration with one NDJSON file of rows a source. */
export function figureFiles(dir: string, files: { readonly [source: string]: readonly FigureRow[] }): Json {
  const sources = Object.entries(files).map(([id, rows]) => {
    writeFileSync(join(dir, `${id}.ndjson`), rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
    return [id, { table: 'layer2_metric', path: `${id}.ndjson`, format: 'ndjson', name: id, fields: FIELDS }];
  });
  return { profile: 'files', sources: Object.fromEntries(sources) };
}

/** One run as of `now`; answers the problems it tells of. */
export const runFiles = (dir: string, config: Json, now: number): Promise<readonly string[]> =>
  inWorld(dir, { config, now }, async (world) => {
    const outcome = await run(world, {
      interval: { from: -1, to: now },
      gather: true,
      detect: 'nothing',
      publish: true,
    });
    return outcome.problems;
  });

/** Published documents of a dataset by key. */
export function documentsOf<T = readonly Layer2Statistic[]>(
  dir: string,
  dataset = 'layer2-statistics',
): { readonly [key: string]: T } {
  const { sha256 } = publishedManifest(dir).datasets[dataset] ?? {};
  const lines = readFileSync(join(dir, 'snapshots/datasets', dataset, `${sha256}.ndjson`), 'utf8').split(
    '\n',
  );
  const documents = lines.filter((line) => line !== '').map((line) => JSON.parse(line));
  return Object.fromEntries(documents.map(({ key, value }: { key: string; value: T }) => [key, value]));
}
