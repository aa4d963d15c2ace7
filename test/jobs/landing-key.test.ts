import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { LANDING_KEY_BYTES, landingKey } from '../../jobs/landing-key.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'key-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const facts = (fill = 1) => ({
  file: join(dir, 'landing.key'),
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
