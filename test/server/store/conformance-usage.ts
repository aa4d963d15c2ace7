// What every store must do with the counts of requests.
import { expect } from 'vitest';
import type { UsageCount } from '../../../server/store/store.ts';
import type { Cases } from './conformance-case.ts';

const counted = (period: string, count: number, more: Partial<UsageCount> = {}): UsageCount => ({
  org: 'acme',
  period,
  name: 'requests',
  count,
  ...more,
});

const TOOK = new Map([
  [12, 6],
  [9, 2],
]);

export const USAGE_CASES: Cases = {
  'counts of an organisation add up by month and by day, and every process sees them': async ({
    store,
    again,
  }) => {
    const { usage } = store;
    expect(await usage.daysOf('acme', '2026-01-01')).toEqual({ since: null, days: [] });
    await usage.add([
      counted('2026-03', 3),
      counted('2026-03-05', 2),
      counted('2026-03-05', 2, { name: 'took_12' }),
      counted('2026-03-07', 1),
    ]);
    await usage.add([
      counted('2026-03', 4),
      counted('2026-03-05', 4),
      counted('2026-03-05', 1, { name: 'errors' }),
      counted('2026-03-05', 4, { name: 'took_12' }),
      counted('2026-03-05', 2, { name: 'took_9' }),
      counted('2026-03-01', 9, { org: 'other' }),
    ]);
    const other = (await again()).usage;
    expect(await other.of('acme', '2026-03')).toEqual({ requests: 7 });
    expect(await other.daysOf('acme', '2026-03-05')).toEqual({
      since: '2026-03-05',
      days: [
        { day: '2026-03-05', requests: 6, errors: 1, took: TOOK },
        { day: '2026-03-07', requests: 1, errors: 0, took: new Map() },
      ],
    });
    expect(await other.daysOf('acme', '2026-03-06')).toMatchObject({
      since: '2026-03-05',
      days: [{ day: '2026-03-07' }],
    });
  },

  'old days are deleted, months are not': async ({ store: { usage } }) => {
    await usage.add([counted('2025-01', 3), counted('2025-01-05', 3), counted('2026-03-05', 2)]);
    expect(await usage.forgetDays('2026-03-05')).toBe(1);
    expect(await usage.of('acme', '2025-01')).toEqual({ requests: 3 });
    expect((await usage.daysOf('acme', '2025-01-01')).days).toHaveLength(1);
  },
};
