import { expect, test } from 'vitest';
import { changedSection } from '../../../jobs/commands/policy-changes.ts';
import { settableNames } from '../../../jobs/families/event-rules/rules.ts';
import { oracleDetectors } from '../../../jobs/families/oracles/domain.ts';
import { DEFAULT_POLICY, loadPolicy } from '../../../jobs/policies.ts';

const none = { type: 'regime.shift', path: null, names: [] };
const change = (name: string, value: string) => ({ name, value });

test('a change overrides the section of the configuration file and leaves the rest of it unchanged', () => {
  const section = { oracle: { grace_s: 10 }, peg: { confirm_observations: 3 } };
  expect(
    changedSection(
      section,
      [change('oracle.stale_high_s', '700'), change('peg.confirm_observations', '5')],
      none,
    ),
  ).toEqual({ oracle: { grace_s: 10, stale_high_s: 700 }, peg: { confirm_observations: 5 } });
  expect(section.peg.confirm_observations).toBe(3);
});

test('the name threshold means the threshold of the type, and is an error for a type without one', () => {
  const large = { type: 'mev.sandwich.large', path: 'mev.sandwich_large_usd', names: [] };
  expect(changedSection(undefined, [change('threshold', '5')], large)).toEqual({
    mev: { sandwich_large_usd: 5 },
  });
  expect(() => changedSection(undefined, [change('threshold', '5')], none)).toThrow(
    'regime.shift has no single threshold, and no policy value of its own.',
  );
});

test('the cooldown of an event type is a single value, although its name contains dots', () => {
  const section = changedSection(undefined, [change('storm.cooldown_s.risk.anomaly', '0')], none);
  expect(section).toEqual({ storm: { cooldown_s: { 'risk.anomaly': 0 } } });
  expect(loadPolicy(section).storm.cooldown_s).toMatchObject({ 'risk.anomaly': 0, 'mev.spike': 21_600 });
});

test('a value is JSON, or else plain text; a value that the policy does not accept is rejected with its path', () => {
  expect(changedSection({}, [change('a.b', '[1]'), change('a.c', 'word')], none)).toEqual({
    a: { b: [1], c: 'word' },
  });
  expect(() => loadPolicy(changedSection({}, [change('anomaly.tvl_chnage', '1')], none))).toThrow(
    'tvl_change',
  );
  expect(() => loadPolicy(changedSection({}, [change('anomaly.tvl_change', 'much')], none))).toThrow(
    'policy.anomaly.tvl_change',
  );
});

test('for a type with several thresholds, the error names the values that can be set', () => {
  const detector = oracleDetectors.find(({ type }) => type === 'peg.depeg.start');
  if (detector === undefined) throw new Error('there is no detector of depegs');
  const names = settableNames(detector, DEFAULT_POLICY);
  const attempt = () =>
    changedSection(undefined, [change('threshold', '80')], { type: detector.type, path: null, names });
  expect(attempt).toThrow(
    /^--set threshold: peg.depeg.start has no single threshold; name one of its values, for example --set (peg\.[a-z_.]+)=80:/,
  );
  expect(attempt).toThrow('\n  peg.bands.fiat_usd.enter_bps\n');
  expect(names.length).toBeGreaterThan(10);
  for (const name of names) {
    const before = name
      .split('.')
      .reduce<unknown>((value, step) => (value as Record<string, unknown>)[step], DEFAULT_POLICY);
    const section = changedSection(undefined, [change(name, JSON.stringify(before))], none);
    expect(() => loadPolicy(section), name).not.toThrow();
  }
});
