import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { instant } from '../../../../jobs/define/fields.ts';
import { defineRawTable } from '../../../../jobs/define/raw-table.ts';
import type { FieldMapping } from '../../../../jobs/define/source.ts';
import type { Json } from '../../../../platform/base/json.ts';
import { CONTEXT, csv, landedRows, NOW, openScratch, quarantined, type Scratch, SOURCE } from '../scratch.ts';

const thing = defineRawTable({
  name: 'thing',
  description: 'A row with a field of every type',
  fields: [
    {
      name: 'id',
      type: 'VARCHAR',
      required: true,
      pattern: '[a-z]{1,8}',
      expected: 'one to eight letters, for example `eth`',
      description: 'Id',
    },
    { name: 'tag', type: 'VARCHAR', lowercase: true, maxLength: 5, description: 'Tag' },
    { name: 'amount', type: 'VARCHAR', description: 'Exact amount' },
    { name: 'count', type: 'BIGINT', min: 1, max: 10, description: 'Count' },
    { name: 'rate', type: 'DOUBLE', min: -1e20, max: 1e20, description: 'Rate' },
    { name: 'is_live', type: 'BOOLEAN', description: 'Live' },
    { name: 'half', type: 'DOUBLE', computed: 'cast(count as double) / 2', description: 'Half the count' },
    { name: 'at', type: 'BIGINT', required: true, min: 0, description: 'When' },
  ],
  subject: ['id'],
  maxAgeSeconds: null,
  completeness: [{ by: 'nothing', because: 'it is made up' }],
  key: ['id', 'at'],
  content: ['count'],
  time: 'at',
  observations: { model: 'obs.thing', time: 'at' },
});

let scratch: Scratch;
let batches = 0;
beforeAll(async () => {
  scratch = await openScratch();
});
afterAll(() => scratch.close());

/** Lands one NDJSON record in its own landing; returns its row, or the reason if it is bad. */
async function landOne(
  record: { readonly [key: string]: unknown } | string,
  fields: { readonly [field: string]: FieldMapping } = {},
): Promise<{ readonly [column: string]: Json } | string> {
  batches += 1;
  const ingest = await scratch.reopen({ dir: `${scratch.dir}-${batches}` });
  const names = thing.fields.filter((field) => field.computed === undefined).map(({ name }) => name);
  const mapping = { ...Object.fromEntries(names.map((name) => [name, { from: name }])), ...fields };
  const text =
    typeof record === 'string' ? record : JSON.stringify({ id: 'a', at: 1_600_000_000, ...record });
  const path = await scratch.file('one.ndjson', `${text}\n`);
  await ingest.land(thing, SOURCE, csv(path, { format: 'ndjson', fields: mapping }), CONTEXT);
  const [row] = await landedRows({ engine: scratch.engine, ingest }, thing);
  return row ?? (await quarantined(ingest))[0]?.reason ?? 'vanished';
}

