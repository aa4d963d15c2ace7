// Landing a CSV file: ours with checks, quarantine, receipt and read-back, against dlt into DuckDB, which reads, types and loads the rows.
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { bench as benchLanding } from '../land.ts';
import { installPython } from './python.ts';

const ROWS = Number(process.env['BENCH_ROWS'] ?? 1_000_000);

/** pyarrow reads the file, which is dlt's fastest way. Prints the seconds of the load. */
const LOAD = `
import sys, time, dlt
from pyarrow import csv
started = time.monotonic()
pipeline = dlt.pipeline(pipeline_name="peer", destination=dlt.destinations.duckdb("peer.duckdb"), dataset_name="obs", pipelines_dir="state")
pipeline.run(dlt.resource(csv.open_csv(sys.argv[1]), name="feed_round"), write_disposition="append")
print(time.monotonic() - started)
`;

const WRITE = `
import sys, hashlib
with open(sys.argv[1], "w") as file:
    file.write("chain,feed_address,round_id,answer,updated_at\\n")
    feeds = ["0x" + hashlib.md5(str(i).encode()).hexdigest() + "3e7d1eab" for i in range(40)]
    for i in range(int(sys.argv[2])):
        file.write(f"ethereum,{feeds[i % 40]},{18446744073709551616 + i},{100000000 + i * 7919 % 1000000},{1613585410 + i // 40 * 60}\\n")
`;

/** Rows a second of both; null if the peer is not available. */
export async function compareLanding(explain: (line: string) => void) {
  const python = await installPython(['dlt[duckdb]', 'pyarrow'], explain);
  if (python === null) return null;
  const folder = temporaryFolder('peers-landing');
  const run = (script: string, ...args: readonly string[]) => {
    writeFileSync(join(folder, 'script.py'), script);
    return promisify(execFile)(python.path('python'), ['script.py', ...args], {
      cwd: folder,
      maxBuffer: 1e8,
    });
  };
  await run(WRITE, 'rounds.csv', String(ROWS));
  const { stdout } = await run(LOAD, 'rounds.csv');
  const seconds = Number(stdout.trim().split('\n').at(-1));
  const { figures } = await benchLanding({ rows: ROWS, turns: 3 });
  return {
    versions: python.versions,
    rows: ROWS,
    ours: Number(figures['csv_kept_rows_per_s']),
    peer: ROWS / seconds,
  };
}
