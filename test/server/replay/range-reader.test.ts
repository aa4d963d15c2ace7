import { closeSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { RangeReader } from '../../../server/replay/range-reader.ts';
import { removeFolder, temporaryFolder } from '../../support/temporary-folder.ts';

const BYTES = Buffer.from(Array.from({ length: 5_000 }, (_, n) => (n * 7) % 251));

let dir: string;
let descriptors: number[];
let reader: RangeReader;
/** Milliseconds that pass from one look at the clock to the next. */
let pace: number;
beforeEach(() => {
  dir = temporaryFolder('ranges');
  descriptors = [BYTES, BYTES.toReversed()].map((bytes, n) => {
    const path = join(dir, `${n}`);
    writeFileSync(path, bytes);
    return openSync(path, 'r');
  });
  let now = 0;
  pace = 0;
  reader = new RangeReader(() => (now += pace));
});
afterEach(() => {
  reader.close();
  for (const descriptor of descriptors) closeSync(descriptor);
  removeFolder(dir);
});

const ranges = fc.array(fc.record({ file: fc.nat(1), position: fc.nat(4_000), length: fc.nat(1_000) }), {
  maxLength: 60,
});

test('ranges of any files follow one another at the end of the buffer', async () => {
  await fc.assert(
    fc.asyncProperty(ranges, fc.nat(9), fc.constantFrom(0, 0.1, 5), async (wanted, start, slow) => {
      pace = slow;
      const files = [BYTES, Buffer.from(BYTES.toReversed())];
      const expected = Buffer.concat(
        wanted.map(
          ({ file, position, length }) => files[file]?.subarray(position, position + length) ?? BYTES,
        ),
      );
      const given = wanted.map(({ file, ...range }) => ({ ...range, descriptor: descriptors[file] ?? -1 }));
      const bytes = await reader.read(given, { size: start + expected.length, start });
      expect(bytes.length).toBe(start + expected.length);
      expect(bytes.subarray(start).equals(expected)).toBe(true);
    }),
    { numRuns: 30 },
  );
});

test.each([0, 5])(
  'a range beyond the end, or of a closed file, fails, and the others do not (pace %i)',
  async (slow) => {
    pace = slow;
    const [descriptor = -1] = descriptors;
    const read = (range: { descriptor: number; position: number; length: number }) =>
      reader.read([range], { size: range.length, start: 0 });
    const results = await Promise.allSettled([
      read({ descriptor, position: 4_990, length: 11 }),
      read({ descriptor: 99_999, position: 0, length: 1 }),
      read({ descriptor, position: 4_990, length: 10 }),
    ]);
    expect(
      results.map((result) => (result.status === 'fulfilled' ? result.value.length : String(result.reason))),
    ).toEqual(['Error: 10 of 11 bytes could be read at 4990.', expect.stringContaining('EBADF'), 10]);
  },
);

test('closing waits for what is being read', async () => {
  pace = 5;
  const [descriptor = -1] = descriptors;
  const reading = reader.read([{ descriptor, position: 0, length: 5_000 }], { size: 5_000, start: 0 });
  reader.close();
  expect((await reading).equals(BYTES)).toBe(true);
});
