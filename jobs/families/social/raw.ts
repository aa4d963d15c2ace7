// The raw table of the social domain: messages of any channel, from any source. Instead of names and texts, only the features that
// features.ts computes from them are stored.

import { DAY_S } from '../../../platform/base/time.ts';
import { defineRawTable } from '../../define/raw-table.ts';
import { messageFeatures } from './features.ts';

const HASH = '[0-9a-f]{32}';

export const socialMessage = defineRawTable({
  name: 'social_message',
  description: 'One message on one channel of one protocol',
  fields: [
    {
      name: 'channel',
      type: 'VARCHAR',
      required: true,
      lowercase: true,
      pattern: '[a-z0-9_-]{1,64}',
      description: 'Channel of the message: discord, reddit',
    },
    {
      name: 'protocol',
      type: 'VARCHAR',
      required: true,
      lowercase: true,
      pattern: '[^\\s/|]{1,64}',
      description: 'Protocol that the message belongs to, as in the list of protocols',
    },
    {
      name: 'sent_at',
      type: 'BIGINT',
      required: true,
      min: 1,
      max: 253_402_300_799,
      description: 'Time of the message, Unix seconds',
    },
    {
      name: 'message_key',
      type: 'VARCHAR',
      required: true,
      pattern: HASH,
      description: 'Keyed hash of the message’s id or, without one, of everything known about it',
    },
    { name: 'has_id', type: 'BOOLEAN', required: true, description: 'The source gave the message an id' },
    {
      name: 'author_hash',
      type: 'VARCHAR',
      pattern: HASH,
      description: 'Keyed hash of channel and author; null if the account was deleted',
    },
    {
      name: 'is_program',
      type: 'BOOLEAN',
      required: true,
      description: 'The author’s name marks a program: a moderator or another bot',
    },
    {
      name: 'content_hash',
      type: 'VARCHAR',
      required: true,
      pattern: HASH,
      description: 'Keyed hash of the text',
    },
    {
      name: 'has_text',
      type: 'BOOLEAN',
      required: true,
      description: 'The message has text other than white space and was not removed',
    },
    {
      name: 'sentiment',
      type: 'DOUBLE',
      min: -1,
      max: 1,
      description: 'VADER compound with our word list, -1 to 1; null without text',
    },
    {
      name: 'plain_sentiment',
      type: 'DOUBLE',
      min: -1,
      max: 1,
      description: 'VADER compound with VADER’s own list only, -1 to 1; null without text',
    },
    { name: 'high_topic', type: 'VARCHAR', description: 'High-level topic; null without text' },
    {
      name: 'mid_topics',
      type: 'VARCHAR',
      description: 'Mid-level topics, separated by |; null for none',
    },
    {
      name: 'features_version',
      type: 'BIGINT',
      required: true,
      description: 'Version of the rules for sentiment and topics; the newest version of a message counts',
    },
    {
      name: 'copies',
      type: 'BIGINT',
      required: true,
      computed: '1',
      description: 'How often one delivery contains it: people do write the same text twice in a minute',
    },
  ],
  subject: ['channel', 'protocol'],
  maxAgeSeconds: 2 * DAY_S,
  completeness: [{ by: 'nothing', because: 'the completeness of messages cannot be known from the source' }],
  key: ['channel', 'protocol', 'message_key', 'features_version'],
  content: ['content_hash'],
  time: 'sent_at',
  copies: 'copies',
  enrichment: messageFeatures,
  isPersonal: true,
  reach: 8 * 86_400,
  kept: { model: 'obs.social_message', time: 'sent_at' },
});
