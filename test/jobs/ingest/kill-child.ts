// Lands one file again and again in a process of its own, under a fresh source id each time, until it is killed. Says `landed <id>` on its
// output after each landing: what was said must be there whatever happens next.
import { openDuckDb } from '../../../jobs/engine/duckdb/duckdb.ts';
import { feedRound } from '../../../jobs/oracles/raw.ts';
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
