// Rows of the raw tables that the demo world does not deliver to.
import type { RawTable } from '../../../../jobs/define/raw-table.ts';
import type { FileRow } from '../../../support/file-world.ts';
import type { SubjectRows } from './subject-rows.ts';

interface Runs {
  readonly first: number;
  readonly second: number;
}

/** `at`: times before the first run and between both, Unix seconds. */
type RowsAt = (at: number, index: number) => FileRow;

const DAY_S = 86_400;

const ROWS: { readonly [table: string]: { readonly [subject: string]: RowsAt } } = {
  feed_bounds: {
    'ethereum 0xde300022b52cf507868befbac651ede900000003': (at) => ({
      ...{
        chain: 'ethereum',
        feed_address: '0xde300022b52cf507868befbac651ede900000003',
        aggregator_address: '0xa9',
      },
      ...{ min_answer: '1', max_answer: '1000000000000000000000000', observed_at: at },
    }),
  },
  network_a_daily: {
    gnosis: (at, index) => ({
      network: 'gnosis',
      ...{ day_at: at, blocks: 17_000 + index, transactions: 200_000 + index, contracts: 40 },
      ...{
        block_time_s: 5.1,
        last_block: 1_000_000 + index * 17_000,
        gas_used: 1e12,
        burnt_native: 10,
        fees_native: 20,
      },
    }),
  },
  network_a_transaction: {
    gnosis: (at, index) => ({
      network: 'gnosis',
      tx_hash: `0x${String(index).padStart(64, 'a')}`,
      ...{
        block_number: 1_000_000 + index,
        observed_at: at,
        tx_type: 2,
        from_address: '0xa1',
        to_address: '0xb2',
      },
      ...{
        value: '1000000000000000000',
        input: '0x',
        status: 1,
        gas_used: 21_000,
        max_fee_per_gas: '3000000000',
      },
      ...{ max_priority_fee_per_gas: '1000000000', effective_gas_price: '2000000000' },
    }),
  },
  risk_backtest: {
    USDC: (at) => ({
      ...{
        symbol: 'USDC',
        as_of: at - (at % DAY_S),
        computed_at: at,
        step_hours: 24,
        level: 0.99,
        model: 'hs',
      },
      ...{ returns: 500, window_size: 250, trials: 250, expected: 2.5, exceedances: 3, basel_zone: 'green' },
      ...{ frequency_statistic: 0.1, frequency_p_value: 0.7, exceeded: '[]', worst: -0.01 },
    }),
  },
  exit_backtest: {
    all: (at) => ({
      ...{
        id: 'all',
        as_of: at - (at % DAY_S),
        computed_at: at,
        horizon_hours: 24,
        size: 0,
        hours_known: 900,
      },
      ...{ forecasts: 100, immediate: 80, open: 0, scored: 20, exited: 19, brier: 0.05, climatology: 0.06 },
      ...{ blocks: 4, p_value: 0.4, bins: '[]', stranded: '[]', verdict: 'pass' },
    }),
  },
  governor_event: {
    gitcoin: (at, index) => ({
      ...{
        protocol: 'gitcoin',
        block_number: 5_000 + index * 100,
        tx_hash: `0xe${index}`,
        log_index: 0,
        event_at: at,
      },
      ...{ proposal_id: '7', block_s: 12, decimals: 18 },
      ...(index === 0
        ? { event: 'created', proposer: '0xp', start_block: 5_010, end_block: 9_000 }
        : { event: 'vote', voter: `0xv${index}`, support: 'for', power: '5000000000000000000' }),
    }),
  },
};

const EARLIER = 6;
const LATER = 2;
const STEP_S = 2 * 3_600;
/** A row for each day, of which none ends between the runs. */
const DAILY = 'network_a_daily';

export function undemonstrated(tables: readonly RawTable[], { first, second }: Runs): readonly SubjectRows[] {
  const before = Array.from({ length: EARLIER }, (_, index) => first - (EARLIER - index) * STEP_S);
  const between = Array.from({ length: LATER }, (_, index) => second - (LATER - index) * STEP_S);
  return Object.entries(ROWS).flatMap(([name, subjects]) => {
    const table = tables.find((one) => one.name === name);
    if (table === undefined) throw new Error(`there is no raw table ${name}`);
    return Object.entries(subjects).map(([subject, rowAt]) => ({
      table,
      subject: new Map(table.subject.map((field, position) => [field, subject.split(' ')[position] ?? ''])),
      earlier: before.map((at, index) => rowAt(name === DAILY ? first - (index + 1) * DAY_S : at, index)),
      later: name === DAILY ? [] : between.map((at, index) => rowAt(at, EARLIER + index)),
    }));
  });
}
