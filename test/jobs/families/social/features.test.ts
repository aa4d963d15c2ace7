import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { socialProtocols, socialScores } from '../../../../jobs/families/social/domain.ts';
import { FEATURES_VERSION, messageFeatures } from '../../../../jobs/families/social/features.ts';
import { socialMessage } from '../../../../jobs/families/social/raw.ts';
import { DEFAULT_POLICY } from '../../../../jobs/policies.ts';
import type { SocialProtocolRow, SocialScore } from '../../../../schemas/social.ts';
import type { DomainWorld } from '../../../support/domain-world.ts';
import { computeDays, DAY, messages, NOW, openSocialWorld, TODAY } from './social-world.ts';

let world: DomainWorld;
beforeEach(async () => {
  world = await openSocialWorld();
});
afterEach(() => world.close());

const key = (fill: number) => new Uint8Array(32).fill(fill);
const fill = (row: { readonly [field: string]: string | number | null }, secret = key(1)) => {
  const columns = Object.entries({
    channel: 'discord',
    protocol: 'aave',
    sent_at: TODAY,
    author: 'alice',
    text: 'gm',
    ...row,
  });
  const filled = messageFeatures.fill(
    { count: 1, columns: Object.fromEntries(columns.map(([name, value]) => [name, [value]])) },
    secret,
  );
  return Object.fromEntries(Object.entries(filled).map(([name, values]) => [name, values[0]]));
};

describe('what is kept of a message', () => {
  test('is neither its text nor its author', async () => {
    await world.land('social_message', messages([{ author: 'Zaphod#4242', text: 'heartofgold is bullish' }]));
    const [row] = await world.rows('select * from obs.social_message');
    expect(JSON.stringify(row)).not.toMatch(/zaphod|4242|heartofgold/i);
    expect(row).toMatchObject({ has_text: true, sentiment: 0.5574, features_version: FEATURES_VERSION });
  });

  test('no landed table has a column for a text or a name', () => {
    expect(socialMessage.fields.map(({ name }) => name)).not.toEqual(
      expect.arrayContaining(messageFeatures.takes.map(({ name }) => name)),
    );
  });

  test('depends on the key: without it names cannot be tried', () => {
    for (const name of ['author_hash', 'content_hash', 'message_key'])
      expect(fill({}, key(1))[name]).not.toBe(fill({}, key(2))[name]);
    expect(fill({}, key(1))).toEqual(fill({}, key(1)));
  });

  test('an author has one hash on a channel and another on the next', () => {
    expect(fill({ text: 'a' })['author_hash']).toBe(fill({ text: 'b', protocol: 'aragon' })['author_hash']);
    expect(fill({})['author_hash']).not.toBe(fill({ channel: 'reddit' })['author_hash']);
    expect(fill({ author: 'bob' })['author_hash']).not.toBe(fill({})['author_hash']);
  });

  test('a message without text has neither sentiment nor topic: null, not 0', () => {
    for (const text of [null, '', ' \n\t'])
      expect(fill({ text })).toMatchObject({
        has_text: false,
        sentiment: null,
        high_topic: null,
        mid_topics: null,
      });
    expect(fill({ text: 'blue' })).toMatchObject({ has_text: true, sentiment: 0, high_topic: 'Other' });
  });

  test('a row depends on itself alone, wherever it stands in a batch', () => {
    const rows = ['gm', 'rekt', null, 'gm'];
    const constant = (value: string | number) => rows.map(() => value);
    const batch = {
      count: rows.length,
      columns: {
        channel: constant('discord'),
        protocol: constant('aave'),
        sent_at: constant(TODAY),
        author: constant('alice'),
        text: rows,
      },
    };
    const together = messageFeatures.fill(batch, key(1));
    for (const [index, text] of rows.entries()) {
      const alone = fill({ text });
      for (const name of messageFeatures.fills) expect(together[name]?.[index]).toEqual(alone[name]);
    }
  });
});

