import { expect, test } from 'vitest';
import { checkedAddress } from '../../../platform/postgres/pg-pool.ts';

test.each([
  'postgres://risk:hunter2@db/risk',
  'postgres://risk@db/risk?password=hunter2',
  'postgres://:hunter2@db/risk',
])('an address with a password is refused, wherever it is, and not repeated: %s', (url) => {
  const refusal = () => checkedAddress(url);
  expect(refusal).toThrow('contains a password. Set PGPASSWORD or PGPASSFILE');
  expect(refusal).not.toThrow('hunter2');
});

test('an address is named without its parameters', () => {
  expect(checkedAddress('postgres://risk@db:5433/risk?sslmode=verify-full')).toBe(
    'postgres://risk@db:5433/risk',
  );
  expect(() => checkedAddress('db/risk')).toThrow('not a URL');
});
