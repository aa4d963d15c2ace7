// The social domain: messages about protocols, and their sentiment.

import { DAY_S } from '../../../platform/base/time.ts';
import { SOCIAL_SERIES, SocialProtocolSchema, SocialScoreSchema } from '../../../schemas/social.ts';
import { dailySeries, defineDataset } from '../../define/dataset.ts';
import { defineDomain } from '../../define/domain.ts';
import { socialDemoSources } from '../../sources/demo/social.ts';
import { socialPolicy } from './policy.ts';
import { socialMessage } from './raw.ts';

// The published data of social channels: the protocols that have records, and the last seven days of each protocol on each channel.

export const socialProtocols = defineDataset({
  id: 'social-protocols',
  title: 'Protocols with records on each social channel',
  table: 'out.social_protocol',
  key: ['channel'],
  separator: '/',
  shape: 'list',
  order: 'protocol_id',
  subject: { columns: { channel: 'channel', protocol: 'protocol_id' } },
  row: SocialProtocolSchema,
  updateCadenceSeconds: DAY_S,
});

export const socialScores = defineDataset({
  id: 'social-scores',
  title: 'Messages, sentiment and topics of each protocol on the last seven days',
  table: 'out.social_score',
  key: ['channel', 'protocol'],
  separator: '/',
  shape: 'list',
  order: 'day desc',
  subject: { columns: { channel: 'channel', protocol: 'protocol' } },
  day: 'day',
  row: SocialScoreSchema,
  updateCadenceSeconds: DAY_S,
  series: dailySeries({
    definition: SOCIAL_SERIES,
    table: 'derived.social_day',
    key: ['channel', 'protocol'],
    values: { sentiment: 'round(cast(sentiment_sum as double) / messages, 6)' },
  }),
});

export const social = defineDomain({
  id: 'social',
  title: 'Social',
  folder: new URL('./', import.meta.url),
  raw: [socialMessage],
  policy: [socialPolicy],
  datasets: [socialProtocols, socialScores],
  detectors: [],
  demo: socialDemoSources,
});
