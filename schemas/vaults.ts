// Vaults as published: share prices and what backs them, what can be withdrawn, and their history. Amounts are in units of the asset unless
// a name says USD. A value that cannot be computed is null, and `gaps` names what is missing; it is never 0 instead.
import { DecimalString, Nullable, type Static, Strict, Type, UnixSeconds } from './define.ts';
import {
  detected_at,
  type EventType,
  Growing,
  MADE_UP_AT,
  MADE_UP_SECONDS,
  type Severity,
  sampleOf,
  suppression,
} from './event.ts';
import { number, type SeriesDefinition, steady } from './series.ts';

const text = (description: string) => Type.String({ description });
const maybeText = (description: string) => Nullable(text(description));
const Amount = (description: string) => Nullable(Type.Number({ minimum: 0, description }));
const Fraction = (description: string) => Amount(`${description}, as a fraction`);
const TextList = (description: string) => Type.Array(Type.String(), { description });
const Apy = (days: number) =>
  Nullable(
    Type.Number({
      description: `Growth of the quoted share price over ${days} day${days === 1 ? '' : 's'}, percent a year, without rewards; null if a price is missing, or broke in between`,
    }),
  );

export const VAULT_KINDS = [
  'morpho_v1_0',
  'morpho_v1_1',
  'morpho_v2',
  'euler_earn',
  'yearn_v3',
  'erc4626',
  'unknown',
] as const;

const identity = {
  chain: text('Chain name'),
  vault_address: text('Address of the vault'),
  protocol: maybeText('Key of the protocol; null if it is in no registry'),
  name: maybeText('Display name'),
  symbol: maybeText('Symbol of the vault’s shares'),
  asset_address: maybeText('Address of the asset that the vault accepts'),
  asset_symbol: maybeText('Symbol of that asset'),
  version: maybeText('Version of the vault contract'),
  has_metadata: Type.Boolean({ description: 'The vault is in its registry' }),
  is_listed: Nullable(Type.Boolean({ description: 'The vault is on the list of its registry' })),
  curator_address: maybeText('Address of the curator'),
  curator: maybeText('Id of the curator, if that address is in the curator registry'),
  curator_name: maybeText('Name of the curator'),
  owner_address: maybeText('Address of the owner'),
  guardian_address: maybeText('Address of the guardian'),
};

const prices = {
  kind: Nullable(
    Type.Enum([...VAULT_KINDS], {
      description: 'Kind of contract; `erc4626` has a share price and nothing else; null without a state',
    }),
  ),
  asset_decimals: Nullable(Type.Integer({ minimum: 0, description: 'Decimals of the asset' })),
  share_decimals: Nullable(Type.Integer({ minimum: 0, description: 'Decimals of the shares' })),
  total_assets: Amount('Total assets as the contract quotes them'),
  total_assets_usd: Amount('Total assets, USD'),
  asset_price_usd: Amount('Price of one unit of the asset, USD'),
  share_price: Nullable(DecimalString('Units of the asset for one whole share, as the contract quotes it')),
  backed_share_price: Nullable(
    DecimalString('Units of the asset for one whole share, by what backs it; at most the quoted price'),
  ),
  coverage: Fraction('Share of the quoted assets that is backed'),
  lost_assets: Amount('Quoted assets without backing: losses that the quoted price hides'),
  undistributed_assets: Amount('Gains that the quoted assets do not contain yet'),
  idle_assets: Amount('Balance of the vault itself'),
  net_apy_1d_pct: Apy(1),
  net_apy_7d_pct: Apy(7),
  net_apy_30d_pct: Apy(30),
  net_apy_90d_pct: Apy(90),
  performance_fee: Fraction('Fee on interest'),
  management_fee: Fraction('Fee on total assets a year'),
};

