import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FieldMapping } from '../../../../jobs/define/source.ts';
import { marketState } from '../../../../jobs/families/lending/raw-state.ts';
import { feedRound } from '../../../../jobs/families/oracles/raw.ts';
import { CONTEXT, csv, landedRows, openScratch, quarantined, type Scratch, SOURCE } from '../scratch.ts';

let scratch: Scratch;
let landings = 0;
beforeAll(async () => {
  scratch = await openScratch();
});
afterAll(() => scratch.close());

const THOUSANDS: FieldMapping = { from: 'supplied', number: 'thousands' };
const EUROPEAN: FieldMapping = { from: 'supplied', number: 'european' };

/** Lands one row for each amount; resolves to what landed and what was refused, by the amount's text. */
async function land(amounts: readonly string[], mapping: FieldMapping) {
  landings += 1;
  const ingest = await scratch.reopen({ dir: `${scratch.dir}-${landings}` });
  const lines = amounts.map((amount, index) => `m${index};${amount}\n`);
  const path = await scratch.file('amounts.csv', `id;supplied\n${lines.join('')}`);
  const fields = {
    chain: { value: 'ethereum' },
    market_id: { from: 'id' },
    observed_at: { value: 1_600_000_000 },
    supplied_usd: mapping,
  };
  const delivery = csv(path, { delimiter: ';', fields });
  await ingest.land(marketState, SOURCE, delivery, CONTEXT);
  const landed = await landedRows({ engine: scratch.engine, ingest }, marketState);
  const refused = await quarantined(ingest);
  return {
    landed: Object.fromEntries(
      landed.map((row) => [amounts[Number(String(row['market_id']).slice(1))], row['supplied_usd']]),
    ),
    refused: Object.fromEntries(refused.map(({ record, reason }) => [amounts[record - 1], reason])),
  };
}

describe('groups of thousands', () => {
  test('are read if they are well formed, with commas or spaces, signs, fractions and exponents', async () => {
    const { landed, refused } = await land(
      ['1,234.5', '1 234.5', '1 234', '12,345,678', '1234.5', '+1,000', '.5', '5.', '1,234.5e3'],
      THOUSANDS,
    );
    expect(refused).toEqual({});
    expect(landed).toEqual({
      '1,234.5': 1234.5,
      '1 234.5': 1234.5,
      '1 234': 1234,
      '12,345,678': 12_345_678,
      '1234.5': 1234.5,
      '+1,000': 1000,
      '.5': 0.5,
      '5.': 5,
      '1,234.5e3': 1_234_500,
    });
  });

  test.each(['1,23', '12,34', '1,2345', ',123', '1,,234', '1,234,5', '1 234,567.8', "1'234"])(
    '%s is refused',
    async (amount) => {
      expect((await land([amount], THOUSANDS)).landed).toEqual({});
    },
  );

  test('decimal commas are refused, and the reason names the notation that reads them', async () => {
    const { landed, refused } = await land(['3.078,50', '2990,00'], THOUSANDS);
    expect(landed).toEqual({});
    const reason =
      'supplied_usd: in another notation: "number": "european" in its mapping reads 1.234,5 and 0,5';
    expect(refused).toEqual({ '3.078,50': reason, '2990,00': reason });
  });
});

describe('decimal commas', () => {
  test('are read, with groups of points or spaces', async () => {
    const { landed, refused } = await land(
      ['3.078,50', '2990,00', '1.234', '1.234.567', '1 234,5', '0,5', ',5', '5,', '+1,5', '1,5e3', '7'],
      EUROPEAN,
    );
    expect(refused).toEqual({});
    expect(landed).toEqual({
      '3.078,50': 3078.5,
      '2990,00': 2990,
      '1.234': 1234,
      '1.234.567': 1_234_567,
      '1 234,5': 1234.5,
      '0,5': 0.5,
      ',5': 0.5,
      '5,': 5,
      '+1,5': 1.5,
      '1,5e3': 1500,
      '7': 7,
    });
  });

  test.each(['1.23', '1.2345', '1,234.5', '12.34,5', '1..234'])('%s is refused', async (amount) => {
    expect((await land([amount], EUROPEAN)).landed).toEqual({});
  });
});

describe('a column with both notations is refused as a whole if one of its values can be read in two ways', () => {
  test.each<[amounts: readonly string[], mapping: FieldMapping, ambiguous: string, advice: string]>([
    [['3.078,50', '3.078'], { from: 'supplied' }, '3.078', '"number": "european"'],
    [['2990,00', '3.078'], { from: 'supplied', number: 'plain' }, '3.078', '"number": "european"'],
    [['0,5', '1,234'], THOUSANDS, '1,234', '"number": "european"'],
    [['1.234.567', '3.078'], THOUSANDS, '3.078', '"number": "european"'],
    [['1,234.50', '3.078'], EUROPEAN, '3.078', '"number": "thousands"'],
    [['0.50', '1,234'], EUROPEAN, '1,234', '"number": "thousands"'],
  ])('%j as %j', async (amounts, mapping, ambiguous, advice) => {
    const landing = land(amounts, mapping);
    await expect(landing).rejects.toThrow(`"${ambiguous}" can be read in two ways`);
    await expect(landing).rejects.toThrow(advice);
  });

  test.each<[amounts: readonly string[], mapping: FieldMapping]>([
    [['1,234.50', '3.078'], { from: 'supplied' }],
    [['1,234.50', '3.078', '1,234'], THOUSANDS],
    [['3.078,50', '0.078', '30.78', '3.0781'], { from: 'supplied' }],
    [['3.078,50', '3.078', '3,078'], EUROPEAN],
  ])('%j as %j is not', async (amounts, mapping) => {
    expect(Object.keys((await land(amounts, mapping)).landed).length).toBeGreaterThan(0);
  });
});

describe('a column of prices that are moved by the decimals of their row', () => {
  async function landPrices(prices: readonly string[]) {
    landings += 1;
    const ingest = await scratch.reopen({ dir: `${scratch.dir}-${landings}` });
    const lines = prices.map((price, index) => `${index + 1};${price};8\n`);
    const path = await scratch.file('prices.csv', `round;price;places\n${lines.join('')}`);
    const fields: { readonly [field: string]: FieldMapping } = {
      chain: { value: 'ethereum' },
      feed_address: { value: '0xa' },
      round_id: { from: 'round' },
      answer: { from: 'price', scale: 'decimals' },
      decimals: { from: 'places' },
      updated_at: { value: 1_600_000_000 },
    };
    await ingest.land(feedRound, SOURCE, csv(path, { delimiter: ';', fields }), CONTEXT);
    const landed = await landedRows({ engine: scratch.engine, ingest }, feedRound);
    return landed.map((row) => row['answer']);
  }

  test('lands those in its notation', async () => {
    expect(await landPrices(['1', '1e0', '0.9998', '0,9998'])).toEqual([
      '100000000',
      '100000000',
      '99980000',
    ]);
  });

  test('is refused as a whole if one of them can be read in two ways', async () => {
    await expect(landPrices(['3.078,50', '3.078'])).rejects.toThrow('"3.078" can be read in two ways');
  });
});
