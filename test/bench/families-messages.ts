// Messages for the families' benchmark, with the features that landing would have computed; how fast landing computes them is measured
// separately, over the sentences of the demo.

import { DAY_S } from '../../platform/base/time.ts';
import type { Delivery } from '../../jobs/define/source.ts';
import { socialDemoSources } from '../../jobs/sources/demo/social.ts';
import { social } from '../../jobs/families/social/domain.ts';
import { socialPolicy } from '../../jobs/families/social/policy.ts';
import { HIGH_LEVEL_TOPICS } from '../../schemas/social.ts';
import { type Family, FIRST_DAY } from './families-pipeline.ts';

const { channels, protocols } = socialPolicy.defaults;
const AUTHORS = 50_000;
const TOPICS = 60;

const oneOf = (names: readonly string[], location: string) =>
  `list_extract([${names.map((name) => `'${name}'`).join(', ')}], cast(1 + (${location}) % ${names.length} as integer))`;

/** One message in eight has no mid-level topic, and one in twenty no text. */
const messages = (day: number, rows: number) => `select ${oneOf(channels, 'i')} as channel, ${oneOf(
  protocols.map(({ protocol_id }) => protocol_id),
  `i // ${channels.length}`,
)} as protocol, md5(cast(i as varchar)) as message_key, md5(cast(draw % ${AUTHORS} as varchar)) as author_hash,
      md5(cast(draw as varchar)) as content_hash, draw % 20 > 0 as has_text,
      case when draw % 20 > 0 then round(draw % 20001 / 10000 - 1, 4) end as sentiment,
      case when draw % 20 > 0 then ${oneOf(HIGH_LEVEL_TOPICS, 'draw')} end as high_topic,
      case when draw % 20 > 0 and draw % 8 > 0 then concat('topic ', draw % ${TOPICS}, '|topic ', draw % 7 + ${TOPICS}) end as mid_topics,
      true as has_id, 1 as features_version, 1 as copies,
      ${FIRST_DAY + day * DAY_S} + cast(draw % 86400 as bigint) as sent_at
    from (select i, cast(hash(i) % 1000000007 as bigint) as draw from range(${day * 100_000_000}, ${day * 100_000_000 + rows}) r(i))`;

export const messageFamily: Family = {
  name: 'social',
  domain: social,
  table: 'social_message',
  rows: 'messages',
  day: (day, rows) => [['social_message', messages(day, rows)]],
  bare: `select channel, protocol, day, high_topic, count(*) as n, count(distinct author_hash) as users, sum(sentiment) as sentiment,
      count(*) filter (where sentiment >= 0.05) as positive, count(*) filter (where sentiment <= -0.05) as negative, count(distinct mid_topics) as topics
    from obs.social_message where sent_at >= @start and sent_at < @end group by channel, protocol, day, high_topic`,
};

/** At least this many messages of the demo, with their text. */
export function writtenMessages(atLeast: number): AsyncIterable<Delivery> {
  const startedAt = FIRST_DAY + 2 * DAY_S;
  const settings = { seed: 1, feeds: 0, days: 1, incidents: false, startedAt };
  // Every channel has one message in three of five hours.
  const anHour = Math.ceil(atLeast / 0.6 / 24 / channels.length / protocols.length);
  const [source] = socialDemoSources(settings, anHour);
  if (source === undefined) throw new Error('the demo has no messages');
  return source.deliveries({ from: startedAt - 2 * DAY_S, to: startedAt - DAY_S - 1 });
}
