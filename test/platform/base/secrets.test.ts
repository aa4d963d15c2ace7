// Secrets in text that others wrote: found however they are written, and nothing else is changed.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { NO_SECRETS, scrubberOf } from '../../../platform/base/secrets.ts';
import { traceOf } from '../../jobs/sources/live/secret-traces.ts';

const html = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
const lowerHex = (text: string) => text.replaceAll(/%[0-9A-F]{2}/g, (one) => one.toLowerCase());
const everyByte = (text: string) =>
  [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
const everyUnit = (text: string) =>
  Array.from(
    { length: text.length },
    (_, at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`,
  ).join('');

const WAYS: { readonly [name: string]: (secret: string) => string } = {
  'as it is': (secret) => secret,
  'in lower case': (secret) => secret.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase()),
  'in a URL': encodeURIComponent,
  'in a URL, lower hex': (secret) => lowerHex(encodeURIComponent(secret)),
  'in a URL, partly': encodeURI,
  'in a URL, twice': (secret) => encodeURIComponent(encodeURIComponent(secret)),
  'as a form': (secret) => new URLSearchParams({ key: secret }).toString(),
  'every byte escaped': everyByte,
  'in JSON': (secret) => JSON.stringify({ key: secret }),
  'in JSON in JSON': (secret) => JSON.stringify(JSON.stringify({ key: secret })),
  'in JSON, every character escaped': everyUnit,
  'in JSON, with \\/': (secret) => JSON.stringify(secret).replaceAll('/', '\\/'),
  'in HTML': html,
  'in HTML, by number': (secret) => [...secret].map((one) => `&#${one.codePointAt(0)};`).join(''),
  'in HTML, by hex number': (secret) =>
    [...secret].map((one) => `&#x${one.codePointAt(0)?.toString(16)};`).join(''),
  'in hex': (secret) => Buffer.from(secret).toString('hex'),
  'in upper hex': (secret) => Buffer.from(secret).toString('hex').toUpperCase(),
  'in base64': (secret) => Buffer.from(secret).toString('base64'),
  'in base64url': (secret) => Buffer.from(secret).toString('base64url'),
  'as a password, by basic authentication': (secret) => Buffer.from(`me:${secret}`).toString('base64'),
  'as a user, by basic authentication': (secret) => Buffer.from(`${secret}:`).toString('base64'),
  'in base64, after one byte': (secret) => Buffer.from(`x${secret}yz`).toString('base64'),
  'in base64, after two bytes': (secret) => Buffer.from(`xx${secret}y`).toString('base64'),
  'in base64 in a URL': (secret) => encodeURIComponent(Buffer.from(`x${secret}`).toString('base64')),
};

const SECRET = fc.oneof(
  fc.stringMatching(/^[A-Za-z0-9_-]{8,64}$/),
  fc.stringMatching(/^[ -~]{8,40}$/),
  fc.stringMatching(/^[A-Za-z0-9+/]{16,40}={0,2}$/),
  fc.string({ unit: 'grapheme', minLength: 8, maxLength: 20 }),
);

test.each(Object.keys(WAYS))('a secret %s is found', (way) => {
  fc.assert(
    fc.property(SECRET, fc.string(), fc.string(), (secret, before, after) => {
      fc.pre(secret.trim() === secret && secret.isWellFormed());
      const given = `${before} ${WAYS[way]?.(secret)} ${after}`;
      const clean = scrubberOf({ KEY: secret }).text(given);
      expect(clean).toContain(`\${${'KEY'}}`);
      if (traceOf(secret, `${before} ${after} \${KEY}`) === null) expect(traceOf(secret, clean)).toBeNull();
    }),
    { numRuns: 150 },
  );
});

test('bytes without a secret stay the same object, whatever they are', () => {
  const scrubber = scrubberOf({ KEY: 'correct-horse-battery' });
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), (given) => {
      const bytes = Buffer.from(given);
      expect(scrubber.bytes(bytes)).toBe(bytes);
    }),
  );
});

test('what surrounds a secret stays as it is, also bytes that are no text', () => {
  const scrubber = scrubberOf({ KEY: 'correct-horse-battery' });
  const [before, after] = [Buffer.from([0xff, 0xfe, 0x00, 0xc3]), Buffer.from('é}')];
  const clean = scrubber.bytes(Buffer.concat([before, Buffer.from('correct-horse-battery'), after]));
  expect(clean).toEqual(Buffer.concat([before, Buffer.from(`\${${'KEY'}}`), after]));
});

test('the password inside a value for basic authentication, and the key inside an address, are secrets too', () => {
  const basic = Buffer.from('bob:hunter2-hunter2').toString('base64');
  const scrubber = scrubberOf({ BASIC: basic, NODE: 'node.example/v3/0123456789abcdef0123' });
  expect(scrubber.text('wrong password hunter2-hunter2')).toBe(`wrong password \${${'BASIC'}}`);
  expect(scrubber.text('project 0123456789abcdef0123 is unknown')).toBe(`project \${${'NODE'}} is unknown`);
});

test('of two secrets, one inside the other, the longer is named', () => {
  const scrubber = scrubberOf({ SHORT: 'abcdefgh', LONG: 'abcdefgh-12345678' });
  expect(scrubber.text('abcdefgh-12345678 abcdefgh')).toBe(`\${${'LONG'}} \${${'SHORT'}}`);
});

test.each([
  ['abc', 'abc ABC', 'abc ABC'],
  ['abcd', 'abcd ABCD YWJjZA==', `\${${'KEY'}} ABCD YWJjZA==`],
  ['abc/efg', 'abc%2Fefg', `\${${'KEY'}}`],
  ['abcdefgh', 'ABCDEFGH YWJjZGVmZ2g=', `\${${'KEY'}} \${${'KEY'}}=`],
])('a value of few characters, %s, is looked for in fewer ways', (secret, text, clean) => {
  expect(scrubberOf({ KEY: secret }).text(text)).toBe(clean);
});

test('without secrets nothing is searched', () => {
  expect(scrubberOf({})).toBe(NO_SECRETS);
  expect(scrubberOf({ KEY: '' })).toBe(NO_SECRETS);
});
