// One domain on an engine in memory with a landing folder of its own: files land as they do in a run, models are computed over a window,
// and what would be published is read back.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Dataset, Delivery, Domain, RawTable } from '../../jobs/define.ts';
import type { Row } from '../../jobs/engine/engine.ts';
import { fileSources } from '../../jobs/files/sources.ts';
import { type Finding, runAudits } from '../../jobs/pipeline/audit.ts';
import { bindPolicy } from '../../jobs/pipeline/bind.ts';
import { absorbLanded } from '../../jobs/pipeline/compute.ts';
import { type DatasetDocuments, readDocuments } from '../../jobs/pipeline/documents.ts';
import { openLanding } from '../../jobs/pipeline/landing/land.ts';
import type { Receipt } from '../../jobs/pipeline/landing/receipts.ts';
import { materialize } from '../../jobs/pipeline/materialize.ts';
import { loadModels } from '../../jobs/pipeline/model.ts';
import { prepareTables } from '../../jobs/pipeline/model-table.ts';
import type { Parameters } from '../../jobs/pipeline/model-text.ts';
import { DEFAULT_POLICY } from '../../schemas/policy.ts';
import { nodeDisk } from '../../snapshots/disk.ts';
import type { Json } from '../../snapshots/layout.ts';
import { openScratchEngine } from './case-duckdb.ts';
import { REAL_DATA_DIR } from './real-data.ts';

export interface DomainWorld {
  /** Lands a delivery to a raw table and takes it into the warehouse. */
  land(table: string, delivery: Delivery, fetchedAt?: number): Promise<Receipt>;
  /** Lands everything that an example configuration names; those sources alone, when any are given. */
  landExample(name: string, ...sources: readonly string[]): Promise<readonly Receipt[]>;
  compute(window: Parameters): Promise<void>;
  audit(window: Parameters): Promise<readonly Finding[]>;
  rows(sql: string): Promise<readonly Row[]>;
  documents(dataset: Dataset): Promise<DatasetDocuments>;
  /** The rows of one document, every row of every document checked against its schema. Throws when one does not fit. */
  document(dataset: Dataset, key: string): Promise<Json>;
  close(): Promise<void>;
}

const LATE = 4_000_000_000;
const SOURCE = { id: 'test', kind: 'file', name: 'Test', url: null, chain: null, license: null } as const;

/** An example configuration with the paths of its real files pointing to where they are. */
export const exampleConfig = (name: string): { readonly sources: { readonly [id: string]: Json } } =>
  JSON.parse(
    readFileSync(new URL(`../../examples/${name}.json`, import.meta.url), 'utf8').replaceAll(
      '../../shared/data',
      REAL_DATA_DIR,
    ),
  );

export async function openDomainWorld(domain: Domain): Promise<DomainWorld> {
  const dir = mkdtempSync(join(tmpdir(), 'domain-'));
  const engine = await openScratchEngine();
  for (const table of domain.policy) await bindPolicy(engine, table, table.rows(DEFAULT_POLICY));
  const models = await loadModels(engine, [domain]);
  await prepareTables(engine, { models: models.models, raw: domain.raw });
  const landing = await openLanding({ dir, engine });
  const rawTable = (name: string): RawTable => {
    const found = domain.raw.find((table) => table.name === name);
    if (found === undefined) throw new Error(`there is no raw table ${name}`);
    return found;
  };
  const landFrom = async (source: typeof SOURCE | Json, table: string, delivery: Delivery, at: number) => {
    const context = { interval: { from: -1, to: at }, fetchedAt: at };
    const receipt = await landing.land(rawTable(table), source as typeof SOURCE, delivery, context);
    await absorbLanded({ engine, models, domains: [domain], landing });
    return receipt;
  };
  const documents = (dataset: Dataset) => readDocuments(engine, dataset);
  return {
    land: (table, delivery, fetchedAt = LATE) => landFrom(SOURCE, table, delivery, fetchedAt),
    async landExample(name, ...wanted) {
      const all = fileSources(exampleConfig(name).sources, {
        rawTables: domain.raw,
        baseDir: dir,
        disk: nodeDisk,
      });
      const receipts: Receipt[] = [];
      for (const { facts, table, deliveries } of all.filter(
        ({ facts: { id } }) => wanted.length === 0 || wanted.includes(id),
      )) {
        for await (const delivery of deliveries({ from: -1, to: LATE }))
          receipts.push(await landFrom({ ...facts } as Json, table, delivery, LATE));
      }
      return receipts;
    },
    async compute(window) {
      for (const model of models.models.filter(({ kind }) => kind !== 'append'))
        await materialize(engine, model, window);
    },
    audit: (window) => runAudits(engine, models.audits, window),
    rows: (sql) => engine.rows(sql),
    documents,
    async document(dataset, key) {
      const { documents: all, bad } = await documents(dataset);
      if (bad.length > 0) throw new Error(`rows do not fit their schema: ${JSON.stringify(bad)}`);
      return all.find((one) => one.key === key)?.value ?? null;
    },
    async close() {
      await engine.close();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