const withdrawals = {
  withdrawable_assets: Amount('What could be withdrawn if no one else withdrew'),
  withdrawable_shared_assets: Amount('The share of every market’s cash that belongs to the vault'),
  force_withdrawable_assets: Amount('What anyone may force out of the other markets, at a penalty'),
  reallocatable_assets: Amount('The most that a public allocator may move into one market'),
  withdrawable_usd: Amount('What could be withdrawn if no one else withdrew, USD'),
  withdrawable_shared_usd: Amount('The share of every market’s cash that belongs to the vault, USD'),
  withdrawable_share: Fraction('What could be withdrawn if no one else withdrew, of the total assets'),
  force_withdrawable_usd: Amount('What anyone may force out of the other markets, USD'),
  force_penalty: Fraction('Highest penalty for that'),
  reallocatable_usd: Amount('The most that a public allocator may move into one market, USD'),
  is_gated: Nullable(Type.Boolean({ description: 'A contract decides who may leave' })),
  largest_market_share: Fraction('Largest position, of what backs the vault'),
  collateral_hhi: Fraction('Concentration of the collateral behind its loans: the sum of the squared shares'),
  unrealised_bad_debt_low_usd: Amount(
    'Bad debt of its markets that has not been written off, as far as the vault bears it, USD: at least',
  ),
  unrealised_bad_debt_high_usd: Amount('The same, USD: at most'),
  is_liquidity_low: Nullable(
    Type.Boolean({
      description:
        'Too little can be withdrawn, of its assets or for the loans that its shares secure; null if that was never judged',
    }),
  ),
  collateral_at_risk_low_usd: Amount(
    'Shares of the vault that are collateral and would be sold if their price fell by the shock of the policy, USD: at least; 0 if no market accepts them, null unless the markets of the chain are known',
  ),
  collateral_at_risk_high_usd: Amount('The same, USD: at most'),
  pending_changes: Nullable(
    Type.Integer({
      minimum: 0,
      description:
        'Delayed changes without an end; null if logs of the vault were refused, never delivered, or are overdue, or its contracts state others or do not answer',
    }),
  ),
  next_executable_at: Nullable(UnixSeconds('Time from which the first of them may be executed')),
};

export const STATE_STATUS = ['fresh', 'stale', 'unverifiable', 'unknown'] as const;

export const VaultSchema = Strict({
  ...identity,
  ...prices,
  ...withdrawals,
  flags: TextList(
    'What to know about the price, sorted: `donated`, `held_twice`, `kind_changed`, `price_fell`, `price_reset`, `rate_limited`, `unseeded`',
  ),
  state_at: Nullable(UnixSeconds('Time of the newest state')),
  state_status: Type.Enum([...STATE_STATUS], {
    description:
      '`stale`: the source has been read since, without this vault; `unverifiable`: the source is overdue; `unknown`: never read',
  }),
  gaps: TextList(
    'What is missing where a figure is null, and `sources_disagree`: sources state prices of its shares that nothing explains; sorted',
  ),
});
export type Vault = Static<typeof VaultSchema>;

export const CHANGE_STATUS = ['pending', 'executable', 'blocked', 'executed', 'revoked'] as const;
export const CHANGE_SEVERITIES = ['info', 'warn', 'high', 'critical'] as const;

export const VaultChangeSchema = Strict({
  chain: identity.chain,
  vault_address: identity.vault_address,
  protocol: identity.protocol,
  vault_name: maybeText('Name of the vault'),
  contract_address: text('Contract that holds the change: the vault, or an adapter of it'),
  change: text(
    'What is changed, for example `cap` or `addAdapter`; `unknown` for a function that is not known',
  ),
  change_key: text('Key of the change: submitted again after its end, it is another one with the same key'),
  market_id: maybeText('Market that it is about'),
  cap_id: maybeText('Id of the cap that it raises'),
  statement: text('What it does, in one sentence'),
  status: Type.Enum([...CHANGE_STATUS], {
    description:
      '`executable`: its time has come; `blocked`: its function was given up, so it can never be executed',
  }),
  severity: Type.Enum([...CHANGE_SEVERITIES], { description: 'Severity of its event' }),
  old_value: maybeText('Value before, as the contract holds it; null if unknown'),
  new_value: maybeText('Value that it sets, as the contract holds it'),
  submitted_at: UnixSeconds('Time of its submission'),
  executable_at: Nullable(
    UnixSeconds('Second from which it may be executed; null if its timelock is not known'),
  ),
  timelock_s: Nullable(Type.Integer({ description: 'Seconds between the two' })),
  executable_by: text('Who may execute it then: `anyone`, or an address'),
  can_revoke: TextList('Roles that may revoke it until then'),
  assets_concerned_usd: Amount('Assets that it removes or writes off, USD'),
  caller_address: maybeText('Address that submitted it, if the log or its source states it'),
  is_not_final: Type.Boolean({ description: 'A reorganisation could still remove the submission' }),
  ended_at: Nullable(UnixSeconds('Time at which it was executed or revoked')),
  ended_by: maybeText('Address that did so, if known'),
  ended_tx_hash: maybeText('Transaction that did so'),
  block_number: Type.Integer({ minimum: 0 }),
  block_hash: text('Hash of the block; empty if the source does not report it'),
  tx_hash: text('Transaction of the submission'),
  log_index: Type.Integer({ minimum: 0 }),
  params: Type.Object({}, { additionalProperties: true, description: 'Arguments of the submission' }),
});
export type VaultChange = Static<typeof VaultChangeSchema>;

/** Numbers by which the list can be sorted. */
export const VAULT_NUMBERS = [
  'total_assets_usd',
  'net_apy_7d_pct',
  'withdrawable_share',
  'unrealised_bad_debt_low_usd',
] as const;

