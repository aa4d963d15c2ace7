// One domain on an in-memory engine with its own landing folder: files land as in a run, models are computed over a window, and the
// documents to publish are read back.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Dataset } from '../../jobs/define/dataset.ts';
import { type Domain, policyTablesOf } from '../../jobs/define/domain.ts';
import type { Delivery, Source, SourceFacts } from '../../jobs/define/source.ts';
import type { DuckDb } from '../../jobs/engine/duckdb/session.ts';
import { DuckDbWarehouse } from '../../jobs/engine/duckdb/warehouse.ts';
import type { Parameters } from '../../jobs/engine/parameters.ts';
import type { Row } from '../../jobs/engine/rows.ts';
import { fileSources } from '../../jobs/sources/files/sources.ts';
import { type Ingest, openIngest } from '../../jobs/ingest/land.ts';
import type { Receipt } from '../../jobs/ingest/receipts/receipt.ts';
import { type Finding, runAudits } from '../../jobs/pipeline/gate/audit.ts';
import type { ModelSet } from '../../jobs/pipeline/models/model.ts';
import { type DatasetDocuments, readDocuments } from '../../jobs/pipeline/publish/documents.ts';
import { absorbLanded } from '../../jobs/pipeline/run/compute.ts';
import { DEFAULT_POLICY, type Policy } from '../../jobs/policies.ts';
import type { Json } from '../../platform/base/json.ts';
import { modelsOf, openScratchEngine } from './case-duckdb.ts';
import { computeIn, rowsOf } from './computing.ts';
import { withRealInputs } from './real-data.ts';
import { removeFolder, temporaryFolder } from './temporary-folder.ts';
import { withEvents } from './with-events.ts';

export interface DomainWorld {
  /** Lands a delivery to a raw table and loads it into the warehouse. */
  land(table: string, delivery: Delivery, fetchedAt?: number): Promise<Receipt>;
  /** Lands rows as lines of JSON whose members are named like the raw fields. Times are Unix seconds. */
  landRows(table: string, rows: readonly { readonly [field: string]: Json }[]): Promise<Receipt>;
  /** Lands everything an example configuration names, or only the given sources. */
  landExample(name: string, ...sources: readonly string[]): Promise<readonly Receipt[]>;
  compute(window: Parameters): Promise<void>;
  audit(window: Parameters): Promise<readonly Finding[]>;
  rows(sql: string): Promise<readonly Row[]>;
  documents(dataset: Dataset): Promise<DatasetDocuments>;
  /** The rows of one document. Checks every row of every document against its schema. @throws if a row does not match */
  document(dataset: Dataset, key: string): Promise<Json>;
  close(): Promise<void>;
}

const EXAMPLES = fileURLToPath(new URL('../../examples', import.meta.url));
const LATE = 4_000_000_000;
const SOURCE: SourceFacts = {
  id: 'test',
  kind: 'file',
  name: 'Test',
  url: null,
  chain: null,
  license: null,
};

/** An example configuration whose inputs point to the real files. */
export const exampleConfig = (name: string): { readonly sources: { readonly [id: string]: Json } } =>
  JSON.parse(withRealInputs(readFileSync(new URL(`../../examples/${name}.json`, import.meta.url), 'utf8')));

/** `others`: domains whose tables the models read; nothing lands there. */
export async function openDomainWorld(
  domain: Domain,
  others: readonly Domain[] = [],
  policy: Policy = DEFAULT_POLICY,
): Promise<DomainWorld> {
  const dir = temporaryFolder('domain');
  const engine = await openScratchEngine();
  const all = withEvents([...others, domain]);
  const models = neededBy(domain, await modelsOf(all));
  const warehouse = new DuckDbWarehouse(engine);
  for (const table of policyTablesOf(all)) await warehouse.bindPolicy(table, table.rows(policy));
  await warehouse.prepare({ models: models.models, raw: all.flatMap(({ raw }) => raw) });
  const ingest = await openIngest({ dir, db: engine, key: new Uint8Array(32).fill(7) });
  const bench = { domain, dir, engine, warehouse, models, ingest };
  return { ...lander(bench), ...computer(bench) };
}

/** The domain's own models and everything they read, directly or indirectly, without the rest of the other domains. */
function neededBy(domain: Domain, { models, events, audits }: ModelSet): ModelSet {
  const needed = new Set<string>();
  const add = (name: string): void => {
    if (needed.has(name)) return;
    needed.add(name);
    for (const read of models.find((model) => model.name === name)?.reads ?? []) add(read);
  };
  for (const { name } of models.filter((model) => model.domain === domain.id)) add(name);
  return {
    models: models.filter(({ name }) => needed.has(name)),
    events: events.filter((event) => event.domain === domain.id),
    audits: audits.filter(({ table }) => needed.has(table)),
  };
}

interface Bench {
  readonly domain: Domain;
  readonly dir: string;
  readonly engine: DuckDb;
  readonly warehouse: DuckDbWarehouse;
  readonly models: ModelSet;
  readonly ingest: Ingest;
}

function lander({ domain, dir, warehouse, models, ingest }: Bench) {
  let files = 0;
  const landFrom = async (facts: SourceFacts, name: string, { delivery, at }: Offer): Promise<Receipt> => {
    const table = domain.raw.find((raw) => raw.name === name);
    if (table === undefined) throw new Error(`there is no raw table ${name}`);
    const context = { interval: { from: -1, to: at }, fetchedAt: at };
    const receipt = await ingest.land(table, facts, delivery, context);
    await absorbLanded({ warehouse, models, domains: [domain], landing: ingest });
    return receipt;
  };
  const sourcesOf = (example: string): readonly Source[] =>
    fileSources(exampleConfig(example).sources, { rawTables: domain.raw, baseDir: EXAMPLES });
  return {
    land: (table: string, delivery: Delivery, at = LATE) => landFrom(SOURCE, table, { delivery, at }),
    landRows(table: string, rows: readonly { readonly [field: string]: Json }[]) {
      files += 1;
      const path = join(dir, `rows-${files}.ndjson`);
      writeFileSync(path, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
      const names = [...new Set(rows.flatMap(Object.keys))];
      const fields = Object.fromEntries(names.map((name) => [name, { from: name }]));
      const delivery = { kind: 'file', path, format: 'ndjson', fields } as const;
      return landFrom(SOURCE, table, { delivery, at: LATE });
    },
    async landExample(example: string, ...wanted: readonly string[]) {
      const receipts: Receipt[] = [];
      for (const { facts, table, deliveries } of sourcesOf(example)) {
        if (wanted.length > 0 && !wanted.includes(facts.id)) continue;
        for await (const delivery of deliveries({ from: -1, to: LATE }))
          receipts.push(await landFrom(facts, table, { delivery, at: LATE }));
      }
      return receipts;
    },
  };
}

interface Offer {
  readonly delivery: Delivery;
  readonly at: number;
}

function computer({ dir, engine, warehouse, models }: Bench) {
  return {
    compute: (window: Parameters) => computeIn({ warehouse, models }, window),
    audit: (window: Parameters) => runAudits(engine, models.audits, window),
    rows: (sql: string) => rowsOf(warehouse, sql),
    documents: (dataset: Dataset) => readDocuments(engine, dataset),
    async document(dataset: Dataset, key: string): Promise<Json> {
      const { documents, unfit } = await readDocuments(engine, dataset);
      if (unfit.length > 0) throw new Error(`rows do not fit their schema: ${JSON.stringify(unfit)}`);
      return documents.find((one) => one.key === key)?.value ?? null;
    },
    async close() {
      await engine.close();
      removeFolder(dir);
    },
  };
}
