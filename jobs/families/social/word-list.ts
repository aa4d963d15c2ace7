// The words that carry sentiment: VADER's own, extended by our crypto terms.
import { lexicon } from 'vader-sentiment/src/vader_lexicon.js';
import { CRYPTO_PHRASES, CRYPTO_WORDS } from './crypto-words.ts';
import type { Phrase, WordList } from './vader-words.ts';

/** Entries in which the package's list is older than that of the reference, vaderSentiment 3.3.2. */
const NEWER: readonly (readonly [word: string, valence: number])[] = [
  ['heart', 3.2],
  ['hearts', 3.3],
  ['flawed', -2.1],
  ['badass', 1.4],
];

const vader = [...Object.entries(lexicon), ...NEWER];

/** VADER's list only. */
export const PLAIN_LIST: WordList = { valences: new Map(vader), phrases: new Map(), shortWords: new Set() };

export const CRYPTO_LIST: WordList = {
  valences: new Map([...vader, ...entriesOf(CRYPTO_WORDS), ...entriesOf(CRYPTO_PHRASES)]),
  phrases: phrasesOf(entriesOf(CRYPTO_PHRASES)),
  shortWords: new Set(
    entriesOf(CRYPTO_WORDS)
      .map(([word]) => word)
      .filter((word) => word.length <= 2),
  ),
};

function entriesOf(
  groups: readonly (readonly [valence: number, names: readonly string[]])[],
): [string, number][] {
  return groups.flatMap(([valence, names]) => names.map((name): [string, number] => [name, valence]));
}

function phrasesOf(entries: readonly (readonly [string, number])[]): Map<string, Phrase[]> {
  const phrases = new Map<string, Phrase[]>();
  const longestFirst = entries
    .map(([name]) => ({ name, tokens: name.split(' ') }))
    .sort((a, b) => b.tokens.length - a.tokens.length);
  for (const phrase of longestFirst) {
    const first = phrase.tokens[0] ?? '';
    phrases.set(first, [...(phrases.get(first) ?? []), phrase]);
  }
  return phrases;
}
