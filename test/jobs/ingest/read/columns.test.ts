import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ColumnsDelivery } from '../../../../jobs/define/source.ts';
import { feedRound } from '../../../../jobs/families/oracles/raw.ts';
import { CONTEXT, landedRows, openScratch, quarantined, type Scratch, SOURCE } from '../scratch.ts';

let scratch: Scratch;
beforeEach(async () => {
  scratch = await openScratch();
});
afterEach(() => scratch.close());

const land = (delivery: ColumnsDelivery) => scratch.ingest.land(feedRound, SOURCE, delivery, CONTEXT);
const T = 1_600_000_000;
const rounds = (more: ColumnsDelivery['columns'] = {}, count = 2): ColumnsDelivery => ({
  kind: 'columns',
  count,
  columns: {
    chain: ['ethereum', 'ethereum'],
    feed_address: ['0xAB', '0xAB'],
    round_id: ['18446744073709551617', '18446744073709551618'],
    answer: ['99997500', '100000000'],
    decimals: Int32Array.of(8, 8),
    updated_at: BigInt64Array.of(BigInt(T), BigInt(T + 1)),
    ...more,
  },
});

test('columns of any numeric type land with the types of the fields', async () => {
  expect(
    await land(rounds({ updated_at: Float64Array.of(T, T + 1), answer: [99997500, 100000000] })),
  ).toMatchObject({ rows_in: 2, rows_landed: 2 });
  expect(await landedRows(scratch)).toMatchObject([
    { feed_address: '0xab', answer: '99997500', price: 0.999975, updated_at: T },
    { answer: '100000000', price: 1, updated_at: T + 1 },
  ]);
});

test('values that rows share are joined, and fields can be computed from columns that do not land', async () => {
  const receipt = await land({
    kind: 'columns',
    count: 4,
    columns: { ordinal: BigInt64Array.of(1n, 2n, 3n, 4n), updated_at: BigInt64Array.of(1n, 2n, 3n, 4n) },
    shared: {
      codes: Int32Array.of(1, 0, 1, 0),
      values: {
        chain: ['ethereum', 'base'],
        feed_address: ['0x0', '0x1'],
        decimals: Int32Array.of(8, 18),
        base_price: Float64Array.of(1.5, 2),
      },
    },
    computed: {
      round_id: 'cast(ordinal as varchar)',
      answer: 'cast(cast(base_price * 100000000 as bigint) as varchar)',
    },
  });
  expect(receipt).toMatchObject({ rows_in: 4, rows_landed: 4 });
  const rows = await landedRows(scratch);
  expect(
    rows.map((row) => [row['chain'], row['feed_address'], row['round_id'], row['answer'], row['decimals']]),
  ).toEqual([
    ['base', '0x1', '1', '200000000', 18],
    ['base', '0x1', '3', '200000000', 18],
    ['ethereum', '0x0', '2', '150000000', 8],
    ['ethereum', '0x0', '4', '150000000', 8],
  ]);
});

test('NaN, infinities and mixed types are bad rows, not errors', async () => {
  const receipt = await land(rounds({ updated_at: Float64Array.of(Number.NaN, T), answer: [1, 'x'] }));
  expect(receipt).toMatchObject({
    rows_landed: 0,
    reasons: { 'updated_at: not a time': 1, 'answer: not a number': 1 },
  });
  const [first] = await quarantined(scratch.ingest);
  expect(JSON.parse(first?.raw ?? '{}')).toEqual({
    chain: 'ethereum',
    feed_address: '0xAB',
    round_id: '18446744073709551617',
    answer: '1',
    decimals: '8',
    updated_at: 'NaN',
  });
});

test('the same columns again change nothing; one more value makes another batch', async () => {
  await land(rounds());
  expect(await land(rounds())).toMatchObject({ repeated: true, rows_landed: 0, rows_deduplicated: 2 });
  expect(await land(rounds({ updated_at: BigInt64Array.of(BigInt(T), BigInt(T + 2)) }))).not.toHaveProperty(
    'repeated',
  );
});

test('a delivery without rows is a batch without rows', async () => {
  expect(await land({ kind: 'columns', count: 0, columns: {} })).toMatchObject({ rows_in: 0, file: null });
});

test('an inconsistent delivery is rejected, and the field named', async () => {
  await expect(land(rounds({}, 3))).rejects.toThrow(
    'field feed_round.chain: it has 2 values, the delivery has 3 rows',
  );
  const { columns } = rounds();
  const { answer: _, ...rest } = columns;
  await expect(land({ kind: 'columns', count: 2, columns: rest })).rejects.toThrow(
    'field feed_round.answer: a required field is not delivered',
  );
  const uneven = { codes: Int32Array.of(0), values: { decimals: [8] } };
  await expect(land({ ...rounds(), shared: uneven })).rejects.toThrow('there are 1 codes for 2 rows');
});
