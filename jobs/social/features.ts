// What is kept of a message: its sentiment and topics, keyed hashes of its author and of its text, and a key by which it is recognised. The text
// and the author's name end here.
import { createHmac } from 'node:crypto';
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

function fillFeatures({ count, columns }: RowBatch, key: Uint8Array) {
  const hashed = new Map<string, string>();
  const authorHash = (author: string) => {
    const known = hashed.get(author) ?? keyedHash(key, 'author', author);
    hashed.set(author, known);
    return known;
  };
  const rows = Array.from({ length: count }, (_, at) => {
    const value = (name: string) => String(columns[name]?.[at] ?? '');
    const text = value('text').trim();
    const place = [value('channel'), value('protocol')];
    const author = authorHash([value('channel'), value('author')].join('\n'));
    const content = keyedHash(key, 'content', text);
    const id = value('message_id');
    const name = id === '' ? [...place, value('sent_at'), author, content] : [...place, id];
    return [
      keyedHash(key, id === '' ? 'message' : 'message id', name.join('\n')),
      id !== '',
      author,
      content,
      ...textFeatures(text),
      FEATURES_VERSION,
    ];
  });
  return Object.fromEntries(
    messageFeatures.fills.map((name, place) => [name, rows.map((row) => row[place] ?? null)]),
  );
}

/** In the order of `fills`: has_text, sentiment, high_topic, mid_topics. A message without text has neither sentiment nor topic. */
function textFeatures(text: string): Features {
  if (text === '') return [false, null, null, null];
  const { high, mid } = topicsOf(text);
  return [true, compound(text, CRYPTO_LIST), high, mid.length === 0 ? null : mid.join(TOPIC_SEPARATOR)];
}

/** `purpose` keeps equal texts of different meaning apart. */
const keyedHash = (key: Uint8Array, purpose: string, text: string): string =>
  createHmac('sha256', key).update(`${purpose}\n${text}`).digest('hex').slice(0, HASH_DIGITS);
