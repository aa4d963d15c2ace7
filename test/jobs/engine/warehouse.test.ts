// Every warehouse does what test/jobs/engine/conformance.ts requires; the one on Trino is tested in test/trino.
import { describe } from 'vitest';
import { DuckDbWarehouse } from '../../../jobs/engine/duckdb/warehouse.ts';
import type { OpenWarehouse } from '../../support/model-world.ts';
import { combinedWarehouse } from '../../support/combined-warehouse.ts';
import { warehouseConforms } from './conformance.ts';

const WAREHOUSES: Readonly<Record<string, OpenWarehouse>> = {
  DuckDB: async (db) => new DuckDbWarehouse(db),
  'two places, files at the first': (db) =>
    combinedWarehouse(db, (name) => (name.startsWith('obs.') ? 'duckdb' : 'trino')),
  'two places, files at the second': (db) =>
    combinedWarehouse(db, (name) => (name.startsWith('obs.') ? 'trino' : 'duckdb')),
};

describe.each(Object.entries(WAREHOUSES))('the warehouse on %s', (_, open) => warehouseConforms(open));
