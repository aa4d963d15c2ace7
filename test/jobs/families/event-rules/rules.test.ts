// The published rules of event types are the policy in force, whatever configuration makes of it.
import { expect, test } from 'vitest';
import { eventRuleTable } from '../../../../jobs/families/event-rules/rules.ts';
import { DEFAULT_POLICY, loadPolicy, type Policy } from '../../../../jobs/policies.ts';
import { domains } from '../../../../jobs/registry.ts';
import { EVENT_TYPES } from '../../../../schemas/events.ts';

interface Rule {
  readonly type: string;
  readonly place: number;
  readonly role: string;
  readonly name: string;
  readonly value: number;
  readonly unit: string | null;
  readonly policy_version: string;
}

const rulesOf = (policy: Policy): Rule[] => eventRuleTable(domains).rows(policy) as unknown as Rule[];
const found = (rules: readonly Rule[], type: string, name: string) =>
  rules.find((rule) => rule.type === type && rule.name === name);

test('every event type has its rules in places of their own, a cooldown last', () => {
  const rules = rulesOf(DEFAULT_POLICY);
  for (const type of EVENT_TYPES) {
    const own = rules.filter((rule) => rule.type === type);
    expect(own.map(({ place }) => place)).toEqual(own.map((_, index) => index + 1));
    expect(own.filter(({ role }) => role === 'cooldown')).toEqual([own.at(-1)]);
    expect(new Set(own.map(({ name }) => name)).size).toBe(own.length);
  }
  expect(new Set(rules.map(({ type }) => type))).toEqual(new Set(EVENT_TYPES));
});

test('the threshold that a detector names is among the published ones', () => {
  const rules = rulesOf(DEFAULT_POLICY);
  for (const { type, threshold } of domains.flatMap(({ detectors }) => detectors)) {
    if (threshold !== undefined)
      expect(found(rules, type, threshold), `${type} ${threshold}`).toMatchObject({ role: 'threshold' });
  }
});

test('each value is the one that the policy has under that name, with its unit', () => {
  const rules = rulesOf(DEFAULT_POLICY);
  expect(found(rules, 'oracle.stale', 'oracle.stale_high_s')).toMatchObject({ value: 600, unit: 'seconds' });
  expect(found(rules, 'peg.depeg.start', 'peg.bands.nav.enter_bps')).toMatchObject({
    value: 150,
    unit: 'bps',
  });
  expect(found(rules, 'peg.depeg.start', 'peg.bands.nav.is_downside_only')).toMatchObject({
    value: 1,
    unit: 'flag',
  });
  expect(found(rules, 'peg.depeg.start', 'peg.immediate_multiple')).toMatchObject({ value: 2, unit: null });
  expect(found(rules, 'liquidity.utilization.spike', 'lending.utilization.spike_at')).toMatchObject({
    value: 0.95,
    unit: 'fraction',
  });
  expect(found(rules, 'mev.spike', 'storm.cooldown_s.mev.spike')).toMatchObject({
    value: 21_600,
    role: 'cooldown',
  });
  expect(found(rules, 'risk.factor.breach', 'yields.breach.warn')).toMatchObject({
    value: 10,
    unit: 'points',
  });
});

test('configuration shows: changed values, overrides of single assets and markets, and the version', () => {
  const policy = loadPolicy({
    oracle: { grace_s: 7 },
    peg: { assets: [{ symbol: 'DAI', quote: 'USD', enter_bps: 321 }] },
    lending: { markets: [{ chain: 'base', market_id: '0xabc', spike_at: 0.99 }] },
    storm: { cooldown_s: { 'oracle.stale': 60 } },
  });
  const rules = rulesOf(policy);
  expect(found(rules, 'oracle.stale', 'oracle.grace_s')?.value).toBe(7);
  expect(found(rules, 'peg.depeg.start', 'peg.assets.DAI-USD.enter_bps')).toMatchObject({
    value: 321,
    unit: 'bps',
  });
  expect(found(rules, 'liquidity.utilization.spike', 'lending.markets.base-0xabc.spike_at')).toMatchObject({
    value: 0.99,
    unit: 'fraction',
  });
  expect(found(rules, 'oracle.stale', 'storm.cooldown_s.oracle.stale')?.value).toBe(60);
  expect(new Set(rules.map(({ policy_version }) => policy_version))).toEqual(
    new Set([policy.policy_version]),
  );
  expect(policy.policy_version).toMatch(/^1\.0\.0\+/);
});
