// From a text to the words that VADER's rules look at: split at white space, single characters left out, punctuation taken off words but
// left on emoticons, phrases put together.
import { IDIOM_ENDS, isCapitals, PUNCTUATION } from './vader-rules.ts';

export interface WordList {
  /** Lower-case word or emoticon -> valence, -4 to 4. */
  readonly valences: ReadonlyMap<string, number>;
  /** First word -> the phrases that begin with it, longest first. A phrase counts as one word. */
  readonly phrases: ReadonlyMap<string, readonly Phrase[]>;
  /** Negations count in capitals too, and a word is found behind any punctuation: what the package leaves out. */
  readonly isLenient: boolean;
}

export interface Phrase {
  readonly words: readonly string[];
  /** The phrase as `valences` has it. */
  readonly name: string;
}

export interface Words {
  readonly given: readonly string[];
  readonly lower: readonly string[];
  /** The words in the form in which negations are looked for. */
  readonly negating: readonly string[];
  /** Some words are all capitals and some are not. */
  readonly isMixedCase: boolean;
  /** False where no idiom can be: the usual case, which is worth knowing. */
  readonly mayHaveIdiom: boolean;
}

export function wordsOf(text: string, { phrases, isLenient }: WordList): Words {
  const given: string[] = [];
  const lower: string[] = [];
  for (const token of text.split(/\s+/)) {
    if (token.length < 2) continue;
    const word = bareWord(token, isLenient);
    given.push(word);
    lower.push(word.toLowerCase());
  }
  if (phrases.size > 0) joinPhrases(given, lower, phrases);
  const capitals = given.reduce((count, word) => count + (isCapitals(word) ? 1 : 0), 0);
  const isMixedCase = capitals > 0 && capitals < given.length;
  const mayHaveIdiom = given.some((word) => IDIOM_ENDS.has(word));
  return { given, lower, negating: isLenient ? lower : given, isMixedCase, mayHaveIdiom };
}

/** `(moon!!)` is an emoticon to the strict rule, which takes off one mark of the list at one end of a word without any other. */
function bareWord(token: string, isLenient: boolean): string {
  let from = 0;
  let to = token.length;
  while (from < to && isMark(token.charCodeAt(from))) from += 1;
  while (to > from && isMark(token.charCodeAt(to - 1))) to -= 1;
  if (from === 0 && to === token.length) return token;
  const inside = token.slice(from, to);
  // What is left of an emoticon is short.
  if (isLenient && inside.length > 2) return inside;
  if (inside.length < 2 || hasMark(inside)) return token;
  const isBefore = to === token.length && PUNCTUATION.has(token.slice(0, from));
  const isAfter = from === 0 && PUNCTUATION.has(token.slice(to));
  return isBefore || isAfter ? inside : token;
}

/** ASCII punctuation. */
const isMark = (code: number) =>
  (code > 32 && code < 48) ||
  (code > 57 && code < 65) ||
  (code > 90 && code < 97) ||
  (code > 122 && code < 127);

function hasMark(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (isMark(text.charCodeAt(at))) return true;
  return false;
}

function joinPhrases(given: string[], lower: string[], phrases: WordList['phrases']): void {
  for (let at = 0; at < lower.length; at++) {
    const candidates = phrases.get(lower[at] ?? '');
    const phrase = candidates?.find(({ words }) => words.every((word, next) => lower[at + next] === word));
    if (phrase === undefined) continue;
    const { length } = phrase.words;
    given.splice(at, length, given.slice(at, at + length).join(' '));
    lower.splice(at, length, phrase.name);
  }
}
