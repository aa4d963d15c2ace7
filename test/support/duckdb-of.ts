// The database behind a pipeline, for tests and benchmarks that fill its tables themselves.
import type { DuckDb } from '../../jobs/engine/duckdb/session.ts';
import { DuckDbWarehouse } from '../../jobs/engine/duckdb/warehouse.ts';
import type { Warehouse } from '../../jobs/engine/warehouse.ts';

export function duckDbOf({ warehouse }: { readonly warehouse: Warehouse }): DuckDb {
  if (warehouse instanceof DuckDbWarehouse) return warehouse.db;
  throw new Error(`${warehouse.version} is not DuckDB`);
}
