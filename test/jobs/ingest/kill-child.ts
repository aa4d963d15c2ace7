// Lands turn after turn in its own process, and compacts after each fifth, until it is killed. Prints `landed <turn>` after each landing:
// whatever was printed must have landed.
import { openDuckDb } from '../../../jobs/engine/duckdb/duckdb.ts';
import { feedRound } from '../../../jobs/families/oracles/raw.ts';
import { openIngest } from '../../../jobs/ingest/land.ts';
import { turnOf } from './kill-turns.ts';
import { CONTEXT } from './scratch.ts';

const [dir = '', file = '', first = '0'] = process.argv.slice(2);
const engine = await openDuckDb({ file: ':memory:', memoryLimit: '500MB', threads: 1, tempDir: dir });
const ingest = await openIngest({ dir, db: engine });
process.stdout.write('ready\n');
for (let turn = Number(first); ; turn++) {
  await ingest.land(feedRound, ...turnOf(turn, file), CONTEXT);
  process.stdout.write(`landed ${turn}\n`);
  if (turn % 5 === 4) await ingest.compact(feedRound, '2023-11-14');
}
