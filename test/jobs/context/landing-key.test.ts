import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { LANDING_KEY_BYTES, landingKey } from '../../../jobs/context/landing-key.ts';
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

test('is made on first use, readable by its owner alone, and is the same from then on', () => {
  const key = landingKey(facts());
  expect(readFileSync(facts().file, 'utf8')).toBe(`${'01'.repeat(32)}\n`);
  expect(statSync(facts().file).mode & 0o777).toBe(0o600);
  expect(Buffer.from(landingKey(facts(2)))).toEqual(Buffer.from(key));
});

test('one that is brought along is taken', () => {
  writeFileSync(facts().file, 'AB'.repeat(32));
  expect(Buffer.from(landingKey(facts())).toString('hex')).toBe('ab'.repeat(32));
});

test.each(['', 'secret', 'ab'.repeat(31), `${'ab'.repeat(32)}ff`])(
  'a file that is no key is refused (%#)',
  (text) => {
    writeFileSync(facts().file, text);
    expect(() => landingKey(facts())).toThrow(/64 hexadecimal digits/);
  },
);

test('one that is gone is not replaced while names hashed with it are there', () => {
  mkdirSync(join(dir, 'messages'));
  expect(() => landingKey(facts())).toThrow(/Put the file back/);
});

describe('while names hashed with it are there', () => {
  beforeEach(() => {
    landingKey(facts());
    mkdirSync(join(dir, 'messages'));
  });

  test.each([
    ['gone', () => rmSync(facts().file), /Put the file back/],
    ['empty', () => writeFileSync(facts().file, ''), /not a key.*Put the file back/],
    ['cut short', () => writeFileSync(facts().file, '01'.repeat(20)), /not a key.*Put the file back/],
    ['another', () => writeFileSync(facts().file, `${'02'.repeat(32)}\n`), /not the key that names/],
    [
      'changed by a bit',
      () => writeFileSync(facts().file, `00${'01'.repeat(31)}\n`),
      /not the key that names/,
    ],
  ])('one that is %s is refused, and nothing is changed', (_how, damage, message) => {
    const fingerprint = readFileSync(facts().fingerprint, 'utf8');
    damage();
    expect(() => landingKey(facts(2))).toThrow(message);
    expect(readFileSync(facts().fingerprint, 'utf8')).toBe(fingerprint);
    writeFileSync(facts().file, `${'01'.repeat(32)}\n`);
    expect(Buffer.from(landingKey(facts())).toString('hex')).toBe('01'.repeat(32));
  });

  test('a fingerprint of another folder is refused, one that is not there yet is recorded', () => {
    writeFileSync(facts().fingerprint, `${'0'.repeat(64)}\n`);
    expect(() => landingKey(facts())).toThrow(/not the key that names/);
    rmSync(facts().fingerprint);
    landingKey(facts());
    writeFileSync(facts().file, `${'02'.repeat(32)}\n`);
    expect(() => landingKey(facts())).toThrow(/not the key that names/);
  });
});

test('another key is taken while no names are there', () => {
  landingKey(facts());
  writeFileSync(facts().file, `${'02'.repeat(32)}\n`);
  expect(Buffer.from(landingKey(facts())).toString('hex')).toBe('02'.repeat(32));
  mkdirSync(join(dir, 'messages'));
  expect(Buffer.from(landingKey(facts())).toString('hex')).toBe('02'.repeat(32));
});
