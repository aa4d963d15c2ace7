// A process that has the warehouse with a term and keeps changing its state until the database refuses; run by hold.slow.test.ts.
import { setTimeout as wait } from 'node:timers/promises';
import { openDatabase } from '../../../../jobs/engine/trino/database.ts';
import { holdWarehouse } from '../../../../jobs/engine/trino/hold.ts';

const [url = '', number = '', kind = ''] = process.argv.slice(2);
const term = { installation: 'one', number: Number(number) };
const database = await openDatabase(url, term);
await holdWarehouse(url, term);
console.log('has it');

for (let index = 0; ; index += 1) {
  const add = `insert into absorbed (model, file) values ('term ${number}', '${index}')`;
  try {
    if (kind === 'statements') await database.query(add);
    else
      await database.transaction(async (transaction) => {
        await transaction.query(add);
        await wait(20);
        await transaction.query(`insert into bound values ('term ${number} ${index}', '')`);
      });
  } catch (error) {
    console.log(`refused: ${String(error)}`);
    if (String(error).includes('is over')) process.exit(3);
  }
  await wait(5);
}
