// Two warehouses as one, where no Trino is available: another in-memory DuckDB, without outside transactions, takes its place.
import { tmpdir } from 'node:os';
import { ulid } from 'ulid';
import type { DuckDb } from '../../jobs/engine/duckdb/session.ts';
import { DuckDbWarehouse } from '../../jobs/engine/duckdb/warehouse.ts';
import type { Home } from '../../jobs/engine/placed/part.ts';
import { CombinedWarehouse } from '../../jobs/engine/placed/warehouse.ts';
import { openScratchEngine } from './case-duckdb.ts';

/** `db` is DuckDB's own place. */
export async function combinedWarehouse(
  db: DuckDb,
  homeOf: (table: string) => Home,
): Promise<CombinedWarehouse> {
  return placedOn(
    { duckdb: new DuckDbWarehouse(db), trino: new DuckDbWarehouse(await openScratchEngine()) },
    ({ name }) => homeOf(name),
  );
}

export const placedOn = (
  parts: { readonly [location in Home]: DuckDbWarehouse },
  homeOf: ConstructorParameters<typeof CombinedWarehouse>[0]['homeOf'],
): CombinedWarehouse => new CombinedWarehouse({ parts, homeOf, tempDir: tmpdir(), makeId: () => ulid() });
