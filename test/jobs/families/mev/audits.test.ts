import { afterAll, expect, test } from 'vitest';
import { domains } from '../../../../jobs/registry.ts';
import { openAuditBench } from '../../../support/audit-findings.ts';

const DAY = 1_728_000_000;
const { found, close } = await openAuditBench(domains, { start: DAY, end: DAY + 86_400, now: DAY + 86_399 });
afterAll(close);

const day = (date: string, at: number, more: object = {}) => ({
  network: 'ethereum',
  day: at,
  date,
  slots: 90,
  unknown_slots: 0,
  relays: ['aestus'],
  relays_not_read: [] as string[],
  gap: null,
  ...more,
});
const unread = { relays_not_read: ['flashbots', 'titan'], gap: 'relay_not_read' };

test('days of payments on which relays were not read are counted, and the relays of the last one named', async () => {
  const rows = [
    day('2024-10-01', 1, { ...unread, relays_not_read: ['aestus'] }),
    day('2024-10-02', 2, unread),
    day('2024-10-03', 3),
    day('2024-10-04', 4),
  ];
  expect(await found('out.proposer_payment', rows)).toEqual([
    {
      reason:
        'ethereum: the payments of 2 of 4 days are not known, because relays were not read for the whole day, last on 2024-10-02: flashbots, titan',
      weight: 0.5,
    },
  ]);
  expect(await found('out.proposer_payment', rows.slice(2))).toEqual([]);
});

test('slots that relays disagree about are counted', async () => {
  const rows = [day('2024-10-03', 3), day('2024-10-04', 4, { unknown_slots: 20, gap: null })];
  expect(await found('out.proposer_payment', rows)).toEqual([
    { reason: 'ethereum: relays disagree about 20 of 200 slots', weight: 0.1 },
  ]);
});
