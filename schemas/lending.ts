// Lending markets, changes of their parameters, vaults and the events of vaults, as published. A value that no source reports is null,
// never 0.
import { Nullable, type Static, Strict, Type, UnixSeconds } from './define.ts';
import {
  detected_at,
  type EventType,
  eventType,
  Growing,
  MADE_UP_AT,
  MADE_UP_SECONDS,
  suppression,
} from './event.ts';
import { INVALID_REASONS } from './oracles.ts';
import { EVENTS_ACCESS, FACTS_ACCESS } from './plans.ts';
import { number, type SeriesDefinition, steady } from './series.ts';

const text = (description: string) => Type.String({ description });
const maybeText = (description: string) => Nullable(text(description));
const Amount = (description: string) => Nullable(Type.Number({ minimum: 0, description }));
const Fraction = (description: string) => Amount(`${description}, as a fraction`);
const Switch = (description: string) => Nullable(Type.Boolean({ description }));
const TextList = (description: string) => Type.Array(Type.String(), { description });

const chain = text('Chain name');
const market_id = text('Id of the market on its chain');
const vault_address = text('Address of the vault');
const protocol = maybeText('Key of the protocol; null if it is in no registry');

export const LendingMarketSchema = Strict({
  chain,
  market_id,
  protocol,
  name: maybeText('Display name'),
  loan_asset: maybeText('Address of the lent asset'),
  loan_symbol: maybeText('Symbol of the lent asset'),
  collateral_asset: maybeText('Address of the collateral; null if it is pooled'),
  collateral_symbol: maybeText('Symbol of the collateral'),
  lltv: Fraction('Liquidation loan-to-value'),
  category: maybeText('Category of the classification'),
  provider: maybeText('Provider of the oracle'),
  risk_level: maybeText('Risk level of the classification'),
  edge_case_flags: TextList('Edge cases of the classification, sorted'),
  has_metadata: Type.Boolean({ description: 'The market is in its registry' }),
  is_classified: Type.Boolean({ description: 'The market has a classification' }),
  is_listed: Switch('The market is on the list of its registry'),
  feeds: TextList('Addresses of the feeds behind the market, sorted'),
  oracle_spread_bps: Amount(
    'Distance between the last prices of a feed behind the market and of another source of its pair, the most disputed or the largest, basis points; null without another source',
  ),
  oracle_spread_limit_bps: Amount('Distance above which these two disagree, basis points'),
  oracle_spread_limit_basis: Nullable(
    Type.Enum(['deviations', 'policy'], {
      description:
        'Whether the limit is the sum of both deviations, or that of the policy where one is unknown',
    }),
  ),
  oracle_compared_with: maybeText('Address of the other source'),
  is_oracle_disputed: Switch('The distance exceeds that limit'),
  oracle_status: Type.Enum(['fresh', 'stale', 'unverifiable', 'unknown'], {
    description: 'Verdict of the worst feed; unknown without a feed, or if none was ever checked',
  }),
  oracle_status_reason: Nullable(
    Type.Enum(
      [
        ...INVALID_REASONS,
        'feed_stale',
        'sources_disagree',
        'feed_unregistered',
        'feed_unverifiable',
        'feed_unknown',
        'no_feed',
      ],
      { description: 'Why it is not fresh; the reason of an invalid answer first' },
    ),
  ),
  supplied: Amount('Supplied, in units of the asset'),
  borrowed: Amount('Borrowed, in units of the asset'),
  supplied_usd: Amount('Supplied, USD'),
  borrowed_usd: Amount('Borrowed, USD'),
  utilization: Fraction('Borrowed divided by supplied; interest or bad debt can bring it above 1'),
  withdrawable_usd: Amount('Amount that can be withdrawn at once, at most what is not lent, USD'),
  depth_usd: Amount('Amount that can be withdrawn and sold at a slippage of 100 bps or less, USD'),
  supply_apr_pct: Nullable(Type.Number({ description: 'Supply rate, percent a year' })),
  borrow_apr_pct: Nullable(Type.Number({ description: 'Borrow rate, percent a year' })),
  reported_utilization: Amount('Utilization as its source reports it, as a fraction'),
  reported_withdrawable_usd: Amount('Withdrawable amount as its source reports it, USD'),
  reported_depth_usd: Amount(
    'Amount that can be sold at a slippage of 100 bps or less as its source reports it, USD',
  ),
  state_flags: TextList('Flags of the last state, sorted; see the definitions'),
  is_state_contradictory: Switch('Figures of the last state contradict each other; the flags name them'),
  state_at: Nullable(UnixSeconds('Time of the last state')),
  state_status: Type.Enum(['fresh', 'stale', 'unknown']),
  is_utilization_high: Switch('A spike of utilisation has begun and not ended'),
  is_depth_collapsed: Switch('A collapse of depth has begun and not ended'),
  supply_cap: Amount('Maximum supply, in units of the asset'),
  borrow_cap: Amount('Maximum debt, in units of the asset'),
  loan_to_value: Fraction(
    'Maximum loan against the asset, as a share of its value; null if not between 0 and 1',
  ),
  liquidation_threshold: Fraction(
    'Loan-to-value at which a position can be liquidated; null if not between 0 and 1',
  ),
  liquidation_bonus: Fraction('Bonus of a liquidator on the debt repaid; null if not between 0 and 1'),
  liquidation_protocol_fee: Fraction(
    'Share of the bonus that the protocol keeps; null if not between 0 and 1',
  ),
  is_frozen: Switch('No new supply or debt is allowed'),
  is_paused: Switch('Every operation is blocked'),
  parameter_flags: TextList('Parameters that contradict each other, the registry or the state, sorted'),
});
export type LendingMarket = Static<typeof LendingMarketSchema>;

