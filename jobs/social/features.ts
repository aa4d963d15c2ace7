// What is kept of a message: its sentiment and topics, keyed hashes of its author and of its text, and a key by which it is recognised. The text
// and the author's name end here.
import { createHmac, createSecretKey, hash, type KeyObject } from 'node:crypto';
import type { Enrichment, RawField, RowBatch } from '../define.ts';
import { TOPIC_SEPARATOR, topicsOf } from './topics.ts';
import { compound } from './vader.ts';
import { CRYPTO_LIST } from './word-list.ts';

/** Goes up with every change of the word list, the topic rules or the hashes. */
export const FEATURES_VERSION = 1;

const HASH_DIGITS = 32;

const AUTHOR: RawField = {
  name: 'author',
  type: 'VARCHAR',
  required: true,
  maxLength: 256,
  description: 'Name or id of the author on the channel',
};
const TEXT: RawField = {
  name: 'text',
  type: 'VARCHAR',
  maxLength: 100_000,
  description: 'What was written; empty for a picture',
};
const MESSAGE_ID: RawField = {
  name: 'message_id',
  type: 'VARCHAR',
  maxLength: 256,
  description:
    'Id on the channel; without one, equal texts of one author at one instant count by how often they come in one delivery',
};

export const messageFeatures: Enrichment = {
  takes: [AUTHOR, TEXT, MESSAGE_ID],
  reads: ['channel', 'protocol', 'sent_at'],
  fills: [
    'message_key',
    'has_id',
    'author_hash',
    'content_hash',
    'has_text',
    'sentiment',
    'high_topic',
    'mid_topics',
    'features_version',
  ],
  version: FEATURES_VERSION,
  fill: fillFeatures,
};

type Features = readonly (string | number | boolean | null)[];

function fillFeatures({ count, columns }: RowBatch, secret: Uint8Array) {
  // Bytes would be made into such an object for every hash, at ten times its cost.
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
    const text = value('text').trim();
    const channel = value('channel');
    const author = authorHash(`${channel}\n${value('author')}`);
    const content = keyedHash(key, 'content', text);
    const id = value('message_id');
    const name = `${channel}\n${value('protocol')}\n`;
    const messageKey =
      id === ''
        ? plainHash(`${name}${value('sent_at')}\n${author}\n${content}`)
        : keyedHash(key, 'message id', name + id);
    const row = [messageKey, id !== '', author, content, ...textFeatures(text), FEATURES_VERSION];
    for (const [place, list] of lists.entries()) list.push(row[place] ?? null);
  }
  return filled;
}

/** In the order of `fills`: has_text, sentiment, high_topic, mid_topics. A message without text has neither sentiment nor topic. */
function textFeatures(text: string): Features {
  if (text === '') return [false, null, null, null];
  const { high, mid } = topicsOf(text);
  return [true, compound(text, CRYPTO_LIST), high, mid.length === 0 ? null : mid.join(TOPIC_SEPARATOR)];
}

/** For what is made of keyed hashes already. */
const plainHash = (text: string): string => hash('sha256', text).slice(0, HASH_DIGITS);

/** `purpose` keeps equal texts of different meaning apart. */
const keyedHash = (key: KeyObject, purpose: string, text: string): string =>
  createHmac('sha256', key).update(`${purpose}\n${text}`).digest('hex').slice(0, HASH_DIGITS);
