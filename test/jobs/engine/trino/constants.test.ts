// Rows as constants in the text of a statement.
import { expect, test } from 'vitest';
import { areWritable, constantsIn, constantsSql } from '../../../../jobs/engine/trino/constants.ts';

test('constants have the types of the table, and lose no digit', () => {
  const columns = [
    { name: 'at', type: 'BIGINT' },
    { name: 'the "text"', type: 'VARCHAR' },
    { name: 'price', type: 'DECIMAL(38,18)' },
    { name: 'ratio', type: 'DOUBLE' },
    { name: 'is_open', type: 'BOOLEAN' },
  ];
  const rows = [
    ['9007199254740993', "it's", '0.000000000000000001', 0.1, true],
    [1, null, null, 'NaN', null],
    [2, '', '-1', '-Infinity', false],
  ];
  expect(constantsSql(columns, rows)).toBe(
    'select cast("at" as BIGINT) as "at", cast("the ""text""" as VARCHAR) as "the ""text""", ' +
      'cast("price" as DECIMAL(38,18)) as "price", cast("ratio" as DOUBLE) as "ratio", ' +
      'cast("is_open" as BOOLEAN) as "is_open" from (values ' +
      "(9007199254740993, 'it''s', '0.000000000000000001', 1e-1, true),\n" +
      "(1, null, null, nan(), null),\n(2, '', '-1', -infinity(), false)) " +
      'as given ("at", "the ""text""", "price", "ratio", "is_open")',
  );
});

test('lists and structs are written with the constants inside them, and their nulls', () => {
  const columns = [
    { name: 'feeds', type: 'STRUCT(a VARCHAR, "b c" DOUBLE, d BIGINT[])[]' },
    { name: 'price', type: 'STRUCT(low DECIMAL(38,18))' },
  ];
  const rows = [
    [[["it's", 0.5, ['1', null]], null, [null, null, []]], ['0.1']],
    [[], null],
  ];
  expect(constantsSql(columns, rows)).toBe(
    'select cast("feeds" as array(row("a" VARCHAR, "b c" DOUBLE, "d" array(BIGINT)))) as "feeds", ' +
      'cast("price" as row("low" DECIMAL(38,18))) as "price" from (values ' +
      "(array[row('it''s', 5e-1, array[1, null]), null, row(null, null, array[])], row('0.1')),\n" +
      '(array[], null)) as given ("feeds", "price")',
  );
  expect(constantsIn(rows)).toBe(16);
});

test('values of other types are not written as constants', () => {
  const of = (type: string) => areWritable([{ name: 'value', type }]);
  for (const type of [
    'VARCHAR',
    'JSON',
    'HUGEINT',
    'DECIMAL(18, 6)',
    'INTEGER',
    'VARCHAR[]',
    'STRUCT(a BIGINT)[]',
  ])
    expect(of(type)).toBe(true);
  for (const type of ['DATE', 'TIMESTAMP', 'DATE[]', 'STRUCT(a BIGINT, b DATE)'])
    expect(of(type)).toBe(false);
});
