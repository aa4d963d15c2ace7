// A warehouse with a small domain in a temporary folder, for tests of models and warehouses.

import type { DuckDb } from '../../jobs/engine/duckdb/session.ts';
import { DuckDbWarehouse } from '../../jobs/engine/duckdb/warehouse.ts';
import type { ModelTable } from '../../jobs/engine/model.ts';
import type { Row } from '../../jobs/engine/rows.ts';
import type {
  AbsorptionReport,
  LandedHashes,
  PreparedTables,
  Warehouse,
} from '../../jobs/engine/warehouse.ts';
import type { Model } from '../../jobs/pipeline/models/model.ts';
import { loadModels } from '../../jobs/pipeline/models/load-models.ts';
import { openScratchEngine } from './case-duckdb.ts';
import { limitTable, READING_SQL, readingTable, type Scratch, scratch } from './model-folder.ts';

export const DAY = 86_400;
export const span = (start: number, end: number) => ({ start, end, now: end - 1 });
export const ALL = span(0, 100 * DAY);

export type Readings = readonly (readonly [meter: string, readAt: number, level: number])[];

export interface ModelWorld {
  readonly warehouse: Warehouse;
  readonly folder: Scratch;
  /** Loads these models next to `obs.reading` and creates their tables. */
  prepare(files: { readonly [name: string]: string }): Promise<PreparedTables>;
  models(): readonly Model[];
  model(name: string): ModelTable;
  /** Lands readings as a Parquet file and resolves to its path. */
  land(name: string, rows: Readings): Promise<string>;
  absorb(files: readonly string[], landing?: LandedHashes): Promise<AbsorptionReport>;
  rows(table: string): Promise<readonly Row[]>;
  close(): Promise<void>;
}

/** Opens a warehouse. `db` parses models and writes landed files for every kind of warehouse. */
export type OpenWarehouse = (db: DuckDb) => Promise<Warehouse>;

export async function openModelWorld(
  open: OpenWarehouse = async (db) => new DuckDbWarehouse(db),
): Promise<ModelWorld> {
  const db = await openScratchEngine();
  const warehouse = await open(db);
  const folder = scratch();
  let models: readonly Model[] = [];
  await warehouse.bindPolicy(limitTable, [{ name: 'high', highest: 9 }]);
  const model = (name: string): ModelTable => {
    const found = models.find((one) => one.name === name);
    if (found === undefined) throw new Error(`no model ${name}`);
    return found;
  };
  return {
    warehouse,
    folder,
    model,
    models: () => models,
    async prepare(files) {
      const domain = folder.domain('meters', { 'obs.reading.sql': READING_SQL, ...files });
      ({ models } = await loadModels(db, [domain]));
      return warehouse.prepare({ models, raw: [readingTable] });
    },
    land: (name, rows) => folder.land(db, name, rows),
    absorb: (files, landing) =>
      warehouse.absorb(model('obs.reading'), {
        raw: readingTable,
        files,
        parameters: ALL,
        ...(landing === undefined ? {} : { landing }),
      }),
    rows: (table) => warehouse.rows(`select * from ${table}`),
    async close() {
      folder.remove();
      await warehouse.close();
      await db.close();
    },
  };
}