describe('the same message again', () => {
  test('with an id counts once, whatever the delivery; changed text under one id is put aside by name', async () => {
    const row = { message_id: '77', text: 'gm' };
    const first = await world.land('social_message', messages([row, row]));
    expect(first).toMatchObject({ rows_in: 2, rows_landed: 1, rows_deduplicated: 1 });
    const again = await world.land('social_message', messages([row, { message_id: '78' }]));
    expect(again).toMatchObject({ rows_landed: 1, rows_deduplicated: 1 });
    const edited = await world.land('social_message', messages([{ ...row, text: 'gn' }]));
    expect(edited).toMatchObject({
      rows_quarantined: 1,
      reasons: { 'record: its key was kept before with other content': 1 },
    });
    await computeDays(world, TODAY);
    expect(await world.rows('select messages from derived.social_day')).toEqual([{ messages: 2 }]);
  });

  test('without an id counts as often as one delivery says it, and not again in the next', async () => {
    await world.land(
      'social_message',
      messages([{ text: 'gm' }, { text: 'gm' }, { text: 'gm ' }, { text: 'gn' }]),
    );
    await world.land('social_message', messages([{ text: 'gm' }, { text: 'new' }]));
    await computeDays(world, TODAY);
    expect(await world.rows('select messages from derived.social_day')).toEqual([{ messages: 5 }]);
  });
});

const TWO_DAYS = [
  { sent_at: TODAY, author: 'alice', text: 'gm, so bullish on $AAVE' },
  { sent_at: TODAY + 5, author: 'bob', text: 'got rekt, liquidated on borrowed ETH' },
  { sent_at: TODAY + 9, author: 'bob', text: 'what is the collateral factor' },
  { sent_at: TODAY + 9, author: 'carol', text: '' },
  { sent_at: TODAY - 1, author: 'carol', text: 'hello' },
];

