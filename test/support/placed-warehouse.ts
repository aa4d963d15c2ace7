// Two warehouses as one, where no Trino is available: another in-memory DuckDB, without outside transactions, takes its place.
import { tmpdir } from 'node:os';
import { ulid } from 'ulid';
import type { DuckDb } from '../../jobs/engine/duckdb/session.ts';
import { DuckDbWarehouse } from '../../jobs/engine/duckdb/warehouse.ts';
import type { Place } from '../../jobs/engine/placed/part.ts';
import { PlacedWarehouse } from '../../jobs/engine/placed/warehouse.ts';
import { openScratchEngine } from './case-duckdb.ts';

/** `db` is DuckDB's own place. */
export async function placedWarehouse(
  db: DuckDb,
  homeOf: (table: string) => Place,
): Promise<PlacedWarehouse> {
  return placedOn(
    { duckdb: new DuckDbWarehouse(db), trino: new DuckDbWarehouse(await openScratchEngine()) },
    ({ name }) => homeOf(name),
  );
}

export const placedOn = (
  parts: { readonly [place in Place]: DuckDbWarehouse },
  homeOf: ConstructorParameters<typeof PlacedWarehouse>[0]['homeOf'],
): PlacedWarehouse => new PlacedWarehouse({ parts, homeOf, tempDir: tmpdir(), makeId: () => ulid() });
