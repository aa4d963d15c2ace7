// Whether typed arrays may be copied straight into the driver's vectors. The buffer that takes them is a private member of the driver:
// a version that changes it would lose rows without an error, so each process tries it on three rows first.
import type { DuckDBConnection } from '@duckdb/node-api';
import { appendColumns } from './append.ts';

const PROBE = 'append_probe';
const NUMBERS = [-1, 0, 2_000_000_001];

/** Appends typed arrays to a temporary table in bulk and reads them back. */
export async function canCopyInBulk(connection: DuckDBConnection): Promise<boolean> {
  await connection.run(`create or replace temp table ${PROBE} (n bigint, d double, i integer)`);
  try {
    const columns = [
      { name: 'n', type: 'BIGINT', values: BigInt64Array.from(NUMBERS, BigInt) },
      { name: 'd', type: 'DOUBLE', values: Float64Array.from(NUMBERS, (one) => one / 2) },
      { name: 'i', type: 'INTEGER', values: Int32Array.from(NUMBERS) },
    ] as const;
    await appendColumns(connection, `main.${PROBE}`, { columns, isBulk: true });
    const result = await connection.run(`select n, d, i from ${PROBE} order by n`);
    const read = (await result.getRows()).map((row) => row.map(Number));
    return JSON.stringify(read) === JSON.stringify(NUMBERS.map((one) => [one, one / 2, one]));
  } catch {
    return false;
  } finally {
    await connection.run(`drop table if exists ${PROBE}`);
  }
}
