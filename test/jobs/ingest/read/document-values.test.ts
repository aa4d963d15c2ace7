import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { FieldMapping, FileDelivery } from '../../../../jobs/define/source.ts';
import { feedRound } from '../../../../jobs/families/oracles/raw.ts';
import { CONTEXT, landedRows, openScratch, type Scratch, SOURCE } from '../scratch.ts';

let scratch: Scratch;
beforeEach(async () => {
  scratch = await openScratch({});
});
afterEach(() => scratch.close());

const ROWS = [
  { round: '1', answer: '10' },
  { round: '2', answer: '20' },
];

async function land(
  document: unknown,
  updated_at: FieldMapping,
  { name = 'rounds.json', pack = (text: string): string | Buffer => text } = {},
) {
  const path = await scratch.file(
    name,
    pack(typeof document === 'string' ? document : JSON.stringify(document)),
  );
  const delivery: FileDelivery = {
    kind: 'file',
    path,
    format: 'json',
    records: 'rounds',
    fields: {
      chain: { value: 'ethereum' },
      feed_address: { value: '0xfeed' },
      round_id: { from: 'round' },
      answer: { from: 'answer' },
      decimals: { document: 'meta.decimals' },
      updated_at,
    },
  };
  return scratch.ingest.land(feedRound, SOURCE, delivery, CONTEXT);
}

const AT: FieldMapping = { document: 'meta.at', time: 'iso8601' };
const meta = { at: '2020-09-13T12:26:40Z', decimals: 8 };
const landed = async () =>
  (await landedRows(scratch, feedRound))
    .map(({ round_id, updated_at, decimals }) => `${round_id} ${updated_at} ${decimals}`)
    .toSorted();

test('values of the document reach all of its rows, wherever they are in the document', async () => {
  expect(await land({ meta, rounds: ROWS }, AT)).toMatchObject({ rows_in: 2, rows_landed: 2 });
  expect(await landed()).toEqual(['1 1600000000 8', '2 1600000000 8']);
  const later = { rounds: [{ round: '3', answer: '30' }], meta: { at: 1_600_000_060, decimals: '8' } };
  expect(await land(later, { document: 'meta.at', time: 'unix_s' }, { name: 'later.json' })).toMatchObject({
    rows_landed: 1,
  });
  expect(await landed()).toContain('3 1600000060 8');
});

test('a gzipped document can be read, and the same one again changes nothing', async () => {
  const packed = { name: 'rounds.json.gz', pack: (text: string) => gzipSync(text) };
  expect(await land({ meta, rounds: ROWS }, AT, packed)).toMatchObject({ rows_landed: 2 });
  expect(await land({ meta, rounds: ROWS }, AT, packed)).toMatchObject({ rows_landed: 0, repeated: true });
});

test('the same rows with another time are another document', async () => {
  await land({ meta, rounds: ROWS }, AT);
  const moved = { meta: { ...meta, at: '2020-09-13T12:26:41Z' }, rounds: ROWS };
  const receipt = await land(moved, AT, { name: 'moved.json' });
  expect(receipt.repeated).toBeUndefined();
  expect(receipt.rows_in).toBe(2);
});

test.each([
  ['is missing', { meta: { decimals: 8 }, rounds: ROWS }, AT, 'has no value at "meta.at"'],
  ['is null', { meta: { ...meta, at: null }, rounds: ROWS }, AT, 'has no value at "meta.at"'],
  ['is an object', { meta: { ...meta, at: {} }, rounds: ROWS }, AT, 'has no value at "meta.at"'],
  ['is not a time', { meta: { ...meta, at: 'noon' }, rounds: ROWS }, AT, '"noon" is refused'],
  ['is in invalid JSON', '{"meta": {"at": 1', AT, 'not JSON'],
])('a document whose value %s is rejected, and nothing of it lands', async (_, document, mapping, words) => {
  await expect(land(document, mapping)).rejects.toThrow(words);
  expect(await landedRows(scratch, feedRound)).toEqual([]);
});
