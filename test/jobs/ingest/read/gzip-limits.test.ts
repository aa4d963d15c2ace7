import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { feedRound } from '../../../../jobs/families/oracles/raw.ts';
import { withinLimits } from '../../../../jobs/ingest/read/read-file.ts';
import { CONTEXT, csv, openScratch, roundsCsv, type Scratch, SOURCE } from '../scratch.ts';

const MIB = 1 << 20;
let scratch: Scratch;
beforeEach(async () => {
  scratch = await openScratch();
});
afterEach(() => scratch.close());

const land = async (text: string | Buffer, limits: { maxBytes: number; maxRatio: number }) => {
  const ingest = await scratch.reopen({ gzipLimits: limits });
  const path = await scratch.file('a.csv.gz', gzipSync(text));
  return ingest.land(feedRound, SOURCE, csv(path), CONTEXT);
};

test('a file that unpacks to far more than its size is rejected, and nothing of it is kept', async () => {
  const bomb = Buffer.alloc(70 * MIB, '0');
  await expect(land(bomb, { maxBytes: 1024 * MIB, maxRatio: 200 })).rejects.toThrow(
    /unpacks to more than 200 times its \d+ bytes.*GZIP_MAX_RATIO/,
  );
  await expect(land(bomb, { maxBytes: 65 * MIB, maxRatio: 1032 })).rejects.toThrow(
    /unpacks to more than 65 MiB.*GZIP_MAX_MB/,
  );
  expect((await scratch.reopen()).receipts()).toEqual([]);
  expect(await readdir(join(scratch.dir, 'landing/.tmp'))).toEqual([]);
});

test('a small file may have any compression ratio', async () => {
  const rounds = Array.from({ length: 5_000 }, (_, index) => [index, 7, 1_600_000_000] as const);
  expect(await land(roundsCsv(rounds), { maxBytes: MIB, maxRatio: 1 })).toMatchObject({ rows_landed: 5_000 });
});

async function* chunks(...sizes: readonly number[]) {
  for (const size of sizes) yield Buffer.alloc(size);
}

const passes = async (
  sizes: readonly number[],
  packed: number,
  limits: { maxBytes: number; maxRatio: number },
) => {
  let bytes = 0;
  for await (const chunk of withinLimits(chunks(...sizes), { file: 'a', bytes: packed }, limits))
    bytes += chunk.length;
  return bytes;
};

test.each([
  ['as much as allowed', [MIB, MIB], { maxBytes: 2 * MIB, maxRatio: 1 }, true],
  ['a byte more', [MIB, MIB, 1], { maxBytes: 2 * MIB, maxRatio: 1 }, false],
  ['as dense as allowed', [80 * MIB], { maxBytes: 99 * MIB, maxRatio: 80 }, true],
  ['a byte denser', [80 * MIB, 1], { maxBytes: 99 * MIB, maxRatio: 80 }, false],
])('%s', async (_what, sizes, limits, isFine) => {
  const outcome = await passes(sizes, MIB, limits).then(
    () => true,
    () => false,
  );
  expect(outcome).toBe(isFine);
});
