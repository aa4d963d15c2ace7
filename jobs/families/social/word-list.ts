// The words that carry sentiment: VADER's own (vader-lexicon.json, under the licence next to it), extended by our crypto terms.
import { CRYPTO_PHRASES, CRYPTO_WORDS } from './crypto-words.ts';
import lexicon from './vader-lexicon.json' with { type: 'json' };
import type { Phrase, WordList } from './vader-words.ts';

const vader: readonly (readonly [string, number])[] = Object.entries(lexicon);

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
