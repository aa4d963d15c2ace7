// Splits a text into the words on which VADER's rules operate: replaces emoji by words, splits at white space, removes punctuation from
// words but not from emoticons, and joins phrases.
import { EMOJI_WORDS } from './emoji-words.ts';
import { IDIOM_ENDS, isCapitals } from './vader-rules.ts';

export interface WordList {
  /** Lower-case word, emoticon or emoji -> valence, -4 to 4; 0 is a word without sentiment, whatever its context. */
  readonly valences: ReadonlyMap<string, number>;
  /** First word -> the phrases that begin with it, longest first. A phrase counts as one word. */
  readonly phrases: ReadonlyMap<string, readonly Phrase[]>;
  /** Words of at most two characters that also match with punctuation attached, which the reference does not remove from them. */
  readonly shortWords: ReadonlySet<string>;
}

export interface Phrase {
  readonly tokens: readonly string[];
  /** The phrase as it appears in `valences`. */
  readonly name: string;
}

export interface Tokens {
  readonly given: readonly string[];
  readonly lower: readonly string[];
  /** Some words are all capitals and others are not. */
  readonly isMixedCase: boolean;
  /** False if there can be no idiom, the usual case, so that idioms need not be checked. */
  readonly mayHaveIdiom: boolean;
}

/** Expects a text whose emoji have already been replaced by words. */
export function tokensOf(text: string, list: WordList): Tokens {
  const given: string[] = [];
  const lower: string[] = [];
  for (const token of text.split(SPACE)) {
    if (token === '') continue;
    const word = bareWord(token, list);
    given.push(word);
    lower.push(word.toLowerCase());
  }
  if (list.phrases.size > 0) joinPhrases(given, lower, list.phrases);
  const capitals = given.reduce((count, word) => count + (isCapitals(word) ? 1 : 0), 0);
  const isMixedCase = capitals > 0 && capitals < given.length;
  const mayHaveIdiom = lower.some((word) => IDIOM_ENDS.has(word));
  return { given, lower, isMixedCase, mayHaveIdiom };
}

/** Splits at the same characters as Python, except for five control characters. */
const SPACE = /[\s\u0085]+/;
/** Any character from the copyright sign, the first emoji, onwards. */
const MAY_HAVE_EMOJI = /[\xa9-\uffff]/;

/** Replaces emoji by words. An emoji in the word list stays, as a separate word. */
export function emojiAsText(text: string, { valences }: WordList): string {
  if (!MAY_HAVE_EMOJI.test(text)) return text;
  let written = '';
  let isAfterSpace = true;
  for (const character of text) {
    const isValued = character > '\xa8' && valences.has(character);
    const tokens = isValued ? character : EMOJI_WORDS.get(character);
    if (tokens === undefined) written += character;
    else written += isAfterSpace ? tokens : ` ${tokens}`;
    // Like the reference, adds no space after the words: text directly after the emoji joins its last word.
    if (isValued) written += ' ';
    isAfterSpace = isValued || (tokens === undefined && character === ' ');
  }
  return written;
}

/** `(moon!!)` is a word, `:-)` an emoticon: what is left of an emoticon is short, unless it is one of our short words, as in `gm,`. */
function bareWord(token: string, { valences, shortWords }: WordList): string {
  let from = 0;
  let to = token.length;
  while (from < to && isMark(token.charCodeAt(from))) from += 1;
  while (to > from && isMark(token.charCodeAt(to - 1))) to -= 1;
  if (from === 0 && to === token.length) return token;
  const inside = token.slice(from, to);
  const isShort = inside.length <= 2 || (inside.length <= 4 && [...inside].length <= 2);
  if (!isShort) return inside;
  return shortWords.has(inside.toLowerCase()) && !valences.has(token.toLowerCase()) ? inside : token;
}

/** ASCII punctuation. */
const isMark = (code: number) =>
  (code > 32 && code < 48) ||
  (code > 57 && code < 65) ||
  (code > 90 && code < 97) ||
  (code > 122 && code < 127);

function joinPhrases(given: string[], lower: string[], phrases: WordList['phrases']): void {
  for (let index = 0; index < lower.length; index++) {
    const candidates = phrases.get(lower[index] ?? '');
    const phrase = candidates?.find(({ tokens }) =>
      tokens.every((word, next) => lower[index + next] === word),
    );
    if (phrase === undefined) continue;
    const { length } = phrase.tokens;
    given.splice(index, length, given.slice(index, index + length).join(' '));
    lower.splice(index, length, phrase.name);
  }
}