export const MarketParameterChangeSchema = Strict({
  chain,
  market_id,
  protocol,
  name: maybeText('Name of the market'),
  changed_at: UnixSeconds('Time at which the new value was first observed'),
  parameter: text('Parameter, for example `loan_to_value`'),
  old_value: Type.Number({ description: 'Value before; a switch is 1 for on and 0 for off' }),
  new_value: Type.Number({ description: 'Value from then on' }),
  is_plausible: Type.Boolean({ description: 'Both values are possible for this parameter' }),
});

export const LendingVaultSchema = Strict({
  chain,
  vault_address,
  protocol,
  name: maybeText('Display name'),
  symbol: maybeText('Symbol of the vault’s shares'),
  asset_address: maybeText('Address of the asset that the vault accepts'),
  asset_symbol: maybeText('Symbol of that asset'),
  version: maybeText('Version of the vault contract'),
  has_metadata: Type.Boolean({ description: 'The vault is in its registry' }),
  is_listed: Switch('The vault is on the list of its registry'),
  curator_address: maybeText('Address of the curator'),
  curator: maybeText('Id of the curator, if that address is in the curator registry'),
  curator_name: maybeText('Name of the curator'),
  owner_address: maybeText('Address of the owner'),
  guardian_address: maybeText('Address of the guardian'),
  fee: maybeText('Performance fee in 10^18ths, decimal digits'),
  timelock_s: Nullable(Type.Integer({ minimum: 0, description: 'Timelock, seconds' })),
  events: Nullable(
    Type.Integer({
      minimum: 0,
      description:
        'Number of indexed governance events; null instead of 0 if the logs of the vault were refused, or if no source has delivered logs: the gate says which',
    }),
  ),
  governance_kinds: TextList(
    'Observed event types out of timelock, guardian, allocator, cap, fee, owner and queue, sorted',
  ),
  last_event_at: Nullable(UnixSeconds('Time of the last event')),
});
export type LendingVault = Static<typeof LendingVaultSchema>;

export const VaultEventSchema = Strict({
  chain,
  vault_address,
  protocol,
  on_chain_event: text('For example `set_cap`'),
  governance_kind: maybeText('Kind of governance'),
  caller_address: maybeText('Address that acted, if the log or its source states it'),
  subject_address: maybeText('Address or id acted upon'),
  block_number: Type.Integer({ minimum: 0 }),
  block_hash: text('Hash of the block; empty if the source does not report it'),
  tx_hash: text('Hash of the transaction'),
  log_index: Type.Integer({ minimum: 0 }),
  timestamp: UnixSeconds('Time of the block'),
  final_at: UnixSeconds('Time at which the block reached the finality depth of its chain'),
  retracted_at: Nullable(UnixSeconds('Time at which its removal by a reorganisation was observed')),
  params: Type.Object(
    {},
    {
      additionalProperties: true,
      description: 'Arguments, integers as decimal digits; values that it sets as `new_…` and `old_…`',
    },
  ),
});

export const VaultData = Growing({
  vault_address: text('Address of the vault'),
  caller_address: Nullable(text('Address that acted, if known')),
  subject_address: Nullable(text('Address or id acted upon')),
  on_chain_event: text('For example `set_cap`'),
  block_number: Type.Integer({ minimum: 0 }),
  tx_hash: text('Hash of the transaction'),
  log_index: Type.Integer({ minimum: 0 }),
  timestamp: UnixSeconds('Time of the block'),
  params: Growing({}),
});

