// The states of markets as raw tables: amounts lent and withdrawable, and the parameters.

import { defineRawTable, type RawField } from '../define/raw-table.ts';
import { amount, chain, flag, market_id, observed_at, ratio } from './raw-fields.ts';

/** Above 1 is kept and flagged: interest and bad debt can cause it. */
const MAX_UTILIZATION = 1_000;
/** A parameter beyond 1 is kept and flagged: a source has decoded it wrongly. */
const MAX_PARAMETER = 1e12;

const amounts: readonly RawField[] = [
  amount('supplied', 'Supplied, in units of the asset'),
  amount('borrowed', 'Borrowed, in units of the asset'),
  amount('supplied_usd', 'Supplied, USD'),
  amount('borrowed_usd', 'Borrowed, USD'),
  amount(
    'withdrawable_usd',
    'Can be withdrawn at once, USD; what is supplied and not borrowed when left out',
  ),
  amount('exit_depth_usd', 'Can be sold at 100 bps or less, USD'),
  amount('liquidated_usd', 'Liquidated since the state before, USD'),
  ratio('utilization', 'Borrowed divided by supplied, where the source reports it', MAX_UTILIZATION),
  { name: 'supply_apr_pct', type: 'DOUBLE', description: 'Rate to suppliers, percent a year' },
  { name: 'borrow_apr_pct', type: 'DOUBLE', description: 'Rate to borrowers, percent a year' },
];

export const marketState = defineRawTable({
  name: 'market_state',
  description:
    'What one market held at one instant. A state that is reported again for a later hour has the instant of the first',
  fields: [
    chain,
    market_id,
    { ...observed_at, description: 'Time of the block that was read, Unix seconds' },
    { name: 'block_number', type: 'BIGINT', min: 0, description: 'Block that was read' },
    ...amounts,
  ],
  subject: ['chain', 'market_id'],
  completeness: [{ by: 'cadence', series: ['chain', 'market_id'] }],
  key: ['chain', 'market_id', 'observed_at'],
  content: ['supplied_usd', 'borrowed_usd'],
  time: 'observed_at',
  reach: 8 * 86_400,
  kept: { model: 'obs.market_state', time: 'observed_at' },
});

const parameters: readonly RawField[] = [
  ratio('loan_to_value', 'Largest loan against the asset, as a share of its value', MAX_PARAMETER),
  ratio('liquidation_threshold', 'Loan-to-value from which a position is liquidated', MAX_PARAMETER),
  ratio('liquidation_bonus', 'What a liquidator gains', MAX_PARAMETER),
  ratio('reserve_factor', 'Share of interest that the protocol keeps', MAX_PARAMETER),
  ratio('liquidation_protocol_fee', 'Share of the bonus that the protocol keeps', MAX_PARAMETER),
  amount('supply_cap', 'Largest amount that may be supplied, in units of the asset; 0 for no limit'),
  amount('borrow_cap', 'Largest amount that may be borrowed, in units of the asset; 0 for no limit'),
  amount('debt_ceiling', 'Largest debt against the asset in isolation mode, USD'),
  { name: 'emode_category', type: 'BIGINT', min: 0, max: 65_535, description: 'Efficiency-mode category' },
  flag('is_active', 'The market is open at all'),
  flag('is_frozen', 'Nothing new may be supplied or borrowed'),
  flag('is_paused', 'Nothing at all may be done'),
  flag('is_borrowing_enabled', 'The asset may be borrowed'),
  flag('is_borrowable_in_isolation', 'The asset may be borrowed in isolation mode'),
  flag('is_siloed', 'The asset may only be borrowed alone'),
];

export const marketParameter = defineRawTable({
  name: 'market_parameter',
  description: 'The parameters of one market at one instant',
  fields: [chain, market_id, observed_at, ...parameters],
  subject: ['chain', 'market_id'],
  completeness: [{ by: 'nothing', because: 'parameters come when they change' }],
  key: ['chain', 'market_id', 'observed_at'],
  content: parameters.map(({ name }) => name),
  time: 'observed_at',
  kept: { model: 'obs.market_parameter', time: 'observed_at' },
});
