import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { governanceElectorate } from '../../../../jobs/families/governance/raw.ts';
import { type ReadBack, readBack } from '../../../../jobs/ingest/write/read-back.ts';
import { feedRound } from '../../../../jobs/families/oracles/raw.ts';
import { domains } from '../../../../jobs/registry.ts';
import { CONTEXT, csv, openScratch, roundsCsv, type Scratch, SOURCE } from '../scratch.ts';

let scratch: Scratch;
beforeAll(async () => {
  scratch = await openScratch();
});
afterAll(() => scratch.close());

/** Writes the rows of a query as a landed file and reads it back. */
async function check(rows: string, extent: ReadBack = 'all'): Promise<void> {
  const path = join(scratch.dir, 'written.parquet');
  await scratch.engine.execute(`copy (${rows}) to '${path}' (format parquet)`);
  const [counted] = await scratch.engine.rows(`select count(*) as n from (${rows})`);
  await readBack(scratch.engine, governanceElectorate, { path, rows: Number(counted?.['n']) }, extent);
}

/** Electorates with exact supplies; `change` replaces columns. */
const electorates = (change: Readonly<Record<string, string>> = {}, rows = 10): string => {
  const columns: Record<string, string> = {
    protocol: `'p'`,
    observed_at: '1600000000 + i',
    possible_voters: 'cast(7 as bigint)',
    supply: `cast(i as varchar) || '.5'`,
    decimals: 'cast(0 as bigint)',
    supply_e18: `ltrim(cast(i as varchar) || '5' || repeat('0', 17), '0')`,
    source_id: `'s'`,
    fetched_at: '1600000000',
    ...change,
  };
  const list = Object.entries(columns).map(([name, sql]) => `${sql} as "${name}"`);
  return `select ${list.join(', ')} from range(${rows}) t(i)`;
};

/** The value of a column in row 4 (counted from 1), the others as they are. */
const only = (wrong: string, right: string) => `case when i = 3 then ${wrong} else ${right} end`;

test('a file that was written as it was checked passes', async () => {
  await expect(check(electorates())).resolves.toBeUndefined();
});

describe('a row that differs is named', () => {
  const supply = `cast(i as varchar) || '.5'`;
  const exact = `ltrim(cast(i as varchar) || '5' || repeat('0', 17), '0')`;
  test.each([
    [
      'a digit of a computed field',
      { supply_e18: only(`'4500000000000000000'`, exact) },
      'supply_e18: not what',
    ],
    ['a computed field that is gone', { supply_e18: only('null', exact) }, 'supply_e18: not what'],
    [
      'memory in place of digits',
      { supply: only(`'3' || chr(20) || chr(0)`, supply), supply_e18: only('null', exact) },
      'supply: not a number',
    ],
    [
      'a control character in a name',
      { protocol: only(`'p' || chr(0)`, `'p'`) },
      'protocol: must be at most 64',
    ],
    ['a required field that is gone', { protocol: only('null', `'p'`) }, 'protocol: missing'],
    ['a value past its limit', { decimals: only('99', '0') }, 'decimals: more than 18'],
  ])('%s', async (_, change, fault) => {
    const reading = check(electorates(change));
    await expect(reading).rejects.toThrow('the first is row 4');
    await expect(reading).rejects.toThrow(fault);
    await expect(reading).rejects.toMatchObject({ fault: 'damaged_landing' });
  });
});

test('a large file is sampled evenly, unless all of it is wanted', async () => {
  const many = (wrong: string) =>
    electorates({ protocol: `case when i % 3000 = ${wrong} then null else 'p' end` }, 60_000);
  await expect(check(many('1'), 'sample')).resolves.toBeUndefined();
  await expect(check(many('1'), 'all')).rejects.toThrow('20 of the rows');
  await expect(check(many('0'), 'sample')).rejects.toThrow('the first is row 1');
});

test('what a landing writes is read back with the rules of its table', async () => {
  const path = await scratch.file('rounds.csv', roundsCsv([[1, 10, 1_600_000_000]]));
  // The price of this table is not what its other fields give on the second look.
  const fields = feedRound.fields.map((field) =>
    field.name === 'price' ? { ...field, computed: 'random()', max: 1 } : field,
  );
  const landing = scratch.ingest.land({ ...feedRound, fields }, SOURCE, csv(path), CONTEXT);
  await expect(landing).rejects.toThrow('price: not what the other fields give');
  expect(scratch.ingest.receipts()).toEqual([]);
});

test('every raw table can be read back', async () => {
  for (const table of domains.flatMap(({ raw }) => raw)) {
    const columns = table.fields.map(({ name, type }) => `cast(null as ${type}) as "${name}"`);
    const path = join(scratch.dir, 'none.parquet');
    await scratch.engine.execute(`copy (select ${columns.join(', ')} limit 0) to '${path}' (format parquet)`);
    await expect(
      readBack(scratch.engine, table, { path, rows: 0 }, 'all'),
      table.name,
    ).resolves.toBeUndefined();
  }
});
