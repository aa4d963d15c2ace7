// What is followed on social channels as tables, so that models read it like any other fact.
import { definePolicyTable } from '../define.ts';

export const socialPolicy = definePolicyTable({
  name: 'social_policy',
  columns: [
    { name: 'positive_from', type: 'DOUBLE' },
    { name: 'negative_to', type: 'DOUBLE' },
    { name: 'mid_topics_max', type: 'BIGINT' },
    { name: 'crypto_words', type: 'BOOLEAN' },
    { name: 'counts_empty', type: 'BOOLEAN' },
  ],
  rows: ({ social }) => [
    [
      social.positive_from,
      social.negative_to,
      social.mid_topics_max,
      social.crypto_words,
      social.empty_messages === 'neutral',
    ],
  ],
});

export const socialProtocolPolicy = definePolicyTable({
  name: 'social_protocol_policy',
  columns: [
    { name: 'channel', type: 'VARCHAR' },
    { name: 'protocol_id', type: 'VARCHAR' },
    { name: 'name', type: 'VARCHAR' },
  ],
  rows: ({ social }) =>
    [...new Set(social.channels)].flatMap((channel) =>
      social.protocols.map(({ protocol_id, name }) => [channel, protocol_id, name]),
    ),
});