describe('a value is read', () => {
  const cases: [what: string, field: string, given: unknown, mapping: FieldMapping, expected: Json][] = [
    [
      'an integer of thirty digits keeps them',
      'amount',
      undefined,
      { from: 'big' },
      '123456789012345678901234567890',
    ],
    [
      'a fraction of many digits keeps them',
      'amount',
      undefined,
      { from: 'fine' },
      '0.12345678901234567890123',
    ],
    ['a fraction keeps a last nought', 'amount', undefined, { from: 'docs.fine' }, '1234567890123456.50'],
    ['spaces around it are dropped', 'tag', '  ab ', {}, 'ab'],
    ['lower case where the field asks', 'tag', 'ABC', {}, 'abc'],
    ['an empty text is nothing', 'tag', ' ', {}, null],
    ['JSON null is nothing', 'count', null, {}, null],
    ['the first that is not empty', 'tag', '', { from: ['tag', 'id'] }, 'a'],
    ['a constant', 'count', 5, { value: 7 }, 7],
    ['a replaced value', 'tag', 'Crypto', { from: 'tag', replace: { Crypto: 'coin' } }, 'coin'],
    ['a value replaced by nothing', 'count', 'n/a', { from: 'count', replace: { 'n/a': null } }, null],
    ['nothing replaced by a value', 'count', '', { from: 'count', replace: { '': 3 } }, 3],
    ['a whole number with a decimal point', 'count', '4.0', {}, 4],
    ['thousands', 'rate', '1,234.5', { from: 'rate', number: 'thousands' }, 1234.5],
    ['an exponent', 'rate', '1.5e18', { from: 'rate', number: 'scientific' }, 1.5e18],
    [
      'an exponent as exact digits',
      'amount',
      '1.5e18',
      { from: 'amount', number: 'scientific' },
      '1500000000000000000',
    ],
    ['a scale without rounding errors', 'rate', 0.07, { from: 'rate', scale: 100 }, 7],
    ['a scale below one', 'rate', 7, { from: 'rate', scale: 0.01 }, 0.07],
    ['a scale that is no power of ten', 'rate', 0.1, { from: 'rate', scale: 3 }, 0.3],
    ['a scaled amount as exact digits', 'amount', '1.0001', { from: 'amount', scale: 1e8 }, '100010000'],
    ['a scaled count', 'count', '0.05', { from: 'count', scale: 100 }, 5],
    ['a very small number', 'rate', 1e-7, { from: 'rate', scale: 100 }, 1e-5],
    ['a truth', 'is_live', true, {}, true],
    ['seconds', 'at', 1_600_000_000, { from: 'at', time: 'unix_s' }, 1_600_000_000],
    ['milliseconds', 'at', 1_600_000_000_999, { from: 'at', time: 'unix_ms' }, 1_600_000_000],
    ['an ISO instant in UTC', 'at', '2020-09-13T12:26:40Z', { from: 'at', time: 'iso8601' }, 1_600_000_000],
    [
      'an ISO instant with an offset',
      'at',
      '2020-09-13T14:26:40.5+02:00',
      { from: 'at', time: 'iso8601' },
      1_600_000_000,
    ],
    [
      'an instant without a zone, as UTC',
      'at',
      '2020-09-13 12:26:40',
      { from: 'at', time: 'iso8601' },
      1_600_000_000,
    ],
    ['a date', 'at', '2020-09-13', { from: 'at', time: 'iso8601' }, 1_599_955_200],
    [
      'a time in a pattern',
      'at',
      '13/09/2020 12:26:40',
      { from: 'at', time: '%d/%m/%Y %H:%M:%S' },
      1_600_000_000,
    ],
    [
      'a time in a pattern with an offset',
      'at',
      '13/09/2020 14:26:40 +0200',
      { from: 'at', time: '%d/%m/%Y %H:%M:%S %z' },
      1_600_000_000,
    ],
    ['a dotted path', 'tag', undefined, { from: 'docs.list.1' }, 'two'],
  ];
  test.each(cases)('%s', async (_, field, given, mapping, expected) => {
    const more = `"big":123456789012345678901234567890,"fine":0.12345678901234567890123,"docs":{"fine":1234567890123456.50,"list":["one","two"]}`;
    const own = given === undefined ? '' : `,"${field}":${JSON.stringify(given)}`;
    const at = field === 'at' ? '' : ',"at":1600000000';
    const full = 'from' in mapping || 'value' in mapping ? mapping : { from: field, ...mapping };
    expect(await landOne(`{"id":"a",${more}${at}${own}}`, { [field]: full })).toMatchObject({
      [field]: expected,
    });
  });

  test('a computed field is derived from other fields, and null when they are', async () => {
    expect(await landOne({ count: 3 })).toMatchObject({ half: 1.5 });
    expect(await landOne({})).toMatchObject({ half: null });
  });
});

describe('a bad row has a reason', () => {
  const cases: [reason: string, record: { readonly [key: string]: unknown }][] = [
    ['id: missing', { id: null }],
    ['id: missing', { id: '  ' }],
    ['id: must be one to eight letters, for example `eth`', { id: 'A1' }],
    ['id: must be one to eight letters, for example `eth`', { id: 'abcdefghi' }],
    ['tag: longer than 5 characters', { tag: 'abcdef' }],
    ['tag: contains a line break or a tab', { tag: 'a\nb' }],
    ['tag: contains a line break or a tab', { tag: 'a\tb' }],
    ['tag: contains a control character', { tag: 'a\u0000b' }],
    ['amount: contains a control character', { amount: 'a\u0007b' }],
    ['amount: contains a control character', { amount: 'a\u007fb' }],
    ['count: not an integer', { count: 'three' }],
    ['count: not an integer', { count: '1.5' }],
    ['count: not an integer', { count: '1.00000000000000000000000001' }],
    ['count: not an integer', { count: '15e-1' }],
    ['count: not an integer', { count: '0x10' }],
    ['count: not an integer', { count: '1_000' }],
    ['count: not an integer', { count: '０' }],
    ['count: not an integer', { count: '٣' }],
    ['count: not an integer', { count: '.' }],
    ['count: not an integer', { count: 'e5' }],
    ['count: not an integer', { count: '1e1000' }],
    ['count: more than 10', { count: '1e3' }],
    ['count: more than 10', { count: '9223372036854775807' }],
    ['count: does not fit into 64 bits', { count: '9223372036854775808' }],
    ['count: does not fit into 64 bits', { count: '1e19' }],
    ['count: does not fit into 64 bits', { count: '99999999999999999999' }],
    ['count: less than 1', { count: 0 }],
    ['count: more than 10', { count: 11 }],
    ['rate: in another notation: "number": "european" in its mapping reads 1.234,5 and 0,5', { rate: '1,5' }],
    [
      'rate: in another notation: "number": "thousands" in its mapping reads 1,234.5 and 0.5',
      { rate: '1,234.5' },
    ],
    [
      'rate: can be read in two ways: give "number": "thousands" if 1,234 means 1234, "european" if it means 1.234',
      { rate: '1,234' },
    ],
    ['rate: not a number', { rate: '1,23,4' }],
    ['rate: not a number', { rate: '１' }],
    ['rate: not a number', { rate: '1_000' }],
    ['rate: NaN', { rate: 'NaN' }],
    ['rate: infinite', { rate: '-Infinity' }],
    ['rate: infinite', { rate: '1e400' }],
    ['rate: infinite', { rate: '1e999' }],
    ['rate: more than 100000000000000000000', { rate: 1e30 }],
    ['is_live: not true or false', { is_live: 'maybe' }],
    ['at: missing', { at: null }],
    ['at: not a time', { at: 'yesterday' }],
    ['at: negative', { at: -1 }],
    ['at: later than the fetch by up to an hour', { at: NOW + 1 }],
    ['at: later than the fetch by up to an hour', { at: NOW + 3_600 }],
    ['at: later than the fetch by up to a day', { at: NOW + 3_601 }],
    ['at: later than the fetch by more than a day', { at: NOW * 1000 }],
  ];
  test.each(cases)('%s: %j', async (reason, record) => {
    expect(await landOne(record)).toBe(reason);
  });

  test.each([['{bad'], ['{"id":"a"'], ['nonsense'], ['{"id":"a","at":1600000000} and more']])(
    'record: not JSON: %s',
    async (line) => {
      expect(await landOne(line)).toBe('record: not JSON');
    },
  );

  test('other text than ids may have several lines', async () => {
    const amount = 'one\r\n\ttwo\u0085 é 𝄞';
    expect(await landOne({ amount })).toMatchObject({ amount });
  });

  test('a row at every limit is good', async () => {
    expect(await landOne({ id: 'abcdefgh', tag: 'abcde', count: 1, rate: 1e20, at: NOW })).toMatchObject({
      count: 1,
    });
    expect(await landOne({ count: 10, rate: -1e20, at: 0 })).toMatchObject({ at: 0 });
  });
});

