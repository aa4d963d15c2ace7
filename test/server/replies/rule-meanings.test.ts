// Every rule that a detector publishes has a meaning in words.
import { expect, test } from 'vitest';
import { eventRuleTable } from '../../../jobs/families/event-rules/rules.ts';
import { DEFAULT_POLICY } from '../../../jobs/policies.ts';
import { domains } from '../../../jobs/registry.ts';
import { meaningOf, rulesWithMeaning } from '../../../server/replies/rule-meanings.ts';

const names = eventRuleTable(domains)
  .rows(DEFAULT_POLICY)
  .map(({ name }) => String(name));

test('every rule of the default policy has a meaning', () => {
  expect(names.length).toBeGreaterThan(100);
  expect(names.filter((name) => meaningOf(name) === null)).toEqual([]);
  expect(meaningOf('unheard_of')).toBeNull();
});

test('the heartbeat is among the rules of a stale feed only, and only if it and rules are known', () => {
  const rule = {
    type: 'oracle.stale',
    place: 1,
    role: 'threshold',
    name: 'oracle.grace_s',
    value: 60,
  } as const;
  const rules = [{ ...rule, unit: 'seconds', policy_version: '1.0.0' }];
  const event = {
    event_id: 'a',
    type: 'oracle.stale',
    subject_id: 'b',
    ts: '2026-01-31T09:00:00Z',
    data: {},
    meta: { _agentic: { freshness: { status: 'fresh' as const } } },
  };
  const namesOf = (type: string, heartbeat_s: number | null, known = rules) =>
    rulesWithMeaning(known, { event: { ...event, type }, heartbeat_s }).map(({ name }) => name);
  expect(namesOf('oracle.stale', 3_600)).toEqual(['feeds.heartbeat_s', 'oracle.grace_s']);
  expect(namesOf('oracle.stale', null)).toEqual(['oracle.grace_s']);
  expect(namesOf('oracle.feed.invalid', 3_600)).toEqual(['oracle.grace_s']);
  expect(namesOf('oracle.stale', 3_600, [])).toEqual([]);
});