export const VAULT_SERIES: SeriesDefinition = {
  dataset: 'vaults',
  grain: 'observed',
  columns: {
    share_price: number('units of the asset', 'Quoted share price'),
    backed_share_price: number('units of the asset', 'Share price by what backs it'),
    withdrawable_usd: number('USD', 'What could be withdrawn if no one else withdrew'),
    total_assets: steady('units of the asset', 'Total assets'),
    total_assets_usd: steady('USD', 'Total assets'),
    withdrawable_shared_usd: steady('USD', 'The share of every market’s cash that belongs to the vault'),
    unrealised_bad_debt_low_usd: number(
      'USD',
      'Bad debt of its markets as far as the vault bears it, at least',
    ),
    unrealised_bad_debt_high_usd: number('USD', 'The same, at most'),
    coverage: steady('fraction', 'Share of the quoted assets that is backed'),
    total_supply: steady('shares', 'Shares in existence'),
  },
};

const change = {
  vault_address: identity.vault_address,
  contract_address: text('Contract that holds the change: the vault, or an adapter of it'),
  change: text(
    'What is changed, for example `cap` or `addAdapter`; `unknown` for a function that is not known',
  ),
  change_key: text('Key of the change'),
  statement: text('What it does, in one sentence'),
  market_id: maybeText('Market that it is about'),
  cap_id: maybeText('Id of the cap that it raises'),
  caller_address: maybeText('Address that submitted it, if the log or its source states it'),
  old_value: maybeText('Value before; null if unknown'),
  new_value: maybeText('Value that it sets'),
  params: Growing({}),
  submitted_at: UnixSeconds('Time of its submission'),
  executable_at: Nullable(
    UnixSeconds('Second from which it may be executed; null if its timelock is not known'),
  ),
  timelock_s: Nullable(Type.Integer({ description: 'Seconds between the two' })),
  assets_concerned_usd: Amount('Assets that it removes or writes off, USD'),
  block_number: Type.Integer({ minimum: 0 }),
  tx_hash: text('Hash of the transaction'),
  log_index: Type.Integer({ minimum: 0 }),
};

export const VaultChangeData = Growing({
  ...change,
  is_due_unknown: Type.Boolean({ description: 'Its timelock is not known' }),
  can_revoke: TextList('Roles that may revoke it until then'),
});
export const VaultChangeEndData = Growing({
  ...change,
  pending_key: text('Key of its submission'),
  waited_s: Type.Integer({ minimum: 0, description: 'Seconds from its submission to its end' }),
  ended_by: maybeText('Address that ended it, if known'),
});

export const SharePriceFallData = Growing({
  vault_address: identity.vault_address,
  price_before: DecimalString(
    'Share price at the state before: the backed one, or the quoted one where one of both states does not say what backs it',
  ),
  price_after: DecimalString('The same share price'),
  quoted_before: Nullable(DecimalString('Quoted share price at the state before')),
  quoted_after: Nullable(DecimalString('Quoted share price')),
  fall_bps: Type.Number({ description: 'Fall, basis points' }),
  loss_assets: Amount('Loss of all holders, units of the asset'),
  loss_usd: Amount('Loss of all holders, USD'),
  coverage: Fraction('Share of the quoted assets that is backed'),
  cause: Type.Enum(['bad_debt_realised', 'market_removed', 'shares_burned', 'held_vault_fell', 'unknown'], {
    description: 'Cause, by the positions of both states and the logs in between',
  }),
  markets: Type.Array(Growing({ market_id: text('Market'), loss_assets: Type.Number() }), {
    description: 'Markets whose shares are worth less, largest loss first',
  }),
  previous_at: UnixSeconds('Time of the state before'),
  observed_at: UnixSeconds('Time of the state'),
  block_number: Nullable(Type.Integer({ minimum: 0 })),
  ...suppression,
});

export const VaultLiquidityData = Growing({
  vault_address: identity.vault_address,
  basis: Type.Enum(['share', 'collateral'], {
    description:
      '`share`: compared with the assets of the vault; `collateral`: with the loans that its shares secure',
  }),
  withdrawable_usd: Amount('What could be withdrawn if no one else withdrew, USD'),
  withdrawable_shared_usd: Amount('The share of every market’s cash that belongs to the vault, USD'),
  total_assets_usd: Amount('Total assets, USD'),
  share: Fraction('What could be withdrawn, as a fraction of the assets'),
  threshold: Type.Number({
    description: 'Fraction of the assets, or how many times the collateral at risk must be covered',
  }),
  collateral_at_risk_usd: Amount(
    '`collateral`: what would be sold at the shock of the policy, USD, at least',
  ),
  required_usd: Amount('`collateral`: what must be withdrawable for that, USD'),
  set_vaults: Nullable(
    Type.Integer({
      minimum: 1,
      description:
        '`collateral`: vaults that the figures are of; more than one if all with this asset that are collateral are compared together',
    }),
  ),
  force_withdrawable_usd: Amount('What anyone may force out of the other markets, USD'),
  reallocatable_usd: Amount('The most that a public allocator may move into one market, USD'),
  detected_at,
  ...suppression,
});

