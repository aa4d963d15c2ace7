import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { SentimentIntensityAnalyzer } from 'vader-sentiment';
import { describe, expect, test } from 'vitest';
import { CRYPTO_PHRASES, CRYPTO_WORDS } from '../../../jobs/social/crypto-words.ts';
import { compound } from '../../../jobs/social/vader.ts';
import { BOOSTERS, IDIOMS, NEGATIONS } from '../../../jobs/social/vader-rules.ts';
import { CRYPTO_LIST, PLAIN_LIST } from '../../../jobs/social/word-list.ts';
import { describeRealData, realData } from '../../support/real-data.ts';
import { csvRows } from './csv-rows.ts';

const ofPackage = (text: string) => SentimentIntensityAnalyzer.polarity_scores(text).compound;
const plain = (text: string) => compound(text, PLAIN_LIST);
const ours = (text: string) => compound(text, CRYPTO_LIST);

const someWords = [
  ...[...PLAIN_LIST.valences.keys()].filter((_, place) => place % 40 === 0),
  ...[...BOOSTERS.keys(), ...IDIOMS.keys(), ...NEGATIONS].flatMap((name) => name.split(' ')),
  ...[
    'but',
    'BUT',
    'least',
    'at',
    'very',
    'never',
    'so',
    'this',
    'without',
    'kind',
    'of',
    'I',
    "isn't",
    'GREAT',
    'Bad',
    'market',
  ],
];
const marks = ['', '', '', '!', '!!!!', '?', '??', '...', ',', "'", ')', '!?'];
const token = fc
  .tuple(fc.constantFrom(...marks), fc.constantFrom(...someWords), fc.constantFrom(...marks))
  .map((parts) => parts.join(''));

test('with VADER’s own list any text scores as the package scores it', () => {
  const texts = fc.array(
    fc.oneof({ weight: 9, arbitrary: token }, fc.string({ unit: 'grapheme', maxLength: 6 })),
    {
      maxLength: 14,
    },
  );
  fc.assert(
    fc.property(texts, fc.constantFrom(' ', '\n', '  ', '\t'), (words, space) => {
      const text = words.join(space);
      expect(plain(text)).toBe(ofPackage(text) + 0);
    }),
    { numRuns: 3_000, seed: 4 },
  );
});

describeRealData('every real message', () => {
  test.each(['aave', 'aragon'])(
    'of %s scores as the package scores it, raw and prepared',
    async (protocol) => {
      const rows = await csvRows(realData(`social/discord-${protocol}.csv`));
      const texts = rows.flatMap(({ content = '', preprocessed = '' }) => [content, preprocessed]);
      expect(texts.length).toBeGreaterThan(1_000);
      expect(texts.filter((text) => plain(text) !== ofPackage(text) + 0)).toEqual([]);
    },
    120_000,
  );
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

  test('has no word twice, all in lower case, all on the scale', () => {
    const words = [...CRYPTO_WORDS, ...CRYPTO_PHRASES].flatMap(([, names]) => names);
    expect(words.filter((word, place) => words.indexOf(word) !== place)).toEqual([]);
    expect(words.filter((word) => word !== word.toLowerCase() || word.trim() === '')).toEqual([]);
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
