// Files through a whole pipeline: one run over configured sources, and what it publishes.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Domain } from '../../jobs/define/domain.ts';
import { run } from '../../jobs/pipeline/run/run.ts';
import { domains } from '../../jobs/registry.ts';
import type { Json } from '../../platform/base/json.ts';
import { inWorld, publishedManifest, type TestWorldOptions } from './pipeline-world.ts';
import { neededFor } from './needed-models.ts';
import { withRealInputs } from './real-data.ts';

export interface FilesConfig {
  readonly profile: string;
  readonly sources: { readonly [id: string]: Json };
  readonly policy?: Json;
}

const exampleUrl = (name: string) => new URL(`../../examples/${name}.json`, import.meta.url);

/** `examples/<name>.json` over the real files. */
export const exampleFiles = (name: string): FilesConfig =>
  JSON.parse(withRealInputs(readFileSync(exampleUrl(name), 'utf8')));

/** The domains that the sources deliver to with all their datasets, and `others`. The rest has nothing to compute. */
function watchedBy({ sources }: FilesConfig, ...others: readonly string[]): readonly Domain[] {
  const tables = Object.values(sources).map((source) => (source as { readonly table?: string }).table);
  const raw = domains.flatMap((domain) => domain.raw.filter(({ name }) => tables.includes(name)));
  const fed = domains.filter((domain) => domain.raw.some((table) => raw.includes(table)));
  const datasets = fed.flatMap((domain) => domain.datasets.map(({ id }) => id));
  return neededFor({
    datasets: [...datasets, ...others],
    tables: raw.map(({ observations }) => observations.model),
  });
}

/** Runs once as of `now`. Returns the reported problems. */
export const runFiles = (dir: string, config: FilesConfig, now: number): Promise<readonly string[]> =>
  runOnce(dir, { config: { ...config }, now, domains: watchedBy(config) });

/** Runs `examples/<name>.json` unchanged, with the inputs next to it. Publishes `dataset` as well as those of the domains it delivers to. */
export function runExample(
  dir: string,
  { name, dataset, now }: { readonly name: string; readonly dataset: string; readonly now: number },
): Promise<readonly string[]> {
  const file = fileURLToPath(exampleUrl(name));
  const config = JSON.parse(readFileSync(file, 'utf8')) as FilesConfig;
  return runOnce(dir, { flags: ['--config', file], now, domains: watchedBy(config, dataset) });
}

const runOnce = (dir: string, options: TestWorldOptions): Promise<readonly string[]> =>
  inWorld(dir, options, async (world) => {
    const interval = { from: -1, to: options.now };
    const outcome = await run(world, { interval, gather: true, detect: 'nothing', publish: true });
    return outcome.problems;
  });

/** Published documents of a dataset by key. */
export function documentsOf<T>(dir: string, dataset: string): { readonly [key: string]: T } {
  const { sha256 } = publishedManifest(dir).datasets[dataset] ?? {};
  const lines = readFileSync(join(dir, 'snapshots/datasets', dataset, `${sha256}.ndjson`), 'utf8').split(
    '\n',
  );
  const documents = lines.filter((line) => line !== '').map((line) => JSON.parse(line));
  return Object.fromEntries(documents.map(({ key, value }: { key: string; value: T }) => [key, value]));
}

export const confidenceOf = (dir: string, dataset: string) =>
  publishedManifest(dir).datasets[dataset]?.confidence;

/** The fields that quarantined rows of a raw table name as their reason, sorted. */
export function quarantinedFields(dir: string, table: string): readonly string[] {
  const folder = join(dir, 'quarantine', table);
  return readdirSync(folder)
    .flatMap((file) => readFileSync(join(folder, file), 'utf8').trim().split('\n'))
    .map((line) => (JSON.parse(line) as { readonly reason: string }).reason.split(':')[0] ?? '')
    .sort();
}
