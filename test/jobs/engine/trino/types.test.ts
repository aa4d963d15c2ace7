import { expect, test } from 'vitest';
import { trinoType } from '../../../../jobs/engine/trino/types.ts';

test.each([
  ['BIGINT', 'BIGINT'],
  ['HUGEINT', 'decimal(38,0)'],
  ['DECIMAL(38,10)', 'DECIMAL(38,10)'],
  ['VARCHAR[]', 'array(VARCHAR)'],
  ['STRUCT(a BIGINT, "b c" DECIMAL(38,2)[])[]', 'array(row("a" BIGINT, "b c" array(DECIMAL(38,2))))'],
])('%s of DuckDB is %s on Trino', (duckdb, trino) => {
  expect(trinoType(duckdb)).toBe(trino);
});
