import { afterEach, beforeEach, expect, test } from 'vitest';
import type { FieldMapping } from '../../../jobs/define/source.ts';
import { feedRound } from '../../../jobs/families/oracles/raw.ts';
import { COUNTS } from '../../reliability/counts.ts';
import { CONTEXT, csv, landedRows, NOW, openScratch, quarantined, type Scratch, SOURCE } from './scratch.ts';

let scratch: Scratch;
beforeEach(async () => {
  scratch = await openScratch();
});
afterEach(() => scratch.close());

const RECORDS = Math.min(100_000, COUNTS.appends);
const POISON_EVERY = 20;
const T = 1_600_000_000;
const FIELDS = {
  chain: 'chain',
  feed_address: 'address',
  round_id: 'round',
  answer: 'answer',
  decimals: 'decimals',
  updated_at: 'at',
};
const mapping = Object.fromEntries(Object.entries(FIELDS).map(([field, from]) => [field, { from }]));

interface Row {
  readonly [column: string]: string;
}
const good = (at: number): Row => ({
  chain: 'ethereum',
  address: `0x${at % 40}`,
  round: String(at),
  answer: String(at * 7),
  decimals: '8',
  at: String(T + at),
});
const line = (row: Row) => Object.values(row).join(',');
const changed = (change: (row: Row, at: number) => Row) => (at: number) => line(change(good(at), at));

/** Thirty ways in which a record goes wrong. */
const POISONS: readonly ((at: number) => string | Buffer)[] = [
  changed((row) => ({ ...row, chain: '' })),
  changed((row) => ({ ...row, chain: 'x'.repeat(65) })),
  changed((row) => ({ ...row, address: '' })),
  changed((row) => ({ ...row, address: 'y'.repeat(81) })),
  changed((row) => ({ ...row, round: '' })),
  changed((row) => ({ ...row, round: '-1' })),
  changed((row) => ({ ...row, round: '007' })),
  changed((row) => ({ ...row, round: '1.5' })),
  changed((row) => ({ ...row, round: '9'.repeat(39) })),
  changed((row) => ({ ...row, answer: '' })),
  changed((row) => ({ ...row, answer: 'NaN' })),
  changed((row) => ({ ...row, answer: 'Infinity' })),
  changed((row) => ({ ...row, answer: '1e30' })),
  changed((row) => ({ ...row, answer: `1${'0'.repeat(30)}` })),
  changed((row) => ({ ...row, answer: '9'.repeat(79) })),
  changed((row) => ({ ...row, answer: '0x10' })),
  changed((row) => ({ ...row, decimals: '' })),
  changed((row) => ({ ...row, decimals: '39' })),
  changed((row) => ({ ...row, decimals: '-1' })),
  changed((row) => ({ ...row, decimals: 'eight' })),
  changed((row) => ({ ...row, at: '' })),
  changed((row) => ({ ...row, at: '-5' })),
  changed((row) => ({ ...row, at: 'yesterday' })),
  changed((row) => ({ ...row, at: String(NOW + 10) })),
  changed((row) => ({ ...row, at: String(NOW * 1000) })),
  (at) => `${line(good(at))},more`,
  (at) => line(good(at)).replace(/,[^,]*$/, ''),
  (at) => `"${line(good(at))}`.replace(',', '"x,'),
  (at) => Buffer.concat([Buffer.from([0xc3, 0x28]), Buffer.from(line(good(at)))]),
  changed((row, at) => ({ ...row, ...good(at - 1), at: row['at'] ?? '', answer: '1' })),
];

