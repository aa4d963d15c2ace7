// The histories that datasets publish, apart from those of pegs and feeds: the meaning of each column.
import { number, type SeriesDefinition, steady, text } from './series.ts';

const daily = (dataset: string, columns: SeriesDefinition['columns']): SeriesDefinition => ({
  dataset,
  grain: 'daily',
  columns,
});

export const LENDING_SERIES: SeriesDefinition = {
  dataset: 'lending-markets',
  grain: 'observed',
  columns: {
    supplied_usd: number('USD', 'Supplied'),
    borrowed_usd: number('USD', 'Borrowed'),
    utilization: number('fraction', 'Borrowed divided by supplied'),
    withdrawable_usd: number('USD', 'Amount that can be withdrawn at once, at most what is not lent'),
    depth_usd: number('USD', 'Amount that can be withdrawn and sold at a slippage of 100 bps or less'),
    supplied: steady('units of the asset', 'Supplied'),
    borrowed: steady('units of the asset', 'Borrowed'),
    supply_apr_pct: steady('percent a year', 'Supply rate'),
    borrow_apr_pct: steady('percent a year', 'Borrow rate'),
    liquidated_usd: number('USD', 'Liquidated since the previous state'),
  },
};

export const REGIME_SERIES: SeriesDefinition = {
  dataset: 'market-regime',
  grain: 'observed',
  columns: {
    regime: text('Regime as evaluated at that hour'),
    current_regime: text('Regime in force'),
    confidence: number('fraction', 'Share of the weight of all signals that agrees'),
    signals_known: steady(null, 'Number of known signals'),
  },
};

export const YIELD_SERIES = daily('yield-opportunities', {
  net_apy: number('percent', 'Net APY'),
  base_apy: number('percent', 'APY without rewards'),
  reward_apy: number('percent', 'APY of rewards'),
  tvl_usd: number('USD', 'Value locked'),
  available_liquidity_usd: number('USD', 'Amount that can be withdrawn at once'),
  risk_score: number('0 to 100', 'Risk score, higher is riskier'),
  liquidity_score: number('0 to 100', 'Liquidity, higher is safer'),
  yield_stability_score: number('0 to 100', 'Stability of the yield, higher is safer'),
  yield_source_score: number('0 to 100', 'Source of the yield, higher is safer'),
  asset_score: number('0 to 100', 'Assets, higher is safer'),
  maturity_score: number('0 to 100', 'Time on record, higher is safer'),
  structure_score: number('0 to 100', 'Obstacles to a withdrawal, higher is safer'),
  venue_score: number('0 to 100', 'Venue, higher is safer'),
});

export const OVERALL_SERIES = daily('overall-receipts', {
  score: number('0 to 1', 'Overall score; null on a day without one'),
  liquidity: number('0 to 1', 'Liquidity'),
  security: number('0 to 1', 'Security'),
  decentralization: number('0 to 1', 'Decentralization'),
  tokenomics: number('0 to 1', 'Tokenomics'),
  development: number('0 to 1', 'Development'),
  social: number('0 to 1', 'Social'),
  gap: text('Why there is no score'),
});

export const GOVERNANCE_SERIES = daily('governance-figures', {
  total_proposals: number(null, 'Proposals'),
  active_proposals: number(null, 'Proposals open for voting'),
  participation_rate: number('fraction', 'Voters of the last days divided by possible voters'),
  autocracy_rate: number('0 to 1', 'Concentration of voting power'),
  voter_distribution: number('0 to 1', 'Spread of voting power'),
  proposal_distribution: number('-1 to 1', 'Spread of proposals'),
  total_votes: number(null, 'Votes'),
  total_voters: number(null, 'Voters'),
  power_hhi: number('0 to 1', 'Herfindahl index of voting power'),
  nakamoto_coefficient: number(null, 'Voters that hold more than half of the power'),
});

export const SOCIAL_SERIES = daily('social-scores', {
  messages: number(null, 'Messages'),
  users: number(null, 'Authors of these messages'),
  sentiment: number('-1 to 1', 'Mean sentiment'),
  positive: number(null, 'Positive messages'),
  negative: number(null, 'Negative messages'),
});

const DEVELOPMENT = { score: number('0 to 1', 'Development score') };
export const PROTOCOL_DEVELOPMENT_SERIES = daily('development-protocols', DEVELOPMENT);
export const BLOCKCHAIN_DEVELOPMENT_SERIES = daily('development-blockchains', DEVELOPMENT);

export const LAYER2_SERIES = daily('layer2-statistics', {
  transactions: number(null, 'Transactions'),
  tvl_usd: number('USD', 'Value locked'),
  fees_usd: number('USD', 'Fees'),
  avg_block_time_s: number('seconds', 'Mean time between blocks'),
});

export const NETWORK_A_SERIES = daily('network-a-network-statistics', {
  blocks: number(null, 'Blocks'),
  block_time_s: number('seconds', 'Mean time between blocks'),
  transactions: number(null, 'Transactions'),
  burned_native: number('native units', 'Burnt'),
  num_validators: number(null, 'Validators'),
  total_stake_native: number('native units', 'Staked'),
  total_supply_native: number('native units', 'Supply'),
  apr_pct: number('percent a year', 'Reward of validators'),
  entry_queue_native: number('native units', 'Stake waiting to enter'),
  exit_queue_native: number('native units', 'Stake waiting to leave'),
  entry_wait_days: number('days', 'Waiting time of the entry queue'),
  exit_wait_days: number('days', 'Waiting time of the exit queue'),
});

export const NETWORK_B_SERIES = daily('network-b-statistics', {
  blocks: number(null, 'Blocks'),
  blocks_per_second: number(null, 'Blocks per second'),
  transactions: number(null, 'Transactions'),
  fees_native: number('native units', 'Fees'),
  total_supply_native: number('native units', 'Supply'),
  validators: number(null, 'Validators'),
  shards: number(null, 'Shards'),
  stake_gini: number('0 to 1', 'Inequality of the stakes'),
  total_users: number(null, 'Users'),
});

export const PROPOSER_PAYMENT_SERIES = daily('proposer-payments', {
  paid_native: number('native units', 'Paid by builders to proposers through relays'),
  largest_native: number('native units', 'Largest payment for one block'),
  slots: number(null, 'Slots with a known payment'),
  unknown_slots: number(null, 'Slots that relays disagree about'),
  builders: number(null, 'Builders of the blocks'),
  gap: text('Why the amounts are unknown'),
});
