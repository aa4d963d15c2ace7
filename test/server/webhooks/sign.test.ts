import { expect, test } from 'vitest';
import {
  isLegacyShown,
  legacySignatureOf,
  makeSecret,
  type SigningKey,
  signatureHeaders,
  signingKey,
} from '../../../server/webhooks/sign.ts';

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const DAY_MS = 86_400_000;

function headersOf(keys: readonly SigningKey[], isLegacy = false): Record<string, string> {
  const body = Buffer.from('{"test": 2432232314}');
  const list = signatureHeaders(
    { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', body, sentSeconds: 1614265330 },
    keys,
    isLegacy,
  );
  return Object.fromEntries(
    Array.from({ length: list.length / 2 }, (_, pair) => list.slice(pair * 2, pair * 2 + 2)),
  );
}

test('the Standard Webhooks headers match the published example', () => {
  expect(headersOf([signingKey(SECRET)])).toMatchObject({
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  });
});

test('the service’s header signs the time and the body with the whole secret', () => {
  // printf '%s' '1614265330.{"test": 2432232314}' | openssl dgst -sha256 -hmac whsec_…
  const expected = '2e37df5d4a028c51a7f3133d64ae1e300d2c2c900f1b1d49d4369ad2530f8964';
  expect(headersOf([signingKey(SECRET)])['Service-Signature']).toBe(`t=1614265330,v1=${expected}`);
});

test('while two secrets are valid, there is a signature with each, the newer first', () => {
  const [newer, older] = [signingKey(SECRET), signingKey(makeSecret((bytes) => Buffer.alloc(bytes, 7)))];
  const both = headersOf([newer, older]);
  const first = headersOf([newer])['Service-Signature'];
  const second = headersOf([older])['Service-Signature']?.replace('t=1614265330', '');
  expect(both['Service-Signature']).toBe(`${first}${second}`);
  expect(both['webhook-signature']?.split(' ')).toEqual([
    headersOf([newer])['webhook-signature'],
    headersOf([older])['webhook-signature'],
  ]);
});

test('the deprecated header has no timestamp, and ends 60 days after the announcement', () => {
  // printf '%s' '{"test": 2432232314}' | openssl dgst -sha256 -hmac whsec_…
  expect(headersOf([signingKey(SECRET)], true)['X-Service-Signature']).toBe(
    '80ec8a89ce3cd22133a1066caecb4d04fea7467657c8514d717ec42c38a5c94c',
  );
  expect(headersOf([signingKey(SECRET)])).not.toHaveProperty('X-Service-Signature');
  expect(isLegacyShown(legacySignatureOf('1970-01-01'), 60 * DAY_MS - 1)).toBe(true);
  expect(isLegacyShown(legacySignatureOf('1970-01-01'), 60 * DAY_MS)).toBe(false);
  expect(isLegacyShown(legacySignatureOf('never'), 0)).toBe(false);
  expect(isLegacyShown(legacySignatureOf(''), Number.MAX_SAFE_INTEGER)).toBe(true);
  expect(isLegacyShown(legacySignatureOf('2100-01-01'), 0)).toBe(true);
});

test('a secret is the prefix and 32 random bytes in base64', () => {
  const secret = makeSecret((bytes) => Buffer.alloc(bytes, 1));
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(Buffer.from(secret.slice(6), 'base64')).toEqual(Buffer.alloc(32, 1));
});
