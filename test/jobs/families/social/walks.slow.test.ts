// Random messages through landing and models against a count in plain loops, whatever the cut of time and the order of delivery.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { socialScores } from '../../../../jobs/families/social/domain.ts';
import { topicsOf } from '../../../../jobs/families/social/topics.ts';
import { compound } from '../../../../jobs/families/social/vader.ts';
import { CRYPTO_LIST } from '../../../../jobs/families/social/word-list.ts';
import type { SocialScore } from '../../../../schemas/social.ts';
import { computeDays, DAY, type MessageRow, messages, NOW, openSocialWorld, TODAY } from './social-world.ts';

const TEXTS = [
  'gm',
  'rekt',
  'so bullish on $AAVE',
  'vote on the proposal',
  'blue',
  '',
  'APY of the pool, stuck gas fees',
];
const FIRST = TODAY - 8 * DAY;

type Message = Required<Pick<MessageRow, 'sent_at' | 'author' | 'text' | 'message_id'>>;

const message = fc.record({
  sent_at: fc.integer({ min: FIRST, max: NOW }),
  author: fc.constantFrom('a', 'b', 'c'),
  text: fc.constantFrom(...TEXTS),
  message_id: fc.uuid(),
});

function expected(all: readonly Message[]): SocialScore[] {
  const week: SocialScore[] = [];
  const ofDay = (day: number) =>
    all.filter(({ sent_at, text }) => sent_at >= day && sent_at < day + DAY && text !== '');
  const newest = ofDay(TODAY).length > 0 ? TODAY : TODAY - DAY;
  for (let day = newest; day > newest - 7 * DAY; day -= DAY) {
    const of = ofDay(day);
    if (of.length > 0) week.push(recordOf(day, of));
  }
  return week;
}

function recordOf(day: number, of: readonly Message[]): SocialScore {
  const high = new Map<string, number>();
  const mid = new Map<string, [count: number, positive: number, negative: number]>();
  let sum = 0;
  for (const { text } of of) {
    const score = compound(text ?? '', CRYPTO_LIST);
    const topics = topicsOf(text ?? '');
    sum += score;
    high.set(topics.high, (high.get(topics.high) ?? 0) + 1);
    for (const name of topics.mid) {
      const [count, positive, negative] = mid.get(name) ?? [0, 0, 0];
      mid.set(name, [count + 1, positive + (score >= 0.05 ? 1 : 0), negative + (score <= -0.05 ? 1 : 0)]);
    }
  }
  const byCount = (a: readonly [string, number], b: readonly [string, number]) =>
    b[1] - a[1] || (a[0] < b[0] ? -1 : 1);
  return {
    channel: 'discord',
    daily_message_count: of.length,
    number_of_unique_users: new Set(of.map(({ author }) => author)).size,
    average_sentiment_score: expect.closeTo(sum / of.length, 5) as number,
    high_level_topic_frequency: [...high]
      .sort(byCount)
      .map(([topic, frequency]) => ({ topic, frequency })) as SocialScore['high_level_topic_frequency'],
    mid_level_topic_based_sentiment_distribution: [...mid]
      .sort(([a, [x]], [b, [y]]) => byCount([a, x], [b, y]))
      .map(([topic_name, [count, positive, negative]]) => ({
        topic_name,
        count,
        neutral_sentiment_count: count - positive - negative,
        positive_sentiment_count: positive,
        negative_sentiment_count: negative,
      })),
    timestamp: new Date(day * 1000).toISOString().slice(0, 19),
  };
}

test('the week is the same, counted by hand, in one delivery or in shuffled ones that overlap', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(message, { minLength: 1, maxLength: 60 }), fc.nat(), async (all, cut) => {
      const world = await openSocialWorld();
      try {
        const at = cut % all.length;
        await world.land('social_message', messages(all.slice(at).toReversed()));
        await world.land('social_message', messages(all.slice(0, at + 1)));
        await computeDays(world, FIRST);
        expect((await world.document(socialScores, 'discord/aave')) ?? []).toEqual(expected(all));
      } finally {
        await world.close();
      }
    }),
    { numRuns: 8, seed: 4 },
  );
}, 120_000);