export const CuratorTenureData = Growing({
  vault_address: text('Address of the vault'),
  curator_address: text('Address of the curator'),
});

export const UtilizationData = Growing({
  chain,
  market_id: text('Market'),
  utilization: Type.Number({ description: 'Fraction' }),
  threshold: Type.Number({ description: 'Fraction' }),
  detected_at,
  ...suppression,
});

export const DepthData = Growing({
  chain,
  market_id: text('Market'),
  depth_usd: Type.Number({
    description: 'Amount that can be withdrawn and sold at a slippage of 100 bps or less, USD',
  }),
  median_usd: Nullable(
    Type.Number({
      description: 'Median of the previous 24 hours, USD; null if it is below the depth of a drained market',
    }),
  ),
  is_drained: Type.Boolean({ description: 'Almost none of the supply can be withdrawn' }),
  detected_at,
  ...suppression,
});

const VAULT = 'vault:<chain>:<address>';
const LIQUIDITY = 'liquidity:<chain>:<market>';

const SAMPLE_VAULT = '0x00000000000000000000000000000000000000aa';
const SAMPLE_CURATOR = '0x00000000000000000000000000000000000000c1';
const ofVault = (data: Readonly<Record<string, unknown>>) =>
  [`vault:ethereum:${SAMPLE_VAULT}`, data] as const;
const action = (on_chain_event: string, params: Readonly<Record<string, unknown>>) =>
  ofVault({
    vault_address: SAMPLE_VAULT,
    caller_address: SAMPLE_CURATOR,
    subject_address: SAMPLE_CURATOR,
    on_chain_event,
    block_number: 24_000_000,
    tx_hash: `0x${'5a'.repeat(32)}`,
    log_index: 7,
    timestamp: MADE_UP_SECONDS,
    params,
  });
const tenure = ofVault({ vault_address: SAMPLE_VAULT, curator_address: SAMPLE_CURATOR });
const ofMarket = (figures: Readonly<Record<string, unknown>>) =>
  [
    'liquidity:ethereum:sample-market',
    { chain: 'ethereum', market_id: 'sample-market', ...figures, detected_at: MADE_UP_AT },
  ] as const;

export const EVENTS: readonly EventType[] = [
  eventType('vault.cap.changed', 'info', {
    summary: 'A supply cap was changed',
    subject: VAULT,
    data: VaultData,
    sample: action('set_cap', { old_cap: '1000', new_cap: '2000' }),
  }),
  eventType('vault.fee.changed', 'warn', {
    summary: 'A performance fee was changed',
    subject: VAULT,
    data: VaultData,
    sample: action('set_fee', { old_fee: '0', new_fee: '100' }),
  }),
  eventType('vault.curator.changed', 'high', {
    summary: 'A curator role was reassigned',
    subject: VAULT,
    data: VaultData,
    sample: action('set_curator', { new_curator: SAMPLE_CURATOR }),
  }),
  eventType('vault.allocation.changed', 'warn', {
    summary: 'A curator reallocated supply across markets',
    subject: VAULT,
    data: VaultData,
    sample: action('reallocate_supply', { supplied_assets: '1000' }),
  }),
  eventType('curator.action', 'info', {
    summary: 'A curator or governance action without a more specific event',
    subject: VAULT,
    data: VaultData,
    sample: action('set_guardian', { new_guardian: SAMPLE_CURATOR }),
  }),
  eventType('curator.tenure.start', 'info', {
    summary: "A curator's tenure over a vault began",
    subject: VAULT,
    data: CuratorTenureData,
    sample: tenure,
  }),
  eventType('curator.tenure.end', 'info', {
    summary: "A curator's tenure over a vault ended",
    subject: VAULT,
    data: CuratorTenureData,
    sample: tenure,
  }),
  eventType('liquidity.utilization.spike', 'high', {
    summary: "A market's utilization crossed its threshold",
    subject: LIQUIDITY,
    data: UtilizationData,
    sample: ofMarket({ utilization: 0.97, threshold: 0.95 }),
  }),
  eventType('liquidity.depth.collapse', 'critical', {
    summary: 'The exit depth of a position collapsed',
    subject: LIQUIDITY,
    data: DepthData,
    sample: ofMarket({ depth_usd: 40_000, median_usd: 200_000, is_drained: false }),
  }),
];

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

/** Who may read the datasets that no endpoint serves. */
export const ACCESS = {
  'lending-parameter-changes': FACTS_ACCESS,
  'lending-vaults': FACTS_ACCESS,
  'vault-events': EVENTS_ACCESS,
};
