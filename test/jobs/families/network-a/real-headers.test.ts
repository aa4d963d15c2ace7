import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { networkA, networkATransactions } from '../../../../jobs/families/network-a/domain.ts';
import type { TransactionStatistics } from '../../../../schemas/network-a.ts';
import { type DomainWorld, openDomainWorld } from '../../../support/domain-world.ts';
import { describeRealData, realData } from '../../../support/real-data.ts';
import { DAY, dayOf, span } from './days.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

interface Header {
  readonly number: number;
  readonly at: number;
  readonly transactions: number;
}

function shuffledHeaders(): readonly Header[] {
  const text = gunzipSync(readFileSync(realData('network-a/block-headers-2021-08.csv.gz'))).toString('utf8');
  const [, ...lines] = text.trim().split('\n');
  return lines.map((line) => {
    const [, at = '', number, transactions] = line.split(',');
    return {
      number: Number(number),
      at: Date.parse(at.replace(' ', 'T')) / 1000,
      transactions: Number(transactions),
    };
  });
}

/** Figures of each day from the headers put in order one by one. */
function expectedDays(): readonly {
  day: number;
  blocks: number;
  transactions: number;
  block_time_s: number;
}[] {
  const ordered = shuffledHeaders().toSorted((a, b) => a.number - b.number);
  const days = new Map<number, { blocks: number; transactions: number; gaps: number; gap_s: number }>();
  for (const [index, { at, transactions }] of ordered.entries()) {
    const day = at - (at % DAY);
    const known = days.get(day) ?? { blocks: 0, transactions: 0, gaps: 0, gap_s: 0 };
    const before = ordered[index - 1]?.at;
    days.set(day, {
      blocks: known.blocks + 1,
      transactions: known.transactions + transactions,
      gaps: known.gaps + (before === undefined ? 0 : 1),
      gap_s: known.gap_s + (before === undefined ? 0 : at - before),
    });
  }
  return [...days].map(([day, { blocks, transactions, gaps, gap_s }]) => ({
    day,
    blocks,
    transactions,
    block_time_s: gap_s / gaps,
  }));
}

describeRealData('35,001 shuffled headers of August 2021', () => {
  let world: DomainWorld;
  const [first, last] = [dayOf('2021-08-05'), dayOf('2021-08-10')];
  const now = last + 2 * DAY - 1;
  beforeAll(async () => {
    world = await openDomainWorld(networkA);
    await world.landExample('network-a', 'ethereum-headers-2021-08');
    await world.compute(span(first, now));
  });
  afterAll(() => world.close());

  const days = () =>
    world.rows(
      'select day, blocks, transactions, block_time_s from derived.network_a_block_day order by day',
    );

  test('give the blocks, transactions and mean block time of each of the six days', async () => {
    expect(expectedDays()).toHaveLength(6);
    expect(await days()).toEqual(
      expectedDays().map((day) => ({ ...day, block_time_s: expect.closeTo(day.block_time_s, 9) })),
    );
  });

  test('are published as six records, newest first, with nothing made up for the fees', async () => {
    const records = (await world.document(
      networkATransactions,
      'ethereum',
    )) as readonly TransactionStatistics[];
    expect(
      records.map(({ timestamp, daily_num_blocks_created }) => [timestamp, daily_num_blocks_created]),
    ).toEqual([
      ['10-08-2021', 5933],
      ['09-08-2021', 6505],
      ['08-08-2021', 6496],
      ['07-08-2021', 6549],
      ['06-08-2021', 6451],
      ['05-08-2021', 3067],
    ]);
    for (const { daily_new_contract, daily_block_num_stats } of records) {
      expect(daily_new_contract).toBeNull();
      expect(daily_block_num_stats.native_burnt.total_value).toBeNull();
      expect(daily_block_num_stats.tx_type_stats).toEqual([]);
    }
  });

  test('mark the first and the last day partial, and nothing else', async () => {
    const rows = await world.rows(
      'select day, starts_late, ends_early, is_partial from derived.network_a_completeness order by day',
    );
    expect(rows.map((row) => [row['starts_late'], row['ends_early'], row['is_partial']])).toEqual([
      [true, false, true],
      ...Array.from({ length: 4 }, () => [false, false, false]),
      [false, true, true],
    ]);
    const findings = await world.audit(span(last + DAY, now));
    const doubts = findings.filter(({ table }) => table === 'derived.network_a_completeness');
    expect(doubts).toMatchObject([{ verdict: 'warn', rows: [{ weight: 0.5234 }, { weight: 0.0877 }] }]);
    expect(doubts[0]?.rows.map(({ reason }) => reason)).toEqual([
      expect.stringMatching(
        /^ethereum 2021-08-05 is partial \(\d+ blocks landed\), about \d+ blocks are missing before 12:33:42$/,
      ),
      expect.stringMatching(
        /^ethereum 2021-08-10 is partial \(\d+ blocks landed\), about \d+ blocks are missing after [\d:]{8}$/,
      ),
    ]);
  });

  test('come out the same walked a day at a time, with late days last', async () => {
    const inOnePass = await days();
    const stepped = await openDomainWorld(networkA);
    await stepped.landExample('network-a', 'ethereum-headers-2021-08');
    for (let day = first; day <= last; day += DAY) await stepped.compute(span(day, day + DAY - 1));
    expect(
      await stepped.rows(
        'select day, blocks, transactions, block_time_s from derived.network_a_block_day order by day',
      ),
    ).toEqual(inOnePass);
    await stepped.close();
  });
});
