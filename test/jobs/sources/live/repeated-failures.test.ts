// What is logged about a source that keeps failing: one line, and another when the reason changes.
import { expect, test } from 'vitest';
import { openFixture, sourceOf } from './fetching-fixture.ts';

test('a failure is logged once, and again when its reason changes', async () => {
  const statuses = [402, 402, 404, 402];
  const { start, clock, warnings, steps, close } = await openFixture((_, count) => ({
    status: statuses[count - 1] ?? 402,
  }));
  const source = sourceOf({ every: '1h' });
  for (const _ of statuses) {
    await start(source).once();
    await clock.sleep(3_600_000);
  }
  await close();
  expect(warnings.map((text) => /\b40[24]\b/.exec(text)?.[0])).toEqual(['402', '404', '402']);
  expect(steps).not.toContain('fetched');
});
