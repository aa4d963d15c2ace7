import { describe } from 'vitest';
import { DuckDbWarehouse } from '../../../jobs/engine/duckdb/warehouse.ts';
import type { OpenWarehouse } from '../../support/model-world.ts';
import { warehouseConforms } from './conformance.ts';

const WAREHOUSES: Readonly<Record<string, OpenWarehouse>> = {
  DuckDB: async (db) => new DuckDbWarehouse(db),
};

describe.each(Object.entries(WAREHOUSES))('the warehouse on %s', (_, open) => warehouseConforms(open));
