import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ColumnsDelivery } from '../../../../jobs/define/source.ts';
import { socialScores } from '../../../../jobs/families/social/domain.ts';
import { socialPolicy } from '../../../../jobs/families/social/policy.ts';
import { socialDemoSources } from '../../../../jobs/sources/demo/social.ts';
import type { DomainWorld } from '../../../support/domain-world.ts';
import { computeDays, DAY, NOW, openSocialWorld, TODAY } from './social-world.ts';

const SETTINGS = { seed: 1, feeds: 40, days: 30, incidents: true, startedAt: NOW };

async function deliveries(from: number, to: number, seed = 1): Promise<ColumnsDelivery[]> {
  const found: ColumnsDelivery[] = [];
  for (const source of socialDemoSources({ ...SETTINGS, seed })) {
    expect(source.facts.kind).toBe('simulated');
    for await (const delivery of source.deliveries({ from, to })) found.push(delivery as ColumnsDelivery);
  }
  return found;
}

async function rows(from: number, to: number, seed = 1): Promise<string[]> {
  return (await deliveries(from, to, seed)).flatMap(({ count, columns }) =>
    Array.from({ length: count }, (_, index) =>
      JSON.stringify(Object.values(columns).map((values) => values[index])),
    ),
  );
}

test('any cut of time gives the same messages', async () => {
  const whole = await rows(0, NOW);
  const cuts = [0, NOW - 5 * DAY, NOW - 5 * DAY + 1, NOW - 4_000, NOW - 300, NOW];
  const pieces = [];
  for (const [index, to] of cuts.slice(1).entries()) pieces.push(...(await rows(cuts[index] ?? 0, to)));
  expect(pieces.toSorted()).toEqual(whole.toSorted());
  expect(new Set(whole).size).toBe(whole.length);
  expect(await rows(0, NOW)).toEqual(whole);
});

test('another seed is another world, and time goes on', async () => {
  expect(await rows(0, NOW, 2)).not.toEqual(await rows(0, NOW));
  expect((await rows(NOW, NOW + DAY)).length).toBeGreaterThan(500);
});

describe('the demo world as published', () => {
  let world: DomainWorld;
  beforeAll(async () => {
    world = await openSocialWorld();
    for (const delivery of await deliveries(0, NOW)) {
      const receipt = await world.land('social_message', delivery, NOW);
      expect(receipt).toMatchObject({ rows_quarantined: 0, rows_deduplicated: 0 });
    }
    await computeDays(world, TODAY - 8 * DAY);
  }, 60_000);
  afterAll(() => world.close());

  test('has a full week of every protocol that the list names, on every channel', async () => {
    const { documents, unfit } = await world.documents(socialScores);
    expect(unfit).toEqual([]);
    const { channels, protocols } = socialPolicy.defaults;
    const keys = channels.flatMap((channel) =>
      protocols.map(({ protocol_id }) => `${channel}/${protocol_id}`),
    );
    expect(documents.map(({ key }) => key).toSorted()).toEqual(keys.toSorted());
    for (const { value } of documents) expect(value).toHaveLength(7);
  });

  test('knows every class and every high-level topic', async () => {
    const [row] = await world.rows(
      "select min(positive) as positive, min(negative) as negative, (select count(distinct topic) from derived.social_topic_day where level = 'high') as topics from (select sum(positive) as positive, sum(negative) as negative from derived.social_day group by protocol)",
    );
    expect(Number(row?.['positive'])).toBeGreaterThan(0);
    expect(Number(row?.['negative'])).toBeGreaterThan(0);
    expect(row?.['topics']).toBe(5);
  });
});
