// Files through a whole pipeline: one run over configured sources, and what is published of them.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Domain } from '../../jobs/define/domain.ts';
import { run } from '../../jobs/pipeline/run/run.ts';
import { domains } from '../../jobs/registry.ts';
import type { Json } from '../../snapshots/layout.ts';
import { inWorld, publishedManifest, type TestWorldOptions } from './pipeline-world.ts';
import { withRealInputs } from './real-data.ts';
import { withEvents } from './with-events.ts';

export interface FilesConfig {
  readonly profile: string;
  readonly sources: { readonly [id: string]: Json };
  readonly policy?: Json;
}

const exampleUrl = (name: string) => new URL(`../../examples/${name}.json`, import.meta.url);

/** `examples/<name>.json` over the real files. */
export const exampleFiles = (name: string): FilesConfig =>
  JSON.parse(withRealInputs(readFileSync(exampleUrl(name), 'utf8')));

/** The domains that the sources deliver to, and those whose tables they read: the others have nothing to compute. */
function watchedBy({ sources }: FilesConfig): readonly Domain[] {
  const tables = Object.values(sources).map((source) => (source as { readonly table?: string }).table);
  return neededBy(domains.filter(({ raw }) => raw.some(({ name }) => tables.includes(name))));
}

/** Domains with all whose tables they read, directly or through others, in the order of the registry. */
function neededBy(wanted: readonly Domain[]): readonly Domain[] {
  const needed = new Set<Domain>();
  const add = (one: Domain): void => {
    if (needed.has(one)) return;
    needed.add(one);
    for (const other of domains) if (reads(one, other)) add(other);
  };
  for (const one of wanted) add(one);
  return domains.filter((domain) => needed.has(domain));
}

interface Names {
  /** Models that other domains may read. */
  readonly models: readonly string[];
  /** Tables that its queries name. */
  readonly named: ReadonlySet<string>;
}

const namesByFolder = new Map<string, Names>();

/** Read once in each worker. */
function namesOf({ folder }: Domain): Names {
  const known = namesByFolder.get(folder.href);
  if (known !== undefined) return known;
  const files = readdirSync(folder).filter((name) => name.endsWith('.sql'));
  const models = files.filter((name) => /^(obs|derived)[.].*(?<!audit)[.]sql$/.test(name));
  const texts = files.map((name) => readFileSync(new URL(name, folder), 'utf8'));
  const names = {
    models: models.map((name) => name.slice(0, -'.sql'.length)),
    named: new Set(texts.flatMap((text) => text.match(/\b(?:obs|derived)\.\w+/g) ?? [])),
  };
  namesByFolder.set(folder.href, names);
  return names;
}

const reads = (one: Domain, other: Domain): boolean => {
  const { named } = namesOf(one);
  return namesOf(other).models.some((model) => named.has(model));
};

/** One run as of `now`; answers the problems it reports. */
export const runFiles = (dir: string, config: FilesConfig, now: number): Promise<readonly string[]> =>
  runOnce(dir, { config: { ...config }, now, domains: withEvents(watchedBy(config)) });

/** One run over `examples/<name>.json` as it is, with the inputs next to it, as far as `dataset` needs it. */
export function runExample(
  dir: string,
  { name, dataset, now }: { readonly name: string; readonly dataset: string; readonly now: number },
): Promise<readonly string[]> {
  const file = fileURLToPath(exampleUrl(name));
  const watched = watchedBy(JSON.parse(readFileSync(file, 'utf8')));
  const publisher = domains.find(({ datasets }) => datasets.some(({ id }) => id === dataset));
  const needed = publisher === undefined ? watched : neededBy([...watched, publisher]);
  return runOnce(dir, { flags: ['--config', file], now, domains: withEvents(needed) });
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

/** Fields that the quarantined rows of a raw table name as their reason, sorted. */
export function quarantinedFields(dir: string, table: string): readonly string[] {
  const folder = join(dir, 'quarantine', table);
  return readdirSync(folder)
    .flatMap((file) => readFileSync(join(folder, file), 'utf8').trim().split('\n'))
    .map((line) => (JSON.parse(line) as { readonly reason: string }).reason.split(':')[0] ?? '')
    .sort();
}
