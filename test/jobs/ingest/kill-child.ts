// Lands one file repeatedly in its own process, with a fresh source id each time, until it is killed. Prints `landed <id>` after each
// landing: whatever was printed must have landed.
import { openDuckDb } from '../../../jobs/engine/duckdb/duckdb.ts';
import { feedRound } from '../../../jobs/families/oracles/raw.ts';
import { openIngest } from '../../../jobs/ingest/land.ts';
import { CONTEXT, csv, SOURCE } from './scratch.ts';

const [dir = '', file = '', first = '0'] = process.argv.slice(2);
const engine = await openDuckDb({ file: ':memory:', memoryLimit: '500MB', threads: 1, tempDir: dir });
const ingest = await openIngest({ dir, db: engine });
process.stdout.write('ready\n');
for (let turn = Number(first); ; turn++) {
  await ingest.land(feedRound, { ...SOURCE, id: `s${turn}` }, csv(file), CONTEXT);
  process.stdout.write(`landed s${turn}\n`);
  if (turn % 5 === 4) await ingest.compact(feedRound, '2023-11-14');
}
