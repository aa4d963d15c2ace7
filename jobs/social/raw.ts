// The raw table of the social domain: messages of any channel, from any source. Of names and texts only the features computed by
// features.ts are stored.

import { defineRawTable } from '../define/raw-table.ts';
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
      description: 'Where it was written: discord, reddit',
    },
    {
      name: 'protocol',
      type: 'VARCHAR',
      required: true,
      lowercase: true,
      pattern: '[^\\s/|]{1,64}',
      description: 'Protocol it belongs to, as in the list of protocols',
    },
    {
      name: 'sent_at',
      type: 'BIGINT',
      required: true,
      min: 1,
      max: 253_402_300_799,
      description: 'When it was written, Unix seconds',
    },
    {
      name: 'message_key',
      type: 'VARCHAR',
      required: true,
      pattern: HASH,
      description: 'Keyed hash of its id, or of everything that is known of it',
    },
    { name: 'has_id', type: 'BOOLEAN', required: true, description: 'The source gave it an id' },
    {
      name: 'author_hash',
      type: 'VARCHAR',
      pattern: HASH,
      description: 'Keyed hash of channel and author; null where the account is gone',
    },
    {
      name: 'is_program',
      type: 'BOOLEAN',
      required: true,
      description: 'By its name the author is a program: a moderator or another bot',
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
      description: 'It holds more than a picture or white space, and was not taken away',
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
      description: 'VADER compound with its own list alone, -1 to 1; null without text',
    },
    { name: 'high_topic', type: 'VARCHAR', description: 'High-level topic; null without text' },
    {
      name: 'mid_topics',
      type: 'VARCHAR',
      description: 'Mid-level topics with | between them; null for none',
    },
    {
      name: 'features_version',
      type: 'BIGINT',
      required: true,
      description: 'Version of the rules behind sentiment and topics: of one message the newest counts',
    },
    {
      name: 'copies',
      type: 'BIGINT',
      required: true,
      computed: '1',
      description: 'How often one delivery says it: people do write the same twice in a minute',
    },
  ],
  subject: ['channel', 'protocol'],
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
