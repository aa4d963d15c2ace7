// The raw table of the social domain: messages of any channel, from any source. Instead of names and texts, only the features that
// features.ts computes from them are stored.

import { DAY_S } from '../../../platform/base/time.ts';
import { flag, form, id, instant, integer, LAST_INSTANT, number, text, word } from '../../define/fields.ts';
import { defineRawTable } from '../../define/raw-table.ts';
import { messageFeatures } from './features.ts';

const HASH = form('[0-9a-f]{32}', '32 hexadecimal digits', '7b2f'.repeat(8));

export const socialMessage = defineRawTable({
  name: 'social_message',
  description: 'One message on one channel of one protocol',
  fields: [
    id('channel', 'Channel of the message: discord, reddit', {
      required: true,
      ...form('[a-z0-9_-]{1,64}', 'at most 64 lower-case letters, digits, `_` and `-`', 'discord'),
    }),
    id('protocol', 'Protocol that the message belongs to, as in the list of protocols', {
      required: true,
      ...word('aave', { separators: '/|', longest: 64 }),
    }),
    instant('sent_at', 'Time of the message', { required: true, min: 1, max: LAST_INSTANT }),
    text('message_key', 'Keyed hash of the message’s id or, without one, of everything known about it', {
      required: true,
      ...HASH,
    }),
    flag('has_id', 'The source gave the message an id', { required: true }),
    text('author_hash', 'Keyed hash of channel and author; null if the account was deleted', {
      ...HASH,
    }),
    flag('is_program', 'The author’s name marks a program: a moderator or another bot', { required: true }),
    text('content_hash', 'Keyed hash of the text', { required: true, ...HASH }),
    flag('has_text', 'The message has text other than white space and was not removed', { required: true }),
    number('sentiment', 'VADER compound with our word list, -1 to 1; null without text', { min: -1, max: 1 }),
    number('plain_sentiment', 'VADER compound with VADER’s own list only, -1 to 1; null without text', {
      min: -1,
      max: 1,
    }),
    text('high_topic', 'High-level topic; null without text'),
    text('mid_topics', 'Mid-level topics, separated by |; null for none'),
    integer(
      'features_version',
      'Version of the rules for sentiment and topics; the newest version of a message counts',
      { required: true },
    ),
    integer('copies', 'How often one delivery contains it: people do write the same text twice in a minute', {
      required: true,
      computed: '1',
    }),
  ],
  subject: ['channel', 'protocol'],
  maxAgeSeconds: 2 * DAY_S,
  completeness: [{ by: 'nothing', because: 'the completeness of messages cannot be known from the source' }],
  key: ['channel', 'protocol', 'message_key', 'features_version'],
  content: ['sent_at', 'content_hash'],
  time: 'sent_at',
  copies: 'copies',
  enrichment: messageFeatures,
  isPersonal: true,
  reach: 8 * 86_400,
  observations: { model: 'obs.social_message', time: 'sent_at' },
});
