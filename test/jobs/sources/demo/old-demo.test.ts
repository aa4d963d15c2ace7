// A demo of any age goes on: what its story repeats in every period does not add up to figures that cannot be computed.
import { expect, test } from 'vitest';
import type { Domain } from '../../../../jobs/define/domain.ts';
import { domains } from '../../../../jobs/registry.ts';
import { deliveries, settings, STARTED_AT } from './expand-rows.ts';

const DAY = 86_400;
const DEMO = settings({ days: 3 });
const SOURCES = domains
  .flatMap(({ demo }: Domain) => demo?.(DEMO) ?? [])
  .map((source) => [source.facts.id, source] as const);

test.each(SOURCES)('%s', async (_, source) => {
  // A year has more than a hundred periods of three days.
  for (const age of [300, 1_000, 3_650]) {
    const to = STARTED_AT + age * DAY;
    const values = (await deliveries(source, { from: to - 3_700, to })).flatMap(({ columns }) =>
      Object.values(columns).flatMap((column) => [...column]),
    );
    expect(values.filter((value) => typeof value === 'number' && !Number.isFinite(value))).toEqual([]);
  }
});