describe('a time in another unit', () => {
  const S = 1_600_000_000;
  const read = (from: string, date: string, other: string, form: string) =>
    `at: read as ${from} it is ${date}; if these are ${other}, give "time": "${form}" in its mapping`;
  const beyond = 'beyond the year 9999';
  const cases: [form: string, given: string, reason: string][] = [
    ['unix_ms', '1600000000', read('milliseconds', '1970-01-19', 'seconds', 'unix_s')],
    ['unix_ms', '1', read('milliseconds', '1970-01-01', 'seconds', 'unix_s')],
    ['unix_ms', '99999999999', read('milliseconds', '1973-03-03', 'seconds', 'unix_s')],
    ['unix_ms', '1600000000000000', read('milliseconds', beyond, 'microseconds', 'unix_us')],
    ['unix_ms', '1600000000000000000', read('milliseconds', beyond, 'nanoseconds', 'unix_ns')],
    ['unix_s', '1600000000000', read('seconds', beyond, 'milliseconds', 'unix_ms')],
    ['unix_s', '1600000000000000', read('seconds', beyond, 'microseconds', 'unix_us')],
    ['unix_s', '1.6e18', read('seconds', beyond, 'nanoseconds', 'unix_ns')],
    ['unix_us', '1600000000', read('microseconds', '1970-01-01', 'seconds', 'unix_s')],
    ['unix_us', '1600000000000', read('microseconds', '1970-01-19', 'milliseconds', 'unix_ms')],
    ['unix_us', '1600000000000000000', read('microseconds', beyond, 'nanoseconds', 'unix_ns')],
    ['unix_ns', '1600000000000000', read('nanoseconds', '1970-01-19', 'microseconds', 'unix_us')],
    ['unix_s', '1e300', 'at: not a time of the form unix_s'],
    ['unix_ms', 'yesterday', 'at: not a time of the form unix_ms'],
    ['unix_ms', '-5', 'at: not a time of the form unix_ms'],
  ];
  test.each(cases)('%s of %s is refused', async (time, at, reason) => {
    expect(await landOne({ at }, { at: { from: 'at', time } })).toBe(reason);
  });

  const good: [form: FieldMapping['time'], given: string, at: number][] = [
    ['unix_s', '0', 0],
    ['unix_ms', '0', 0],
    ['unix_ns', '0', 0],
    ['unix_s', '1', 1],
    ['unix_s', '100000000', 100_000_000],
    ['unix_ms', '100000000000', 100_000_000],
    ['unix_ms', '1600000000999.9', S],
    ['unix_us', '1600000000999999', S],
    ['unix_ns', '1600000000999999999', S],
    ['unix_ns', '1600000001000000000', S + 1],
    [['unix_s', 'unix_ms'], '1600000000999', S],
    [['unix_ms', 'unix_s'], '1600000000', S],
  ];
  test.each(good)('%s of %s is read', async (time, at, expected) => {
    expect(await landOne({ at }, time === undefined ? {} : { at: { from: 'at', time } })).toMatchObject({
      at: expected,
    });
  });

  test('a count of milliseconds without a form names the forms', () => {
    const { max, hint } = instant('at', 'When');
    expect(max).toBe(253_402_300_799);
    expect(hint).toContain('"unix_ms"');
  });
});
