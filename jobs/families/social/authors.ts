// Classifies authors by name. Channels write a fixed name for deleted accounts, and programs write under recognisable names.

export type AuthorKind = 'person' | 'unknown' | 'program';

/** The number that Discord appends to a name: `name#1234`. */
const DISCRIMINATOR = /#[0-9]{1,4}$/;
const GONE = /^(\[(deleted|removed)\]|deleted[ _]user(_[0-9a-z]+)?)$/;
const PROGRAMS: ReadonlySet<string> = new Set(['automoderator', 'automod', 'mee6', 'dyno', 'collab.land']);
/** `carl-bot`, `captcha.bot`, `github[bot]`, and the account that signs the notices of a Reddit channel's moderators. */
const PROGRAM_ENDING = /([-_. ]bot|\[bot\]|-modteam)$/;
/** `RemindMeBot`, but not `Talbot`. */
const CAMEL_BOT = /[a-z0-9]Bot$/;

export function authorKind(author: string): AuthorKind {
  const given = author.trim().replace(DISCRIMINATOR, '');
  const name = given.toLowerCase();
  if (GONE.test(name)) return 'unknown';
  return PROGRAMS.has(name) || PROGRAM_ENDING.test(name) || CAMEL_BOT.test(given) ? 'program' : 'person';
}

/** Matches the placeholder that Reddit shows for a removed text. */
export const isTakenAway = (text: string): boolean => text === '[deleted]' || text === '[removed]';
