import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Condition } from '../../../schemas/conditions.ts';
import { SEVERITIES } from '../../../schemas/event.ts';
import { type ConditionsOfVersion, changesBetween } from '../../../server/replies/condition-changes.ts';

const FROM = 1_800_000_000;
const at = (second: number) => new Date(second * 1000).toISOString().replace('.000Z', 'Z');

const condition = (id: string, more: Partial<Condition> = {}): Condition => ({
  ...{ id, type: 'peg.depeg.start', severity: 'high', title: id, chain: 'one', protocol: null },
  ...{ subject_id: `peg:one:${id}`, subject_name: id, symbols: [id], since: at(FROM - 100) },
  ...{ measure: 'deviation', unit: 'bps', value_start: -100, value_worst: -100, worst_at: null },
  ...{ value_now: -100, now_at: null, rule: [], band_multiple: 1, reach: null, policy_version: '1' },
  ...{ event_key: 'k', event_id: null, evidence_url: null, series_url: null },
  ...more,
});

function version(
  conditions: readonly Condition[] | null,
  blind: readonly string[] = [],
): ConditionsOfVersion {
  return {
    conditions: conditions && new Map(conditions.map((one) => [one.id, one])),
    asOf: FROM,
    doubtOf: ({ symbols }) =>
      blind.includes(symbols[0] ?? '') ? { reason: 'no_row', dataset: 'pegs' } : undefined,
  };
}

const kindsOf = (before: Parameters<typeof version>, after: Parameters<typeof version>) =>
  Object.fromEntries(
    changesBetween(version(...before), version(...after)).changes.map(({ id, change }) => [id, change]),
  );

test('a condition that only the later version has opened, one that only the earlier has closed', () => {
  expect(kindsOf([[condition('a')]], [[condition('b')]])).toEqual({ a: 'closed', b: 'opened' });
  expect(kindsOf([[condition('a')]], [[condition('a')]])).toEqual({});
});

test('what a version cannot say is unknown, never closed and never opened', () => {
  const both: Parameters<typeof version>[] = [[[condition('a')]], [[condition('b')], ['a']]];
  expect(kindsOf(both[0] ?? [[]], both[1] ?? [[]])).toEqual({ a: 'unknown', b: 'opened' });
  expect(kindsOf([[condition('a')], ['b']], [[condition('b')]])).toEqual({ a: 'closed', b: 'unknown' });
  expect(kindsOf([[condition('a')]], [null])).toEqual({ a: 'unknown' });
  expect(kindsOf([null], [[condition('a')]])).toEqual({ a: 'unknown' });
});

test('what began after the earlier version opened, even if that version could not have said so', () => {
  const since = (second: number) => [[condition('a', { since: at(second) })]] as const;
  expect(kindsOf([null], [...since(FROM + 1)])).toEqual({ a: 'opened' });
  expect(kindsOf([null], [...since(FROM)])).toEqual({ a: 'unknown' });
  expect(kindsOf([null], [[condition('a', { since: null })]])).toEqual({ a: 'unknown' });
});

test('a rise of the severity or a new worst value worsens, a fall of the severity eases', () => {
  const pair = (before: Partial<Condition>, after: Partial<Condition>) =>
    kindsOf([[condition('a', before)]], [[condition('a', after)]])['a'];
  expect(pair({ severity: 'warn' }, { severity: 'high' })).toBe('worsened');
  expect(pair({ severity: 'high' }, { severity: 'warn', value_worst: -900 })).toBe('eased');
  expect(pair({ value_worst: -100 }, { value_worst: -101 })).toBe('worsened');
  expect(pair({ value_worst: 100 }, { value_worst: 100 })).toBeUndefined();
  expect(pair({ value_worst: null }, { value_worst: -101 })).toBeUndefined();
  const depth = (value_worst: number) => ({ measure: 'depth', value_worst });
  expect(pair(depth(10), depth(9))).toBe('worsened');
  expect(pair(depth(10), depth(10))).toBeUndefined();
});

test('another beginning of the same condition reopened', () => {
  const pair = (before: Partial<Condition>, after: Partial<Condition>) =>
    kindsOf([[condition('a', before)]], [[condition('a', after)]])['a'];
  expect(pair({ event_key: 'k' }, { event_key: 'l' })).toBe('reopened');
  const none = { event_key: null };
  expect(pair({ ...none, since: at(FROM - 9) }, { ...none, since: at(FROM + 9) })).toBe('reopened');
  expect(pair({ ...none, since: null }, { ...none, since: at(FROM + 9) })).toBeUndefined();
  expect(pair(none, { event_key: 'k' })).toBeUndefined();
});

const conditionArbitrary = fc.record({
  id: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
  severity: fc.constantFrom(...SEVERITIES),
  since: fc.constantFrom(null, at(FROM - 1), at(FROM + 1)),
  event_key: fc.constantFrom(null, 'k', 'l'),
  value_worst: fc.constantFrom(null, -100, -200),
});
const listArbitrary = fc
  .uniqueArray(conditionArbitrary, { selector: ({ id }) => id })
  .map((all) => all.map(({ id, ...more }) => condition(id, more)));
const blindArbitrary = fc.uniqueArray(fc.constantFrom<string>('a', 'b', 'c', 'd', 'e'));

test('the kinds divide both lists: every condition is in exactly one, and the counts add up', () => {
  fc.assert(
    fc.property(listArbitrary, listArbitrary, blindArbitrary, blindArbitrary, (was, is, a, b) => {
      const { changes, counts } = changesBetween(version(was, a), version(is, b));
      const [before, after] = [was, is].map((all) => new Set(all.map(({ id }) => id)));
      const of = (...kinds: string[]) => changes.filter(({ change }) => kinds.includes(change));
      expect(new Set(changes.map(({ id }) => id)).size).toBe(changes.length);
      const all = new Set([...(before ?? []), ...(after ?? [])]);
      expect(Object.values(counts).reduce((sum, one) => sum + one, 0)).toBe(all.size);
      for (const { id } of of('opened')) expect([before?.has(id), after?.has(id)]).toEqual([false, true]);
      for (const { id } of of('closed')) expect([before?.has(id), after?.has(id)]).toEqual([true, false]);
      for (const { id } of of('reopened', 'worsened', 'eased'))
        expect([before?.has(id), after?.has(id)]).toEqual([true, true]);
      for (const { id, change } of changes)
        if (before?.has(id) === true && b.includes(id) && after?.has(id) !== true)
          expect(change).toBe('unknown');
      const ended = of('closed').length + of('unknown').filter((one) => one.before !== null).length;
      const begun = of('opened').length + of('unknown').filter((one) => one.after !== null).length;
      expect((before?.size ?? 0) - ended).toBe((after?.size ?? 0) - begun);
      for (const one of changes)
        expect([one.before?.id ?? null, one.after?.id ?? null]).toEqual([
          before?.has(one.id) === true ? one.id : null,
          after?.has(one.id) === true ? one.id : null,
        ]);
    }),
    { numRuns: 1_000 },
  );
});

test('nothing changes between a version and itself', () => {
  fc.assert(
    fc.property(listArbitrary, blindArbitrary, (all, blind) => {
      expect(changesBetween(version(all, blind), version(all, blind))).toMatchObject({
        changes: [],
        counts: { unchanged: all.length },
      });
    }),
  );
});
