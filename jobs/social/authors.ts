// Who an author's name stands for. Channels write a fixed name where the account is gone, and programs write under names of their own.

export type AuthorKind = 'person' | 'unknown' | 'program';

/** Discord's number behind a name: `name#1234`. */
const DISCRIMINATOR = /#[0-9]{1,4}$/;
const GONE = /^(\[(deleted|removed)\]|deleted[ _]user(_[0-9a-z]+)?)$/;
const PROGRAMS: ReadonlySet<string> = new Set(['automoderator', 'automod', 'mee6', 'dyno', 'collab.land']);
/** `carl-bot`, `captcha.bot`, `github[bot]`, and the notices that moderators of a Reddit channel sign together. */
const PROGRAM_ENDING = /([-_. ]bot|\[bot\]|-modteam)$/;
/** `RemindMeBot`, but not `Talbot`. */
const CAMEL_BOT = /[a-z0-9]Bot$/;

export function authorKind(author: string): AuthorKind {
  const given = author.trim().replace(DISCRIMINATOR, '');
  const name = given.toLowerCase();
  if (GONE.test(name)) return 'unknown';
  return PROGRAMS.has(name) || PROGRAM_ENDING.test(name) || CAMEL_BOT.test(given) ? 'program' : 'person';
}

/** What Reddit leaves of a text that was taken away. */
export const isTakenAway = (text: string): boolean => text === '[deleted]' || text === '[removed]';
