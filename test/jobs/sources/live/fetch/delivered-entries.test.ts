// Which registry entries are delivered: new and changed ones, and all of them after a change to the reading or the mapping.
import { expect, it } from 'vitest';
import { DeliveredEntries } from '../../../../../jobs/sources/live/fetch/delivered-entries.ts';
import type { LiveMappingOf } from '../../../../../jobs/sources/live/fetch/live-source.ts';
import { sourceOf } from '../fetching-fixture.ts';

const mapped = (fields: object): readonly LiveMappingOf[] => [sourceOf({ fields } as object).mapping];
const MAPPINGS = mapped({ chain: 'chain' });
const ENTRIES = [
  { key: 'a', facts: 'USDC' },
  { key: 'b', facts: 'DAI' },
];

/** The state as the next reading finds it. */
const stored = (state: unknown): unknown => JSON.parse(JSON.stringify(state));
const afterFirst = (): unknown => {
  const first = new DeliveredEntries(null, MAPPINGS);
  expect([...first.newAmong(ENTRIES)]).toEqual(['a', 'b']);
  return stored(first.state());
};

it('delivers an entry once, and again when its facts change', () => {
  const next = new DeliveredEntries(afterFirst(), MAPPINGS);
  expect([...next.keys]).toEqual(['a', 'b']);
  expect([...next.newAmong([{ key: 'a', facts: 'USDC.e' }, ...ENTRIES.slice(1)])]).toEqual(['a']);
});

it('delivers all entries again when their mapping changes', () => {
  const next = new DeliveredEntries(afterFirst(), [...MAPPINGS, ...mapped({ feed_address: 'feed_address' })]);
  expect([...next.keys]).toEqual([]);
  expect([...next.newAmong(ENTRIES)]).toEqual(['a', 'b']);
  const after = new DeliveredEntries(stored(next.state()), MAPPINGS);
  expect([...after.newAmong(ENTRIES)]).toEqual(['a', 'b']);
});

it('delivers all entries again to an installation whose state has an earlier format', () => {
  const next = new DeliveredEntries({ a: 'USDC', b: 'DAI' }, MAPPINGS);
  expect([...next.newAmong(ENTRIES)]).toEqual(['a', 'b']);
});
