// The pages of a reading are bounded together, before they are parsed, and so are all readings at the same time.
import { afterEach, expect, test } from 'vitest';
import { DEFAULT_HOST } from '../../../../../jobs/sources/live/http/client.ts';
import { NetFault } from '../../../../../jobs/sources/live/http/net-fault.ts';
import { ReadingMemory } from '../../../../../jobs/sources/live/fetch/reading-size.ts';
import { json } from '../http/replay-server.ts';
import { openFixture, sourceOf } from '../fetching-fixture.ts';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** Reads pages of ten records of four values each; returns the last recording. */
async function readingOf(pages: number, guards: object) {
  const fixture = await openFixture((_, count) =>
    json({
      rows: Array.from({ length: 10 }, (_one, id) => ({ id: count * 10 + id, a: 1, b: 2 })),
      next: count < pages ? `p${count}` : null,
    }),
  );
  closing.push(fixture.close);
  const source = sourceOf({
    request: { url: 'https://api.example/things', query: { cursor: '{cursor}' } },
    records: 'rows',
    pager: { kind: 'cursor', next: 'next' },
    guards,
  });
  await fixture.start(source).once();
  return { recording: (await fixture.recordings()).at(-1), asked: fixture.server.asked.length };
}

const PAGE_VALUES = 1 + 1 + 1 + 10 + 9 + 20 + 1;

test.each([
  [4, 4 * PAGE_VALUES, 'accepted'],
  [5, 4 * PAGE_VALUES, 'failed'],
])('%i pages against a limit of %i values: %s', async (pages, max_values, outcome) => {
  const { recording } = await readingOf(pages, { max_values: max_values + pages });
  expect(recording?.outcome).toBe(outcome);
  if (outcome === 'failed')
    expect(recording).toMatchObject({
      fault: 'too_much',
      reasons: [expect.stringContaining('guards.max_values')],
    });
});

test('bytes are counted over all pages, and reading stops at the page that exceeds them', async () => {
  const { recording, asked } = await readingOf(100, { max_total_bytes: 2_000 });
  expect(recording).toMatchObject({ outcome: 'failed', fault: 'too_much', pages: [] });
  expect(recording?.reasons[0]).toContain('more than 2000 bytes');
  expect(recording?.reasons[0]).toContain('guards.max_total_bytes');
  expect(asked).toBeLessThan(10);
});

test('a large reading is refused while others need the memory; a small one is not, and space that is free again is used', async () => {
  const memory = new ReadingMemory();
  const rules = { max_bytes: 1e9, max_total_bytes: 1e9, max_values: 1e9 };
  const response = (bytes: number) =>
    ({ call: async () => ({ body: { length: bytes }, values: 0 }) }) as never;
  const call = { timeoutMs: 1, urgency: 'tip', request: {}, expected: {} } as never;
  const [first, second, small] = [memory.open(rules), memory.open(rules), memory.open(rules)];
  await first.call(response(790_000_000), call);
  await expect(second.call(response(60_000_000), call)).rejects.toThrow(NetFault);
  await small.call(response(40_000_000), call);
  second.close();
  first.close();
  await memory.open(rules).call(response(700_000_000), call);
  expect(DEFAULT_HOST.in_flight).toBe(1);
});
