// Lands files with odd amounts, repeatedly, in a process of its own, because a fault of the engine would end it. Compares every landed value
// with the exact one; prints the number of landings, or the first difference.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openDuckDb } from '../../../jobs/engine/duckdb/duckdb.ts';
import { landedSql } from '../../../jobs/engine/duckdb/landed-sql.ts';
import { openIngest } from '../../../jobs/ingest/land.ts';
import { AMOUNT_TABLES, type AmountTable, amountFile, decimalOf, expected, wholeOf } from './odd-amounts.ts';
import { CONTEXT, csv, SOURCE } from './scratch.ts';

const [dir = '', rowsText = '', turnsText = '', threadsText = ''] = process.argv.slice(2);
const [rows, turns, threads] = [Number(rowsText), Number(turnsText), Number(threadsText)];
const db = await openDuckDb({ file: ':memory:', memoryLimit: '1GB', threads, tempDir: dir });

async function landOnce(one: AmountTable, turn: number, decimals: number): Promise<void> {
  const { table, amounts, id } = one;
  const folder = join(dir, `${table.name}-${turn}-${decimals}`);
  await mkdir(folder, { recursive: true });
  const path = join(folder, 'amounts.csv');
  const file = amountFile(one, rows, decimals);
  await writeFile(path, file.csv);
  const ingest = await openIngest({ dir: folder, db, readBack: 'all' });
  await ingest.land(table, SOURCE, csv(path, { fields: file.fields }), CONTEXT);
  const landed = await db.rows(`select * from (${landedSql(table, ingest.files(table.name))})`);
  const byId = new Map(landed.map((row) => [String(row[id[0]]), row]));
  const fail = (row: number, what: string) => {
    const texts = amounts.map((name) => `${name} "${file.texts[name]?.[row]}"`).join(', ');
    throw new Error(`${table.name}, ${decimals} decimals, row ${row} (${texts}): ${what}`);
  };
  for (let row = 0; row < rows; row++) {
    const values = amounts.map((name) => expected(one, name, file.texts[name]?.[row] ?? '', decimals));
    const got = byId.get(id[1](row));
    if ((got === undefined) !== values.includes('refused'))
      fail(row, got === undefined ? 'refused' : 'landed');
    if (got === undefined) continue;
    for (const [index, name] of amounts.entries()) {
      const value = values[index];
      const text = got[name];
      const exact = typeof text === 'string' ? decimalOf(text) : null;
      if (value === 'refused' || value === undefined) continue;
      if (exact?.digits !== value?.digits || exact?.power !== value?.power)
        fail(row, `${name} landed as ${text}`);
      const tally = got[`${name}_e18`];
      const tallyExpected = value === null ? null : String(wholeOf(value, 18 - decimals));
      if (tally !== undefined && tally !== tallyExpected)
        fail(row, `${name}_e18 landed as ${JSON.stringify(tally)}`);
      const scaled = got[`${name}_scaled`];
      if (scaled !== undefined && scaled !== Number(text)) fail(row, `${name}_scaled landed as ${scaled}`);
    }
  }
}

let landings = 0;
for (let turn = 0; turn < turns; turn++)
  for (const one of AMOUNT_TABLES)
    for (const decimals of [0, 18]) {
      await landOnce(one, turn, decimals);
      landings += 1;
    }
await db.close();
process.stdout.write(`${landings}\n`);
