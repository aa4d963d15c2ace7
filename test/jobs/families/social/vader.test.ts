import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CRYPTO_PHRASES, CRYPTO_WORDS } from '../../../../jobs/families/social/crypto-words.ts';
import { compound } from '../../../../jobs/families/social/vader.ts';
import { CRYPTO_LIST, PLAIN_LIST } from '../../../../jobs/families/social/word-list.ts';

const plain = (text: string) => compound(text, PLAIN_LIST);
const ours = (text: string) => compound(text, CRYPTO_LIST);

type Scored = readonly (readonly [text: string, compound: number])[];
const reference: {
  readonly published: { readonly [source: string]: Scored };
  readonly own: Scored;
  readonly random: Scored;
} = JSON.parse(readFileSync(new URL('reference-scores.json', import.meta.url), 'utf8'));
const wrongOnes = (scored: Scored) =>
  scored
    .map(([text, score]) => ({ text, score, ours: plain(text) }))
    .filter(({ score, ours: found }) => found !== score);

describe('with VADER’s own list', () => {
  test('the list is that of vaderSentiment 3.3.2', () => {
    expect(PLAIN_LIST.valences.size).toBe(7506);
    const lines = [...PLAIN_LIST.valences].map(([word, valence]) => `${word}\t${valence}\n`).sort();
    expect(createHash('sha256').update(lines.join('')).digest('hex')).toBe(
      '544afc783627d298471bc0993ec43b99fc03f664c66466e74465439f1f36a81b',
    );
  });

  test.each(Object.entries(reference.published))(
    'sentences score as they were published: %s',
    (_source, scored) => {
      expect(scored.length).toBeGreaterThan(3);
      expect(wrongOnes(scored)).toEqual([]);
    },
  );

  // Scored once with vaderSentiment 3.3.2 for Python: single letters, newer boosters and idioms, `no`, doubt, capitals, emoji, punctuation.
  test('each rule scores as in the reference implementation', () => {
    expect(wrongOnes(reference.own)).toEqual([]);
  });

  test('500 random texts of its words, rules, marks and emoji score as in the reference implementation', () => {
    expect(reference.random).toHaveLength(500);
    expect(wrongOnes(reference.random)).toEqual([]);
  });

  test('any text has a score, whatever it holds', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), (text) => {
        expect(Math.abs(plain(text))).toBeLessThanOrEqual(1);
        expect(Math.abs(ours(text))).toBeLessThanOrEqual(1);
      }),
      { numRuns: 2_000 },
    );
  });
});

interface Labelled {
  readonly text: string;
  readonly sign: -1 | 0 | 1;
}
const labelled: readonly Labelled[] = JSON.parse(
  readFileSync(new URL('labelled-sentences.json', import.meta.url), 'utf8'),
);
const signOf = (score: number) => (score >= 0.05 ? 1 : score <= -0.05 ? -1 : 0);
const rightOnes = (score: (text: string) => number) =>
  labelled.filter(({ text, sign }) => signOf(score(text)) === sign).length;

test('the word list is right on the sign of at least 90 of 100 sentences labelled by hand, VADER alone on less than 60', () => {
  expect(labelled).toHaveLength(100);
  expect(rightOnes(ours)).toBeGreaterThanOrEqual(90);
  expect(rightOnes(plain)).toBeLessThan(60);
});

describe('the word list', () => {
  test.each([
    ['rekt', -1],
    ['rug', -1],
    ['depeg', -1],
    ['hodl', 1],
    ['bullish', 1],
    ['wagmi', 1],
    ['WAGMI!!!!!!', 1],
    ['(rugpull)', -1],
    ['🚀', 1],
    ['to the moon', 1],
    ['interest rate', 0],
  ])('%s is of sign %i', (text, sign) => {
    expect(signOf(ours(text))).toBe(sign);
  });

  test('a phrase counts as one word: its parts do not count again', () => {
    expect(signOf(ours('without bad debt'))).toBe(1);
    expect(ours('pump and dump')).toBeLessThan(ours('dump'));
  });

  test('a negation turns the sign, in capitals too', () => {
    for (const text of ['not bullish', 'Not bullish', 'NOT bullish', "isn't bullish"])
      expect(ours(text)).toBeLessThan(0);
  });

  test('a word without sentiment stays without it in capitals and after a degree adverb', () => {
    for (const text of ['the GAS of it', 'very interest', 'no debt', 'not a token'])
      expect(ours(text)).toBe(text === 'no debt' ? ours('no') : 0);
  });

  test('an emoji of the list counts where it touches a word; others read as the reference does', () => {
    expect(ours('go🚀')).toBeGreaterThan(0);
    expect(ours('📉📉now')).toBeLessThan(0);
    expect(ours('ok😢')).toBe(plain('ok😢'));
  });

  test('has no word twice, all in lower case, all on the scale', () => {
    const tokens = [...CRYPTO_WORDS, ...CRYPTO_PHRASES].flatMap(([, names]) => names);
    expect(tokens.filter((word, index) => tokens.indexOf(word) !== index)).toEqual([]);
    expect(tokens.filter((word) => word !== word.toLowerCase() || word.trim() === '')).toEqual([]);
    for (const [valence] of [...CRYPTO_WORDS, ...CRYPTO_PHRASES])
      expect(Math.abs(valence)).toBeLessThanOrEqual(4);
  });
});

test.each(['', ' ', '\n\t', '.', '!!!', '\u0000', '𠮷', '\ud800', 'a'.repeat(100_000), '! '.repeat(10_000)])(
  'an odd text scores 0 and does no harm (%#)',
  (text) => {
    expect(ours(text)).toBe(0);
  },
);

test('a score is between -1 and 1 with four decimals', () => {
  const score = ours('moon '.repeat(5_000));
  expect(score).toBe(1);
  expect(ours('rekt '.repeat(5_000))).toBe(-1);
  expect(String(ours('so bullish')).length).toBeLessThanOrEqual(6);
});
