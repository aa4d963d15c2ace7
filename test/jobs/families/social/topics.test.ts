import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TOPIC_SEPARATOR, topicsOf } from '../../../../jobs/families/social/topics.ts';
import { HIGH_LEVEL_TOPICS, TOPIC_LENGTH_MAX } from '../../../../schemas/social.ts';
import { anyCharacter } from '../../../support/any-character.ts';

test.each([
  ['what APY does the liquidity pool give', 'DeFi and Yield Farming'],
  ['price looks bullish, buying the dip', 'Price and Market Discussions'],
  ['my transaction is stuck and metamask shows an error', 'Technical Discussions and Support'],
  ['gm everyone, the community call is on Discord', 'Community and Communication'],
  ['blue is my favourite colour', 'Other'],
  ['', 'Other'],
])('%s: %s', (text, topic) => {
  expect(topicsOf(text).high).toBe(topic);
});

test('of equal topics the first of the list is taken, however the words stand', () => {
  expect(topicsOf('collateral price').high).toBe(HIGH_LEVEL_TOPICS[0]);
  expect(topicsOf('price collateral').high).toBe(HIGH_LEVEL_TOPICS[0]);
});

test('mid-level topics are named once each, in order', () => {
  expect(topicsOf('vote! Voting on the proposal, quorum reached, GAS FEES are high').mid).toEqual([
    'gas fees',
    'governance proposals',
    'voting',
  ]);
});

test('the set is open: cash tags and hash tags name topics of their own', () => {
  expect(topicsOf('$aave and #Bankless, not $100, #3, $5M or #x').mid).toEqual(['#bankless', '$AAVE']);
});

test('what stands in an address is no topic', () => {
  expect(topicsOf('see https://docs.example.org/wallet#staking now').mid).toEqual([]);
});

test('a long tag is cut to the length of a topic, between characters', () => {
  const [topic = ''] = topicsOf(`#${'𝒳'.repeat(200)}`).mid;
  expect([...topic]).toHaveLength(TOPIC_LENGTH_MAX);
});

test('any text gives a known high-level topic and distinct names', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter, maxLength: 200 }), (text) => {
      const { high, mid } = topicsOf(text);
      expect(HIGH_LEVEL_TOPICS).toContain(high);
      expect(new Set(mid).size).toBe(mid.length);
      for (const name of mid) {
        expect(name).not.toContain(TOPIC_SEPARATOR);
        expect(name).not.toBe('');
        expect([...name].length).toBeLessThanOrEqual(TOPIC_LENGTH_MAX);
      }
    }),
    { seed: 4, numRuns: 500 },
  );
});