test(`of ${RECORDS} records with 5 % poison of 30 kinds, each is landed, quarantined or deduplicated, and every good one landed`, async () => {
  const parts: Buffer[] = [Buffer.from('chain,address,round,answer,decimals,at\n')];
  const expected: string[] = [];
  let poisoned = 0;
  let repeated = 0;
  for (let index = 1; index <= RECORDS; index++) {
    const poison = index % POISON_EVERY === 0 ? POISONS[poisoned % POISONS.length] : undefined;
    if (poison !== undefined) {
      poisoned += 1;
      parts.push(Buffer.from(poison(index)));
    } else if (index % POISON_EVERY === 13) {
      repeated += 1;
      parts.push(Buffer.from(line(good(index - 1))));
    } else {
      expected.push(String(index * 7));
      parts.push(Buffer.from(line(good(index))));
    }
    parts.push(Buffer.from('\n'));
  }
  const receipt = await scratch.ingest.land(
    feedRound,
    SOURCE,
    csv(await scratch.file('a.csv', Buffer.concat(parts)), { fields: mapping }),
    CONTEXT,
  );
  const landed = (await landedRows(scratch)).map((row) => row['answer']);
  expect(receipt).toMatchObject({
    rows_in: RECORDS,
    rows_landed: expected.length,
    rows_quarantined: poisoned,
    rows_deduplicated: repeated,
    over_limit: true,
  });
  expect(landed.toSorted()).toEqual(expected.toSorted());
  expect(await quarantined(scratch.ingest)).toHaveLength(poisoned);
});

/** More than a small delivery has. */
const LONG_RECORDS = 8_000;

test('a record has the same verdict in a small delivery, which is read for reasons only if one is needed, and in a long one', async () => {
  // The last is bad only next to another record.
  const lines = POISONS.slice(0, -1).map((poison, index) => poison(index));
  const verdicts = async (name: string, records: readonly (string | Buffer)[]) => {
    const ingest = await scratch.reopen({ dir: `${scratch.dir}-${name}` });
    const text = Buffer.concat(
      ['chain,address,round,answer,decimals,at', ...records].flatMap((record) => [
        Buffer.from(record),
        Buffer.from('\n'),
      ]),
    );
    const path = await scratch.file(`${name}.csv`, text);
    const receipt = await ingest.land(feedRound, SOURCE, csv(path, { fields: mapping }), CONTEXT);
    const rows = await quarantined(ingest);
    return { bytes: text.length, landed: receipt.rows_landed, reasons: rows.map(({ reason }) => reason) };
  };
  const goodLines = Array.from({ length: LONG_RECORDS }, (_, index) => line(good(index + 100)));
  const small = await verdicts('small', lines);
  const long = await verdicts('long', [...lines, ...goodLines]);
  expect(small.bytes).toBeLessThan(262_144);
  expect(long.bytes).toBeGreaterThan(262_144);
  expect(small.reasons).toHaveLength(lines.length);
  expect(long.reasons).toEqual(small.reasons);
  expect([small.landed, long.landed]).toEqual([0, LONG_RECORDS]);
  // Each alone, so that nothing but its own condition marks it.
  const alone: string[] = [];
  for (const [index, record] of lines.entries())
    alone.push(...(await verdicts(`alone-${index}`, [record, line(good(99))])).reasons);
  expect(alone).toEqual(small.reasons);
});

test('a number in another form than the usual one has the same value in a small delivery, where few forms are read first', async () => {
  const forms = [
    ['12.0', '12'],
    ['1.5e3', '1500'],
    ['+7', '7'],
    ['0012.50E1', '125'],
  ] as const;
  const records = forms.map(([answer], index) => line({ ...good(index + 1), answer, decimals: '8.0' }));
  const land = async (name: string, fields: { readonly [field: string]: FieldMapping }) => {
    const ingest = await scratch.reopen({ dir: `${scratch.dir}-${name}` });
    const path = await scratch.file(
      `${name}.csv`,
      ['chain,address,round,answer,decimals,at', ...records, ''].join('\n'),
    );
    const receipt = await ingest.land(feedRound, SOURCE, csv(path, { fields }), CONTEXT);
    const rows = await landedRows({ ...scratch, ingest });
    expect(receipt.rows_quarantined).toBe(0);
    return rows.map((row) => [row['answer'], Number(row['decimals'])]).toSorted();
  };
  const expected = forms.map(([, answer]) => [answer, 8]).toSorted();
  expect(await land('column', mapping)).toEqual(expected);
  expect(await land('constant', { ...mapping, decimals: { value: '8.0' } })).toEqual(expected);
  // Only the constant is in another form: no row would be read again for it.
  records.splice(0, records.length, line(good(1)));
  expect(await land('alone', { ...mapping, decimals: { value: '8.0' } })).toEqual([[good(1)['answer'], 8]]);
});
