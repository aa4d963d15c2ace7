import { appendFile, truncate, writeFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { feedRound } from '../../../../jobs/families/oracles/raw.ts';
import { nodeSourceFiles, type SourceFiles } from '../../../../jobs/ingest/read/source-files.ts';
import { landedSql } from '../../../../jobs/engine/duckdb/landed-sql.ts';
import { CONTEXT, csv, landedRows, openScratch, quarantined, type Scratch, SOURCE } from '../scratch.ts';

let scratch: Scratch;
beforeEach(async () => {
  scratch = await openScratch();
});
afterEach(() => scratch.close());

const T = 1_600_000_000;
const HEADER = 'round,answer,at\n';
const row = (round: number) => `${round},${round}0,${T + round}\n`;

/** The real files, but `change` runs each time the file at `path` has been read to its end. */
function changing(path: string, change: (reads: number) => Promise<void>): SourceFiles {
  let reads = 0;
  return {
    stat: (file) => nodeSourceFiles.stat(file),
    async *read(file, bytes) {
      yield* nodeSourceFiles.read(file, bytes);
      if (file === path) await change(++reads);
    },
  };
}

const landWhile = async (
  path: string,
  change: (reads: number) => Promise<void>,
  more: Parameters<typeof csv>[1] = {},
) => {
  scratch = { ...scratch, ingest: await scratch.reopen({ files: changing(path, change) }) };
  return scratch.ingest.land(feedRound, SOURCE, csv(path, more), CONTEXT);
};
const answers = async () => (await landedRows(scratch)).map((landed) => landed['answer']);

test('a CSV file that grows while it is read lands up to its last complete record, and the rest next time', async () => {
  const path = await scratch.file('a.csv', `${HEADER}${row(1)}${row(2)}3,3`);
  const receipt = await landWhile(path, (reads) =>
    reads === 1 ? appendFile(path, `0,${T + 3}\n${row(4)}5,`) : Promise.resolve(),
  );
  expect(receipt).toMatchObject({ rows_in: 4, rows_landed: 4, rows_quarantined: 0 });
  expect(await answers()).toEqual(['10', '20', '30', '40']);
  await scratch.engine.execute(
    `create or replace table obs.feed_round as select *, updated_at as observed_at from (${landedSql(feedRound, scratch.ingest.files('feed_round'))})`,
  );
  await appendFile(path, `50,${T + 5}\n`);
  scratch = { ...scratch, ingest: await scratch.reopen() };
  expect(await scratch.ingest.land(feedRound, SOURCE, csv(path), CONTEXT)).toMatchObject({
    rows_in: 5,
    rows_landed: 1,
    rows_deduplicated: 4,
  });
  expect(await quarantined(scratch.ingest)).toEqual([]);
});

test('a file that never stops growing lands the records it had at first', async () => {
  const path = await scratch.file('a.ndjson', `{"round":1,"answer":10,"at":${T}}\n{"round":2,"ans`);
  expect(await landWhile(path, () => appendFile(path, 'x'), { format: 'ndjson' })).toMatchObject({
    rows_in: 1,
    rows_landed: 1,
  });
});

test.each([
  [
    'a file that is rewritten',
    (path: string) => writeFile(path, `${HEADER}${row(7)}${row(8)}${row(9)}`),
    'rewritten while it is read',
  ],
  ['a file that is truncated', (path: string) => truncate(path, 3), 'rewritten while it is read'],
])('%s is rejected, and nothing of it is kept', async (_, change, words) => {
  const path = await scratch.file('a.csv', `${HEADER}${row(1)}${row(2)}`);
  let turn = 0;
  const again = async () => {
    turn += 1;
    if (turn === 1) await change(path);
    else await writeFile(path, `${HEADER}${row(turn)}${row(turn)}${row(turn)}`);
  };
  await expect(landWhile(path, again)).rejects.toThrow(words);
  expect(scratch.ingest.receipts()).toEqual([]);
});

test('a JSON document or a gzip file that changes is rejected: it cannot be cut at a record', async () => {
  const document = await scratch.file('a.json', `[{"round":1,"answer":10,"at":${T}}]`);
  await expect(
    landWhile(document, () => appendFile(document, ' '), { format: 'json' }),
  ).rejects.toMatchObject({ fault: 'changing_file', file: document });
  const zipped = await scratch.file('a.csv.gz', gzipSync(`${HEADER}${row(1)}`));
  await expect(landWhile(zipped, () => appendFile(zipped, gzipSync(row(2))))).rejects.toMatchObject({
    fault: 'changing_file',
  });
});
