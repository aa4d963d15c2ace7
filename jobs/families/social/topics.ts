// Finds the topics of a text by the rules of topic-rules.ts. Pure; reads a text once.
import { HIGH_LEVEL_TOPICS, type HighLevelTopic, TOPIC_LENGTH_MAX } from '../../../schemas/social.ts';
import { HIGH_LEVEL_RULES, MID_LEVEL_RULES } from './topic-rules.ts';

/** Separates the names of a message's mid-level topics; no name contains it. */
export const TOPIC_SEPARATOR = '|';

export interface Topics {
  readonly high: HighLevelTopic;
  /** Sorted, each once. */
  readonly mid: readonly string[];
}

interface Meaning {
  readonly weights: readonly (readonly [place: number, weight: number])[];
  readonly mid: readonly string[];
}

const MAX_MID_TOPICS = 8;
const LONGEST_PHRASE = 3;
const OTHER = HIGH_LEVEL_TOPICS.indexOf('Other');
/** Matches addresses, whose parts are not words of the author. */
const ADDRESS = /https?:\/\/\S+/g;
/** A letter or digit, then the characters allowed inside a word; tags keep their prefix. */
const WORD = /[$#]?[\p{L}\p{N}][\p{L}\p{N}'_-]*/gu;

const MEANINGS = meaningsOf();
/** Words that begin at least one phrase. */
const PHRASE_STARTS = new Set(
  [...MEANINGS.keys()].filter((keyword) => keyword.includes(' ')).map((keyword) => keyword.split(' ')[0]),
);

export function topicsOf(text: string): Topics {
  const tokens = text.toLowerCase().replace(ADDRESS, ' ').match(WORD) ?? [];
  const sums = HIGH_LEVEL_TOPICS.map(() => 0);
  const mid = new Set<string>();
  for (let at = 0; at < tokens.length; at++) {
    const word = tokens[at] ?? '';
    const meaning = MEANINGS.get(word);
    if (meaning !== undefined) note(meaning, sums, mid);
    if (PHRASE_STARTS.has(word)) notePhrases(tokens, at, { sums, mid });
    if ((word[0] === '$' || word[0] === '#') && TAG.test(word)) mid.add(tagName(word));
  }
  const best = Math.max(...sums);
  const index = best === 0 ? OTHER : sums.indexOf(best);
  return { high: HIGH_LEVEL_TOPICS[index] ?? 'Other', mid: [...mid].sort().slice(0, MAX_MID_TOPICS) };
}

function notePhrases(
  tokens: readonly string[],
  at: number,
  { sums, mid }: { sums: number[]; mid: Set<string> },
): void {
  for (let length = 2; length <= LONGEST_PHRASE; length++) {
    const meaning = MEANINGS.get(tokens.slice(at, at + length).join(' '));
    if (meaning !== undefined && at + length <= tokens.length) note(meaning, sums, mid);
  }
}

function note({ weights, mid: names }: Meaning, sums: number[], mid: Set<string>): void {
  for (const [index, weight] of weights) sums[index] = (sums[index] ?? 0) + weight;
  for (const name of names) mid.add(name);
}

/** Not `$100`, an amount, or `#3`, a number. */
const TAG = /^[$#]\p{L}[\p{L}\p{N}'_-]+$/u;

const tagName = (word: string) =>
  [...(word[0] === '$' ? word.toUpperCase() : word)].slice(0, TOPIC_LENGTH_MAX).join('');

function meaningsOf(): ReadonlyMap<string, Meaning> {
  const found = new Map<string, Meaning>();
  const add = (keyword: string, { weights, mid }: Meaning) => {
    const before = found.get(keyword) ?? { weights: [], mid: [] };
    found.set(keyword, { weights: [...before.weights, ...weights], mid: [...before.mid, ...mid] });
  };
  for (const { topic, weight, keywords } of HIGH_LEVEL_RULES)
    for (const keyword of keywords)
      add(keyword, { weights: [[HIGH_LEVEL_TOPICS.indexOf(topic), weight]], mid: [] });
  for (const [topic, keywords] of Object.entries(MID_LEVEL_RULES))
    for (const keyword of keywords) add(keyword, { weights: [], mid: [topic] });
  return found;
}
