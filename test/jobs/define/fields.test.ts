import { expect, test } from 'vitest';
import { choice, digits, fraction, instant, observedAt, usd } from '../../../jobs/define/fields.ts';

test('a field has the type, the limits and the unit of its kind', () => {
  expect(usd('tvl_usd', 'Value locked')).toEqual({
    name: 'tvl_usd',
    type: 'DOUBLE',
    description: 'Value locked, USD',
    min: 0,
    max: 1e15,
  });
});

test('an option takes precedence over the limit of its kind', () => {
  expect(fraction('utilization', 'Borrowed / supplied', { max: 10 })).toMatchObject({ min: 0, max: 10 });
  expect(observedAt('Time at which it held', { min: 0 })).toMatchObject({ required: true, min: 0 });
});

test('a description that names its unit is not given it twice', () => {
  const description = 'Time of the answer, Unix seconds; 0 for a round that was never answered';
  expect(instant('updated_at', description).description).toBe(description);
  expect(instant('seconds_at', 'Time in seconds').description).toBe('Time in seconds, Unix seconds');
});

test('a choice matches its values and nothing else, in lower case', () => {
  expect(choice('kind', ['market', 'vault'], 'Kind', { required: true })).toEqual({
    name: 'kind',
    type: 'VARCHAR',
    description: 'Kind',
    lowercase: true,
    pattern: 'market|vault',
    expected: '`market` or `vault`',
    required: true,
  });
});

test('digits are an exact whole number', () => {
  expect(digits('value_wei', 'Value, wei', 27)).toMatchObject({
    type: 'VARCHAR',
    amount: { digits: 27, decimals: 0 },
  });
});
