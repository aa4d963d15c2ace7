// The stored features of a message: its sentiment and topics, keyed hashes of its author and text, and a key that identifies it. The text
// and the author's name are not stored.
import { createHmac, createSecretKey, hash, type KeyObject } from 'node:crypto';
import { text } from '../../define/fields.ts';
import type { Enrichment, RowBatch } from '../../define/raw-table.ts';
import { TOPIC_SEPARATOR, topicsOf } from './topics.ts';
import { compound } from './vader.ts';
import { CRYPTO_LIST, PLAIN_LIST } from './word-list.ts';

/** Increment with every change to the word lists, to the rules of sentiment, topics and authors, or to the hashes. */
export const FEATURES_VERSION = 2;

const HASH_DIGITS = 32;

const AUTHOR = text('author', 'Name or id of the author on the channel', { required: true, maxLength: 256 });
const TEXT = text('text', 'Text of the message; empty for a picture', { maxLength: 100_000 });
const MESSAGE_ID = text(
  'message_id',
  'Id on the channel; without one, equal texts of one author at one instant count as often as one delivery contains them',
  { maxLength: 256 },
);

export const messageFeatures = {
  takes: [AUTHOR, TEXT, MESSAGE_ID],
  reads: ['channel', 'protocol', 'sent_at'],
  fills: [
    'message_key',
    'has_id',
    'author_hash',
    'is_program',
    'content_hash',
    'has_text',
    'sentiment',
    'plain_sentiment',
    'high_topic',
    'mid_topics',
    'features_version',
  ],
  version: FEATURES_VERSION,
  fill: fillFeatures,
} satisfies Enrichment;

type Features = readonly (string | number | boolean | null)[];

function fillFeatures({ count, columns }: RowBatch, secret: Uint8Array) {
  // Passing bytes would create a key object for every hash, at ten times the cost.
  const key = createSecretKey(secret);
  const hashed = new Map<string, string>();
  const authorHash = (author: string) => {
    const known = hashed.get(author) ?? keyedHash(key, 'author', author);
    hashed.set(author, known);
    return known;
  };
  const filled: { [field: string]: Features[number][] } = {};
  const lists = messageFeatures.fills.map((name) => {
    filled[name] = [];
    return filled[name];
  });
  for (let at = 0; at < count; at++) {
    const value = (name: string) => String(columns[name]?.[at] ?? '');
    const given = value('text').trim();
    const text = isTakenAway(given) ? '' : given;
    const channel = value('channel');
    const author = authorHash(`${channel}\n${value('author')}`);
    const content = keyedHash(key, 'content', given);
    const kind = authorKind(value('author'));
    const id = value('message_id');
    const name = `${channel}\n${value('protocol')}\n`;
    const messageKey =
      id === ''
        ? plainHash(`${name}${value('sent_at')}\n${author}\n${content}`)
        : keyedHash(key, 'message id', name + id);
    const who = [kind === 'unknown' ? null : author, kind === 'program'];
    const row = [messageKey, id !== '', ...who, content, ...textFeatures(text), FEATURES_VERSION];
    for (const [index, list] of lists.entries()) list.push(row[index] ?? null);
  }
  return filled;
}

/** Values in the order of `fills`, from has_text to mid_topics. A message without text has neither sentiment nor topic. */
function textFeatures(text: string): Features {
  if (text === '') return [false, null, null, null, null];
  const { high, mid } = topicsOf(text);
  const sentiments = [compound(text, CRYPTO_LIST), compound(text, PLAIN_LIST)];
  return [true, ...sentiments, high, mid.length === 0 ? null : mid.join(TOPIC_SEPARATOR)];
}

/** Unkeyed, because the input already consists of keyed hashes. */
const plainHash = (text: string): string => hash('sha256', text).slice(0, HASH_DIGITS);

/** `purpose` separates the hashes of equal texts with different meanings. */
const keyedHash = (key: KeyObject, purpose: string, text: string): string =>
  createHmac('sha256', key).update(`${purpose}\n${text}`).digest('hex').slice(0, HASH_DIGITS);

type AuthorKind = 'person' | 'unknown' | 'program';

/** The number that Discord appends to a name: `name#1234`. */
const DISCRIMINATOR = /#[0-9]{1,4}$/;
const GONE = /^(\[(deleted|removed)\]|deleted[ _]user(_[0-9a-z]+)?)$/;
const PROGRAMS: ReadonlySet<string> = new Set(['automoderator', 'automod', 'mee6', 'dyno', 'collab.land']);
/** `carl-bot`, `captcha.bot`, `github[bot]`, and the account that signs the notices of a Reddit channel's moderators. */
const PROGRAM_ENDING = /([-_. ]bot|\[bot\]|-modteam)$/;
/** `RemindMeBot`, but not `Talbot`. */
const CAMEL_BOT = /[a-z0-9]Bot$/;

/** Classifies authors by name. Channels write a fixed name for deleted accounts, and programs write under recognisable names. */
export function authorKind(author: string): AuthorKind {
  const given = author.trim().replace(DISCRIMINATOR, '');
  const name = given.toLowerCase();
  if (GONE.test(name)) return 'unknown';
  return PROGRAMS.has(name) || PROGRAM_ENDING.test(name) || CAMEL_BOT.test(given) ? 'program' : 'person';
}

/** Matches the placeholder that Reddit shows for a removed text. */
const isTakenAway = (text: string): boolean => text === '[deleted]' || text === '[removed]';
