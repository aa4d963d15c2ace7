// Opens a draft: a landing folder among the temporary files, and a warehouse of one table next to it.
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { policyTablesOf } from '../define/domain.ts';
import type { RawTable } from '../define/raw-table.ts';
import { openDuckDb } from '../engine/duckdb/duckdb.ts';
import { landedSql } from '../engine/duckdb/landed-sql.ts';
import type { DuckDb } from '../engine/duckdb/session.ts';
import { DuckDbWarehouse } from '../engine/duckdb/warehouse.ts';
import type { ModelTable } from '../engine/model.ts';
import { NO_TIME } from '../engine/parameters.ts';
import { quoted } from '../engine/sql-text.ts';
import { type IngestOptions, openIngest } from '../ingest/land.ts';
import type { LandedFiles } from '../ingest/read-landing.ts';
import type { PipelineContext } from '../pipeline/context.ts';
import type { Draft, DraftRequest, RowChanges } from '../pipeline/undo/draft.ts';

const FOLDER = 'draft';

/** Removes what interrupted drafts left behind. Only for the process that holds the folder's lock. */
export function removeDrafts(temporary: string): void {
  const folder = join(temporary, FOLDER);
  if (existsSync(folder)) rmSync(folder, { recursive: true });
}

export interface DraftTools {
  /** The folder of temporary files. */
  readonly temporary: string;
  readonly memoryLimit: string;
  readonly cores: number;
  readonly policy: PipelineContext['policy'];
  readonly domains: PipelineContext['domains'];
  readonly models: PipelineContext['models'];
  readonly landing: LandedFiles;
  /** As for landing itself. */
  readonly ingestOptions: Omit<IngestOptions, 'dir' | 'db' | 'neighbours' | 'disk'>;
}

export async function openDraft(tools: DraftTools, { table, neighbours }: DraftRequest): Promise<Draft> {
  const { temporary, memoryLimit, cores } = tools;
  const folder = join(temporary, FOLDER, table.name);
  rmSync(folder, { recursive: true, force: true });
  const dir = join(folder, 'data');
  mkdirSync(dir, { recursive: true });
  const file = join(folder, 'kept.duckdb');
  const db = await openDuckDb({ file, memoryLimit, threads: cores, tempDir: join(folder, 'tmp') });
  const close = async () => {
    await db.close();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const { warehouse, model } = await warehouseOf(db, tools, table);
    const raw = { raw: table, parameters: NO_TIME };
    const files = neighbours.flatMap((one) => tools.landing.fileOf(one) ?? []);
    await warehouse.absorb(model, { ...raw, files, landing: tools.landing });
    const { fileOf, check } = tools.landing;
    const others = {
      receipts: (name?: string) => (name === undefined || name === table.name ? neighbours : []),
      fileOf,
      check,
    };
    const ingest = await openIngest({ ...tools.ingestOptions, dir, db, neighbours: others });
    return {
      dir,
      ingest,
      async absorb() {
        await warehouse.absorb(model, { ...raw, files: ingest.files(table.name), landing: ingest });
      },
      compare: (others) => compareRows(db, table, { before: others, after: ingest.files(table.name) }),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** A warehouse with the model that keeps the rows of one raw table. */
async function warehouseOf(
  db: DuckDb,
  { policy, domains, models }: DraftTools,
  table: RawTable,
): Promise<{ readonly warehouse: DuckDbWarehouse; readonly model: ModelTable }> {
  const model = models.models.find(({ name }) => name === table.observations.model);
  if (model === undefined)
    throw new Error(`Raw table ${table.name}: there is no model ${table.observations.model}.`);
  const warehouse = new DuckDbWarehouse(db);
  for (const bound of policyTablesOf(domains)) await warehouse.bindPolicy(bound, bound.rows(policy));
  await warehouse.prepare({ models: [model], raw: [table] });
  return { warehouse, model };
}

async function compareRows(
  db: DuckDb,
  table: RawTable,
  { before, after }: { readonly before: readonly string[]; readonly after: readonly string[] },
): Promise<RowChanges> {
  const columns = [...table.fields.map(({ name }) => name), 'source_id'].map(quoted).join(', ');
  const rows = (files: readonly string[]) => `select ${columns} from (${landedSql(table, files)})`;
  const count = async (sql: string) =>
    Number((await db.rows(`select count(*) as n from (${sql})`))[0]?.['n']);
  const [old, now] = [rows(before), rows(after)];
  const unchanged = await count(`${old} intersect all ${now}`);
  return { added: (await count(now)) - unchanged, superseded: (await count(old)) - unchanged, unchanged };
}