describe('what is published', () => {
  test('the record of a day in its exact form', async () => {
    await world.land('social_message', messages(TWO_DAYS));
    await computeDays(world, TODAY - DAY);
    expect(await world.document(socialScores, 'discord/aave')).toEqual([
      {
        channel: 'discord',
        daily_message_count: 3,
        number_of_unique_users: 2,
        average_sentiment_score: -0.0128,
        high_level_topic_frequency: [
          { topic: 'DeFi and Yield Farming', frequency: 2 },
          { topic: 'Price and Market Discussions', frequency: 1 },
        ],
        mid_level_topic_based_sentiment_distribution: [
          topic('$AAVE', 1, 0, 1, 0),
          topic('borrowing', 1, 0, 0, 1),
          topic('greetings', 1, 0, 1, 0),
          topic('liquidations', 1, 0, 0, 1),
        ],
        timestamp: '2026-07-01T00:00:00',
      },
      {
        channel: 'discord',
        daily_message_count: 1,
        number_of_unique_users: 1,
        average_sentiment_score: 0,
        high_level_topic_frequency: [{ topic: 'Community and Communication', frequency: 1 }],
        mid_level_topic_based_sentiment_distribution: [topic('greetings', 1, 1, 0, 0)],
        timestamp: '2026-06-30T00:00:00',
      },
    ]);
  });

  test('an account that is gone is no user, a program writes no messages, a text that was taken away is none', async () => {
    await world.land(
      'social_message',
      messages([
        { author: '[deleted]', text: 'so bullish' },
        { author: '[deleted]', text: 'hello' },
        { author: 'alice', text: 'hello' },
        { author: 'bob', text: '[removed]' },
        { author: 'AutoModerator', text: 'great post, this is a great community' },
      ]),
    );
    await computeDays(world, TODAY);
    const [today] = (await world.document(socialScores, 'discord/aave')) as unknown as readonly SocialScore[];
    expect(today).toMatchObject({ daily_message_count: 3, number_of_unique_users: 1 });
  });

  test('seven days at most, newest first, and none for a day without a word', async () => {
    const days = [0, 1, 3, 6, 7];
    await world.land('social_message', messages(days.map((back) => ({ sent_at: TODAY - back * DAY }))));
    await world.land('social_message', messages([{ sent_at: TODAY - 2 * DAY, text: '' }]));
    await computeDays(world, TODAY - 8 * DAY);
    const week = (await world.document(socialScores, 'discord/aave')) as unknown as SocialScore[];
    expect(week.map(({ timestamp }) => timestamp.slice(0, 10))).toEqual([
      '2026-07-01',
      '2026-06-30',
      '2026-06-28',
      '2026-06-25',
    ]);
  });

  test('the list is of the protocols with records, about thirty on either channel where all have some', async () => {
    const { channels, protocols } = DEFAULT_POLICY.social;
    const one = { channel: 'discord', protocol: 'aave', text: 'gm' };
    await world.land('social_message', messages([one]));
    await computeDays(world, TODAY);
    expect(await world.document(socialProtocols, 'discord')).toEqual([{ name: 'Aave', protocol_id: 'aave' }]);
    expect(await world.document(socialProtocols, 'reddit')).toBeNull();
    const all = channels.flatMap((channel) =>
      protocols.map(({ protocol_id: protocol }) => ({ channel, protocol, text: 'gm' })),
    );
    await world.land('social_message', messages(all));
    await computeDays(world, TODAY);
    for (const channel of ['discord', 'reddit']) {
      const list = (await world.document(socialProtocols, channel)) as unknown as SocialProtocolRow[];
      expect(list.length).toBeGreaterThanOrEqual(28);
      expect(list.length).toBeLessThanOrEqual(34);
      expect(list).toContainEqual({ name: 'Rocket Pool', protocol_id: 'rocketpool' });
      for (const { protocol_id } of list) expect(protocol_id).toMatch(/^[a-z0-9]+$/);
    }
  });

  test('a protocol or channel that is not followed is landed, named and not published', async () => {
    await world.land(
      'social_message',
      messages([
        { text: 'hello' },
        { protocol: 'UNFOLLOWED' },
        { channel: 'telegram' },
        { channel: 'telegram', text: 'b' },
      ]),
    );
    await computeDays(world, TODAY);
    expect(await world.document(socialScores, 'discord/unfollowed')).toBeNull();
    const findings = await world.audit({ start: TODAY, end: NOW + 1, now: NOW });
    expect(findings.map(({ verdict, rows }) => ({ verdict, rows }))).toEqual([
      {
        verdict: 'warn',
        rows: [
          { reason: 'unfollowed on discord: 1 messages, not followed', weight: 0.25 },
          { reason: 'aave on telegram: 2 messages, not followed', weight: 0.5 },
        ],
      },
    ]);
  });

  test('posts of a forum are published once the policy follows that channel', async () => {
    const followed = await openSocialWorld({ channels: ['discord', 'forum'] });
    try {
      await followed.land('social_message', messages([{ channel: 'forum' }]));
      await computeDays(followed, TODAY);
      expect(await followed.document(socialProtocols, 'forum')).toEqual([
        { name: 'Aave', protocol_id: 'aave' },
      ]);
      expect(await followed.document(socialScores, 'forum/aave')).toMatchObject([{ channel: 'forum' }]);
    } finally {
      await followed.close();
    }
  });

  test('a message that lost its topics fails an audit', async () => {
    await world.land('social_message', messages([{}]));
    await computeDays(world, TODAY);
    await world.rows('delete from derived.social_topic_day');
    const findings = await world.audit({ start: TODAY, end: NOW + 1, now: NOW });
    expect(findings.map(({ audit, verdict }) => `${audit} ${verdict}`)).toEqual([
      'derived.social_topic_day.audit fail',
    ]);
  });
});

const topic = (topic_name: string, count: number, neutral: number, positive: number, negative: number) => ({
  topic_name,
  count,
  neutral_sentiment_count: neutral,
  positive_sentiment_count: positive,
  negative_sentiment_count: negative,
});