const SAMPLE_VAULT = '0x00000000000000000000000000000000000000aa';
const SUBJECT = 'vault:<chain>:<address>';
const vaultEvent = (
  type: string,
  severities: readonly Severity[],
  {
    data,
    ...rest
  }: {
    readonly summary: string;
    readonly severity_rule?: string;
    readonly schema: EventType['data'];
    readonly data: Readonly<Record<string, unknown>>;
  },
): EventType =>
  Object.freeze({
    type,
    severities,
    summary: rest.summary,
    ...(rest.severity_rule === undefined ? {} : { severity_rule: rest.severity_rule }),
    subject: SUBJECT,
    data: rest.schema,
    sample: sampleOf(severities.at(-1) ?? 'info', `vault:ethereum:${SAMPLE_VAULT}`, {
      vault_address: SAMPLE_VAULT,
      ...data,
    }),
  });

const SAMPLE_CHANGE = {
  contract_address: SAMPLE_VAULT,
  change: 'cap',
  change_key: 'cap|0x5a',
  statement: 'Raises the supply cap of market WETH/USDC from 0 USDC to 1000000 USDC',
  market_id: '0x5a',
  cap_id: null,
  caller_address: null,
  old_value: '0',
  new_value: '1000000000000',
  params: { market_id: '0x5a', pending_cap: '1000000000000' },
  submitted_at: MADE_UP_SECONDS,
  executable_at: MADE_UP_SECONDS,
  timelock_s: 86_400,
  assets_concerned_usd: null,
  block_number: 24_000_000,
  tx_hash: `0x${'5a'.repeat(32)}`,
  log_index: 7,
};
const SAMPLE_END = {
  ...SAMPLE_CHANGE,
  pending_key: 'ethereum|0x5a|00007|0x5b',
  waited_s: 86_400,
  ended_by: null,
};
const BY_EFFECT =
  '`critical` for what writes assets off, `high` for what opens the vault to new markets, contracts or people, `warn` for looser limits and higher fees, `info` for what only tightens';

export const EVENTS: readonly EventType[] = [
  vaultEvent('vault.change.pending', ['info', 'warn', 'high', 'critical'], {
    summary: 'A change of a vault was submitted and waits for its timelock',
    severity_rule: BY_EFFECT,
    schema: VaultChangeData,
    data: { ...SAMPLE_CHANGE, is_due_unknown: false, can_revoke: ['curator', 'guardian', 'owner'] },
  }),
  vaultEvent('vault.change.executed', ['info', 'warn', 'high', 'critical'], {
    summary: 'A submitted change of a vault took effect',
    severity_rule: 'that of its submission',
    schema: VaultChangeEndData,
    data: SAMPLE_END,
  }),
  vaultEvent('vault.change.revoked', ['info'], {
    summary: 'A submitted change of a vault was withdrawn',
    schema: VaultChangeEndData,
    data: SAMPLE_END,
  }),
  vaultEvent('vault.share_price.fell', ['warn', 'high', 'critical'], {
    summary:
      'The share price of a vault fell: the backed one, or the quoted one where its backing is not known',
    severity_rule: 'by the fall; the rules state the limits',
    schema: SharePriceFallData,
    data: {
      price_before: '1.000000000000000000',
      price_after: '0.975000000000000000',
      quoted_before: '1.000000000000000000',
      quoted_after: '1.000000000000000000',
      fall_bps: 250,
      loss_assets: 50_000,
      loss_usd: 50_000,
      coverage: 0.975,
      cause: 'bad_debt_realised',
      markets: [{ market_id: '0x5a', loss_assets: 50_000 }],
      previous_at: MADE_UP_SECONDS,
      observed_at: MADE_UP_SECONDS,
      block_number: 24_000_000,
    },
  }),
  vaultEvent('vault.liquidity.low', ['high', 'critical'], {
    summary:
      'Too little can be withdrawn from a vault, of its assets or for the loans that its shares secure',
    severity_rule: '`critical` if nothing can be withdrawn, or the vault bears debt that is not covered',
    schema: VaultLiquidityData,
    data: {
      basis: 'share',
      withdrawable_usd: 0,
      withdrawable_shared_usd: 0,
      total_assets_usd: 100_000,
      share: 0,
      threshold: 0.01,
      collateral_at_risk_usd: null,
      required_usd: null,
      set_vaults: null,
      force_withdrawable_usd: null,
      reallocatable_usd: null,
      detected_at: MADE_UP_AT,
    },
  }),
];
