import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { LANDING_KEY_BYTES, landingKey } from '../../../jobs/app/installation-keys.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

let dir: string;
beforeEach(() => {
  dir = temporaryFolder('key');
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const facts = (fill = 1) => ({
  file: join(dir, 'landing.key'),
  fingerprint: join(dir, 'landing', 'key-fingerprint.txt'),
  folders: [join(dir, 'messages')],
  makeKey: () => new Uint8Array(LANDING_KEY_BYTES).fill(fill),
});

test('a key is created on first use, readable only by its owner, and reused afterwards', () => {
  const key = landingKey(facts());
  expect(readFileSync(facts().file, 'utf8')).toBe(`${'01'.repeat(32)}\n`);
  expect(statSync(facts().file).mode & 0o777).toBe(0o600);
  expect(Buffer.from(landingKey(facts(2)))).toEqual(Buffer.from(key));
});

test('an existing key file is used', () => {
  writeFileSync(facts().file, 'AB'.repeat(32));
  expect(Buffer.from(landingKey(facts())).toString('hex')).toBe('ab'.repeat(32));
});

test.each(['', 'secret', 'ab'.repeat(31), `${'ab'.repeat(32)}ff`])(
  'a file that is not a key is rejected (%#)',
  (text) => {
    writeFileSync(facts().file, text);
    expect(() => landingKey(facts())).toThrow(/64 hexadecimal digits/);
  },
);

test('a missing key is not replaced while names hashed with it exist', () => {
  mkdirSync(join(dir, 'messages'));
  expect(() => landingKey(facts())).toThrow(/Put the file back/);
});

describe('while names hashed with the key exist', () => {
  beforeEach(() => {
    landingKey(facts());
    mkdirSync(join(dir, 'messages'));
  });

  test.each([
    ['missing', () => rmSync(facts().file), /Put the file back/],
    ['empty', () => writeFileSync(facts().file, ''), /not a key.*Put the file back/],
    ['truncated', () => writeFileSync(facts().file, '01'.repeat(20)), /not a key.*Put the file back/],
    [
      'a different one',
      () => writeFileSync(facts().file, `${'02'.repeat(32)}\n`),
      /hashed with a different key/,
    ],
    [
      'changed by one bit',
      () => writeFileSync(facts().file, `00${'01'.repeat(31)}\n`),
      /hashed with a different key/,
    ],
  ])('a key that is %s is rejected, and nothing changes', (_how, damage, message) => {
    const fingerprint = readFileSync(facts().fingerprint, 'utf8');
    damage();
    expect(() => landingKey(facts(2))).toThrow(message);
    expect(readFileSync(facts().fingerprint, 'utf8')).toBe(fingerprint);
    writeFileSync(facts().file, `${'01'.repeat(32)}\n`);
    expect(Buffer.from(landingKey(facts())).toString('hex')).toBe('01'.repeat(32));
  });

  test('a fingerprint of another folder is rejected, and a missing fingerprint is recorded', () => {
    writeFileSync(facts().fingerprint, `${'0'.repeat(64)}\n`);
    expect(() => landingKey(facts())).toThrow(/hashed with a different key/);
    rmSync(facts().fingerprint);
    landingKey(facts());
    writeFileSync(facts().file, `${'02'.repeat(32)}\n`);
    expect(() => landingKey(facts())).toThrow(/hashed with a different key/);
  });
});

test('a different key is accepted while there are no names', () => {
  landingKey(facts());
  writeFileSync(facts().file, `${'02'.repeat(32)}\n`);
  expect(Buffer.from(landingKey(facts())).toString('hex')).toBe('02'.repeat(32));
  mkdirSync(join(dir, 'messages'));
  expect(Buffer.from(landingKey(facts())).toString('hex')).toBe('02'.repeat(32));
});
