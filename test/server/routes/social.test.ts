import { afterEach, beforeEach, expect, test } from 'vitest';
import { expectNoLegacyData } from '../legacy-body.ts';
import { AS_OF_MS, DAY_MS, datasetOf, ServerFixture } from '../server-fixture.ts';

let fixture: ServerFixture;
beforeEach(async () => {
  fixture = await ServerFixture.create();
});
afterEach(() => fixture.remove());

const record = (channel: string, back: number) => ({
  channel,
  daily_message_count: 2,
  number_of_unique_users: 1,
  average_sentiment_score: -0.25,
  high_level_topic_frequency: [{ topic: 'Other', frequency: 2 }],
  mid_level_topic_based_sentiment_distribution: [
    {
      topic_name: '$AAVE',
      count: 1,
      neutral_sentiment_count: 0,
      positive_sentiment_count: 0,
      negative_sentiment_count: 1,
    },
  ],
  timestamp: `${new Date(AS_OF_MS - back * DAY_MS).toISOString().slice(0, 10)}T00:00:00`,
});
const week = (channel: string) => [0, 1, 2, 3, 4, 5, 6].map((back) => record(channel, back));
const LIST = [
  { name: 'Aave', protocol_id: 'aave' },
  { name: 'Aragon', protocol_id: 'aragon' },
];

async function get(path: string): Promise<Response> {
  await fixture.publish([
    datasetOf('social-protocols', [
      { key: 'discord', value: LIST },
      { key: 'reddit', value: LIST },
    ]),
    datasetOf('social-scores', [
      { key: 'discord/aave', value: week('discord') },
      { key: 'reddit/aave', value: week('reddit') },
    ]),
  ]);
  return fetch(`${(await fixture.serve()).url}${path}`);
}

test.each(['discord', 'reddit'])(
  'the protocols of %s are returned in the legacy envelope',
  async (channel) => {
    const answer = await get(`/scores/social/protocols/${channel}`);
    expect(answer.status).toBe(200);
    expect(await answer.json()).toEqual({ status: true, data: LIST });
  },
);

test.each(['discord', 'reddit'])('the week of a protocol on %s, newest first', async (channel) => {
  const answer = await get(`/scores/social/${channel}/aave`);
  expect(answer.status).toBe(200);
  expect(await answer.json()).toEqual({ status: true, data: week(channel) });
});

test.each([
  'protocols/telegram',
  'protocols/DISCORD',
  'protocols/__proto__',
  'protocols/discord%2Faave',
  'discord/aragon',
  'discord/AAVE',
  'discord/aave.',
  'discord/aave%2F..',
  'discord/..%2Freddit%2Faave',
  'discord/reddit%2Faave',
  'discord/constructor',
  'discord/aave%00',
  'reddit/unknown',
])('%s is not found, with the legacy body', async (path) => {
  await expectNoLegacyData(await get(`/scores/social/${path}`));
});

test.each(['telegram/aave', 'discord', 'discord/aave/', 'discord/aave/more'])(
  '%s is not an endpoint, and nothing breaks',
  async (path) => {
    expect((await get(`/scores/social/${path}`)).status).toBe(404);
  },
);
