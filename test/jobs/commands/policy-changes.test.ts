import { expect, test } from 'vitest';
import { changedSection } from '../../../jobs/commands/policy-changes.ts';
import { loadPolicy } from '../../../jobs/policies.ts';

const change = (name: string, value: string) => ({ name, value });

test('a change overrides the section of the configuration file and leaves the rest of it unchanged', () => {
  const section = { oracle: { grace_s: 10 }, peg: { confirm_observations: 3 } };
  expect(
    changedSection(
      section,
      [change('oracle.stale_high_s', '700'), change('peg.confirm_observations', '5')],
      null,
    ),
  ).toEqual({ oracle: { grace_s: 10, stale_high_s: 700 }, peg: { confirm_observations: 5 } });
  expect(section.peg.confirm_observations).toBe(3);
});

test('the name threshold means the threshold of the type, and is an error for a type without one', () => {
  expect(changedSection(undefined, [change('threshold', '5')], 'mev.sandwich_large_usd')).toEqual({
    mev: { sandwich_large_usd: 5 },
  });
  expect(() => changedSection(undefined, [change('threshold', '5')], null)).toThrow(
    'has no single threshold',
  );
});

test('the cooldown of an event type is a single value, although its name contains dots', () => {
  const section = changedSection(undefined, [change('storm.cooldown_s.risk.anomaly', '0')], null);
  expect(section).toEqual({ storm: { cooldown_s: { 'risk.anomaly': 0 } } });
  expect(loadPolicy(section).storm.cooldown_s).toMatchObject({ 'risk.anomaly': 0, 'mev.spike': 21_600 });
});

test('a value is JSON, or else plain text; a value that the policy does not accept is rejected with its path', () => {
  expect(changedSection({}, [change('a.b', '[1]'), change('a.c', 'word')], null)).toEqual({
    a: { b: [1], c: 'word' },
  });
  expect(() => loadPolicy(changedSection({}, [change('anomaly.tvl_chnage', '1')], null))).toThrow(
    'tvl_change',
  );
  expect(() => loadPolicy(changedSection({}, [change('anomaly.tvl_change', 'much')], null))).toThrow(
    'policy.anomaly.tvl_change',
  );
});
