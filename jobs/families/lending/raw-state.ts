// The states of markets as raw tables: amounts supplied, borrowed and withdrawable, and the parameters.

import { HOUR_S } from '../../../platform/base/time.ts';
import { amount, chain, count, flag, fraction, number, observedAt } from '../../define/fields.ts';
import { defineRawTable, type RawField } from '../../define/raw-table.ts';
import { market_id } from './raw-fields.ts';

/** A utilization above 1 is kept and flagged: interest and bad debt can cause it. */
const MAX_UTILIZATION = 1_000;
/** A parameter above 1 is kept and flagged: the source decoded it wrongly. */
const MAX_PARAMETER = 1e12;

const amounts: readonly RawField[] = [
  amount('supplied', 'Supplied, in units of the asset'),
  amount('borrowed', 'Borrowed, in units of the asset'),
  amount('supplied_usd', 'Supplied, USD'),
  amount('borrowed_usd', 'Borrowed, USD'),
  amount(
    'withdrawable_usd',
    'Amount that can be withdrawn at once, USD; at most supplied minus borrowed, which counts when absent',
  ),
  amount('exit_depth_usd', 'Amount that can be sold at a slippage of 100 bps or less, USD'),
  amount('liquidated_usd', 'Liquidated since the previous state, USD'),
  fraction(
    'utilization',
    'Borrowed divided by supplied, if the source reports it; the amounts decide if they contradict it',
    { max: MAX_UTILIZATION },
  ),
  number('supply_apr_pct', 'Supply rate, percent a year'),
  number('borrow_apr_pct', 'Borrow rate, percent a year'),
];

export const marketState = defineRawTable({
  name: 'market_state',
  description:
    'The state of one market at one instant. A state that is repeated for a later hour keeps the instant of its first report',
  fields: [
    chain,
    market_id,
    observedAt('Time of the block that was read'),
    count('block_number', 'Block that was read'),
    ...amounts,
  ],
  subject: ['chain', 'market_id'],
  maxAgeSeconds: 1.5 * HOUR_S,
  completeness: [{ by: 'cadence', series: ['chain', 'market_id'] }],
  key: ['chain', 'market_id', 'observed_at'],
  content: ['supplied_usd', 'borrowed_usd'],
  time: 'observed_at',
  reach: 8 * 86_400,
  observations: { model: 'obs.market_state', time: 'observed_at' },
});

const parameters: readonly RawField[] = [
  fraction('loan_to_value', 'Maximum loan against the asset, as a share of its value', {
    max: MAX_PARAMETER,
  }),
  fraction('liquidation_threshold', 'Loan-to-value at which a position can be liquidated', {
    max: MAX_PARAMETER,
  }),
  fraction('liquidation_bonus', 'Bonus of a liquidator', { max: MAX_PARAMETER }),
  fraction('reserve_factor', 'Share of interest that the protocol keeps', { max: MAX_PARAMETER }),
  fraction('liquidation_protocol_fee', 'Share of the bonus that the protocol keeps', { max: MAX_PARAMETER }),
  amount('supply_cap', 'Maximum amount that may be supplied, in units of the asset; 0 for no limit'),
  amount('borrow_cap', 'Maximum amount that may be borrowed, in units of the asset; 0 for no limit'),
  amount('debt_ceiling', 'Maximum debt against the asset in isolation mode, USD'),
  count('emode_category', 'Efficiency-mode category', { max: 65_535 }),
  flag('is_active', 'The market is open'),
  flag('is_frozen', 'No new supply or debt is allowed'),
  flag('is_paused', 'Every operation is blocked'),
  flag('is_borrowing_enabled', 'The asset may be borrowed'),
  flag('is_borrowable_in_isolation', 'The asset may be borrowed in isolation mode'),
  flag('is_siloed', 'The asset may not be borrowed together with another'),
];

export const marketParameter = defineRawTable({
  name: 'market_parameter',
  description: 'The parameters of one market at one instant',
  fields: [chain, market_id, observedAt('Time from which the entry holds'), ...parameters],
  subject: ['chain', 'market_id'],
  maxAgeSeconds: null,
  completeness: [{ by: 'nothing', because: 'parameters come when they change' }],
  key: ['chain', 'market_id', 'observed_at'],
  content: parameters.map(({ name }) => name),
  time: 'observed_at',
  observations: { model: 'obs.market_parameter', time: 'observed_at' },
});
