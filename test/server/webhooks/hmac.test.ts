import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { HmacKey } from '../../../server/webhooks/sign.ts';

const expected = (key: Uint8Array, prefix: string, body: Uint8Array) =>
  createHmac('sha256', key).update(prefix).update(body).digest('hex');

test('it matches the library, for keys and messages of any length', () => {
  const lengths = fc.oneof(fc.integer({ min: 0, max: 200 }), fc.constantFrom(16_200, 16_384, 40_000));
  fc.assert(
    fc.property(
      fc.uint8Array({ minLength: 0, maxLength: 130 }),
      fc.string({ unit: 'grapheme-ascii', maxLength: 40 }),
      lengths,
      (key, prefix, length) => {
        const body = Buffer.alloc(length, prefix === '' ? 'z' : prefix);
        const made = new HmacKey(key);
        expect(made.digest(prefix, body, 'hex')).toBe(expected(key, prefix, body));
        // A second message with the same key, shorter than the first.
        expect(made.digest('', body.subarray(0, 3), 'hex')).toBe(expected(key, '', body.subarray(0, 3)));
      },
    ),
  );
});

test('it reproduces test case 2 of RFC 4231', () => {
  const digest = new HmacKey(Buffer.from('Jefe')).digest(
    'what do ya want ',
    Buffer.from('for nothing?'),
    'hex',
  );
  expect(digest).toBe('5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843');
});
