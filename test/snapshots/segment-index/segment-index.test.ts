import fc from 'fast-check';
import { expect, test } from 'vitest';
import { foldAddresses } from '../../../platform/base/fold-addresses.ts';
import { nextUlid, partsOf, textOfParts } from '../../../platform/base/ulid.ts';
import { sha256Hex } from '../../../platform/storage/canonical.ts';
import { type SegmentEntry, segmentName } from '../../../snapshots/layout.ts';
import { eventLine } from '../../../snapshots/segment.ts';
import { buildSegmentIndex } from '../../../snapshots/segment-index/build.ts';
import { narrowest } from '../../../snapshots/segment-index/column-file.ts';
import { HASHED_BLOCK, openSegmentIndex } from '../../../snapshots/segment-index/segment-index.ts';

interface Event {
  readonly id: string;
  readonly key: string;
  readonly envelope: string;
  readonly subject: string;
  readonly second: number;
  readonly kind: readonly (string | null)[];
}

const names = fc.option(fc.constantFrom('high', 'warn', 'ethereum', 'Lender', 'q"uote'), { nil: null });
const drafts = fc.record({
  msLater: fc.constantFrom(0, 0, 1, 60_000, 2 ** 33),
  key: fc.string({ maxLength: 12 }),
  subject: fc.oneof(
    fc.constantFrom('market:0xAbC', 'market:0xabc', 'feed:1', 'x|"y"'),
    fc.string({ maxLength: 6, unit: 'grapheme' }),
  ),
  ts: fc.constantFrom('1970-01-01T00:00:00Z', '2026-03-10T09:00:00Z', '2026-03-10T09:00:00.250Z'),
  kind: fc.tuple(fc.constantFrom('oracle.stale', 'peg.depeg.start'), names, names, names),
  note: fc.string({ maxLength: 300 }),
});
type Draft = typeof drafts extends fc.Arbitrary<infer T> ? T : never;

function* eventsOf(list: readonly Draft[]): Generator<Event> {
  let [last, ms]: [string | null, number] = [null, 1_700_000_000_000];
  for (const { msLater, key, subject, ts, kind, note } of list) {
    ms += msLater;
    const id: string = nextUlid(last, ms, key);
    last = id;
    const [type, severity, chain, protocol] = kind;
    const facts = Object.entries({ chain, data: { note }, meta: { a: {} }, protocol, severity });
    const members = [...facts.filter(([, value]) => value !== null), ['subject_id', subject], ['ts', ts]];
    const envelope = JSON.stringify(Object.fromEntries([['event_id', id], ...members, ['type', type]]));
    yield { id, key, envelope, subject, second: Date.parse(ts) / 1000, kind };
  }
}

async function indexed(events: readonly Event[]) {
  const bytes = Buffer.from(events.map(({ key, envelope }) => eventLine(key, envelope)).join(''));
  const [first = '', last = ''] = [events[0]?.id, events.at(-1)?.id];
  const entry: SegmentEntry = {
    ...{ name: segmentName(first, last), first, last, count: events.length, bytes: bytes.length },
    ...{ sha256: sha256Hex(bytes), from_ts: '', to_ts: '' },
  };
  const file = await buildSegmentIndex(bytes, entry, 'segment');
  return { bytes, entry, file };
}

test('an index gives what a plain list of the events gives', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(drafts, { minLength: 1, maxLength: 40 }), async (list) => {
      const events = [...eventsOf(list)];
      const { bytes, entry, file } = await indexed(events);
      const index = openSegmentIndex(file, entry);
      if (index === undefined) throw new Error('no index');
      for (const [n, { id, envelope, second, kind }] of events.entries()) {
        const { start, length } = index.span(n);
        expect(bytes.toString('utf8', start, start + length)).toBe(envelope);
        expect([textOfParts(index.id(n)), index.second(n), index.kinds[index.kind(n)]]).toEqual([
          id,
          second,
          kind,
        ]);
        expect([index.rank(partsOf(id), false), index.rank(partsOf(id), true)]).toEqual([n, n + 1]);
      }
      for (const wanted of [...events.map(({ subject }) => subject), 'no one', 'market:0XABC'])
        expect([...index.ofSubject(wanted)]).toEqual(
          events.flatMap(({ subject }, n) => (foldAddresses(subject) === foldAddresses(wanted) ? n : [])),
        );
    }),
    { numRuns: 60 },
  );
});

test('an index opens wherever its bytes lie, and only for its own segment', async () => {
  const draft: Draft = {
    ...{ msLater: 1, key: 'k', subject: 'feed:1', ts: '2026-03-10T09:00:00Z', note: 'x'.repeat(700) },
    kind: ['oracle.stale', null, null, null],
  };
  const { bytes, entry, file } = await indexed([...eventsOf(Array.from({ length: 50 }, () => draft))]);
  const moved = Buffer.concat([Buffer.from('x'), file]).subarray(1);
  for (const good of [file, moved]) expect(openSegmentIndex(good, entry)?.count).toBe(50);
  for (const wrong of [
    { sha256: 'other' },
    { count: 49 },
    { bytes: 1 },
    { first: entry.last },
    { last: entry.first },
  ])
    expect(openSegmentIndex(file, { ...entry, ...wrong })).toBeUndefined();
  for (const length of [0, 7, 15, 16, 200, file.length - 1])
    expect(openSegmentIndex(file.subarray(0, length), entry)).toBeUndefined();
  expect(openSegmentIndex(Buffer.concat([file, file]), entry)).toBeUndefined();
  const index = openSegmentIndex(file, entry);
  const blocks = [0, 1, 2].map((n) => bytes.subarray(n * HASHED_BLOCK, (n + 1) * HASHED_BLOCK));
  expect(blocks.map((block, n) => index?.isBlock(n, block))).toEqual([true, true, true]);
  expect([index?.isBlock(0, blocks[1] ?? bytes), index?.isBlock(9, Buffer.alloc(0))]).toEqual([false, false]);
});

test.each([
  [[0, 255], 1],
  [[256], 2],
  [[65_535], 2],
  [[65_536], 4],
  [[2 ** 32 - 1], 4],
  [[2 ** 32], 8],
  [[0.5], 8],
  [[-1], 8],
  [[Number.NaN], 8],
  [[], 1],
])('the narrowest column of %j takes %i bytes per number and has each exactly', (values, width) => {
  const column = narrowest(values);
  expect([column.BYTES_PER_ELEMENT, [...column]]).toEqual([width, values]);
});
