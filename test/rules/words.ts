// Words that this project does not use, each with what to write instead. The list is short on purpose: it holds what reads as
// translated, and names that say nothing of what they stand for. docs/glossary.md has the terms of the domain.

export interface BannedWord {
  readonly pattern: RegExp;
  readonly instead: string;
}

export const BANNED_WORDS: readonly BannedWord[] = [
  { pattern: /\b(?:MOST|LEAST|FEWEST)_[A-Z]/, instead: 'MAX_ or MIN_' },
  { pattern: /\b(?:most|least|fewest)(?!Frequent|Recent)[A-Z]\w*/, instead: 'max… or min…' },
  {
    pattern: /(?:^|['"`*#|:]) ?(?:Most|Least|Fewest) (?!recent|frequent|of|are|automated)[a-z]/,
    instead: 'maximum or minimum',
  },
  { pattern: /\b[Ll]east level/, instead: 'minimum level' },
  { pattern: /\banew\b|\bmade again\b/i, instead: 'rebuilt, rewritten, again' },
  { pattern: /\btold\b|\btells\b/i, instead: 'reported, published; says; told apart: distinguished' },
  {
    pattern: /(?<!'postgres', ')\b(?:no|some|any|every)body(?:’s|'s)?\b/i,
    instead: 'no one, any caller, all clients',
  },
  { pattern: /\b(?:as|ways?) of old\b/i, instead: 'as before' },
  { pattern: /\bfor ever\b/i, instead: 'permanently, without end' },
  { pattern: /\bgo(?:es)? by (?!a few)/i, instead: 'is named, is decided by, uses' },
  { pattern: /\bis what it is\b/i, instead: 'a plain verb' },
  { pattern: /\bstands? back\b/i, instead: 'is deferred' },
  { pattern: /\bcounts? for nothing\b/i, instead: 'is not counted' },
  { pattern: /\bfor want of\b/i, instead: 'without, because … is missing' },
  { pattern: /\bbe had\b/i, instead: 'is available, can be obtained' },
  { pattern: /\blies? (?:in|inside|under|at|there|beside)\b/i, instead: 'is' },
  { pattern: /\bbeside\b/i, instead: 'next to, with, in addition to' },
  { pattern: /\bWorld\b/, instead: 'what it is: PipelineContext, DemoWorld' },
  { pattern: /shelf|shelves/i, instead: 'cache' },
  { pattern: /\breception|[a-z]Reception/i, instead: 'request gate' },
  { pattern: /workshop/i, instead: 'the name of what it makes' },
  { pattern: /access-?desk/i, instead: 'access control' },
  { pattern: /\bPortions?\b/, instead: 'batch' },
  { pattern: /\blanes?\b|\b[a-z]+Lanes?\b/i, instead: 'queue' },
  { pattern: /\bBeds?\b|-bed\b/, instead: 'what it is: fixture, harness' },
  { pattern: /\b(?:dice|Dice|DICE)\b|[a-z]Dice\b/, instead: 'random' },
];

/** Banned words in a text, one message for each line and word. */
export function bannedWordsIn(path: string, text: string): string[] {
  return text.split('\n').flatMap((line, index) =>
    BANNED_WORDS.flatMap(({ pattern, instead }) => {
      const found = pattern.exec(line)?.[0];
      return found === undefined ? [] : [`${path}:${index + 1} says “${found.trim()}”; write ${instead}`];
    }),
  );
}
