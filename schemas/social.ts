// Social channels as published: the protocols followed and the record of each day (2.1, 2.2, 4.1-4.3; decisions 3, 4).
import { type Static, Strict, Type } from './define.ts';
import { dailySeries, number } from './series.ts';

/** High-level topics of 2.2. Every message has exactly one. */
export const HIGH_LEVEL_TOPICS = [
  'DeFi and Yield Farming',
  'Price and Market Discussions',
  'Technical Discussions and Support',
  'Community and Communication',
  'Other',
] as const;
export type HighLevelTopic = (typeof HIGH_LEVEL_TOPICS)[number];

export const TOPIC_LENGTH_MAX = 64;

const Count = (description: string) => Type.Integer({ minimum: 0, description });

export const SocialProtocolSchema = Strict({
  name: Type.String({ description: 'Display name', examples: ['Aave'] }),
  protocol_id: Type.String({ description: 'Path value of the social endpoints', examples: ['aave'] }),
});
export type SocialProtocolRow = Static<typeof SocialProtocolSchema>;

/** One UTC day of one protocol on one channel. A day without messages has no record. */
export const SocialScoreSchema = Strict({
  channel: Type.String({ description: 'Channel of the messages', examples: ['discord', 'reddit'] }),
  daily_message_count: Type.Number({
    minimum: 1,
    description:
      'Messages of people on the day; messages without text count only if `social.empty_messages` says so',
  }),
  number_of_unique_users: Type.Integer({
    minimum: 0,
    description: 'Distinct authors of these messages; deleted accounts are not counted',
  }),
  average_sentiment_score: Type.Number({
    minimum: -1,
    maximum: 1,
    description:
      'Mean of the compound sentiment of the messages, -1 to 1: VADER (as vaderSentiment 3.3.2) with additional crypto words, unless `social.crypto_words` is off',
  }),
  high_level_topic_frequency: Type.Array(
    Strict({ topic: Type.Enum([...HIGH_LEVEL_TOPICS]), frequency: Count('Messages with this topic') }),
    { description: 'Topics that occurred, most frequent first; every message has one' },
  ),
  mid_level_topic_based_sentiment_distribution: Type.Array(
    Strict({
      topic_name: Type.String({
        minLength: 1,
        maxLength: TOPIC_LENGTH_MAX,
        description: 'Free label from an open set',
      }),
      count: Count('Messages with this topic'),
      neutral_sentiment_count: Count('Messages that are neither positive nor negative'),
      positive_sentiment_count: Count('Messages with a sentiment of at least .05'),
      negative_sentiment_count: Count('Messages with a sentiment of at most -.05'),
    }),
    { description: 'Most frequent first; a message has any number of these topics, or none' },
  ),
  timestamp: Type.String({
    pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}$',
    description: '00:00 UTC of the day, `YYYY-MM-DDTHH:MM:SS`',
    examples: ['2026-01-31T00:00:00'],
  }),
});
export type SocialScore = Static<typeof SocialScoreSchema>;

export const SOCIAL_SERIES = dailySeries('social-scores', {
  messages: number(null, 'Messages'),
  users: number(null, 'Authors of these messages'),
  sentiment: number('-1 to 1', 'Mean sentiment'),
  positive: number(null, 'Positive messages'),
  negative: number(null, 'Negative messages'),
});
