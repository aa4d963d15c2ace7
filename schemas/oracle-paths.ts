// What the oracle of a lending market is made of, what it assumes, and what breaks when it is wrong. Figures that are not known are null.
import { DecimalString, Nullable, type Static, Strict, Type, UnixSeconds } from './define.ts';
import { type EventType, eventType, Growing, MADE_UP_SECONDS, sampleOf } from './event.ts';
import { flag, number, type SeriesDefinition } from './series.ts';

const text = (description: string) => Type.String({ description });
const maybeText = (description: string) => Nullable(text(description));
const Usd = (description: string) =>
  Nullable(Type.Number({ minimum: 0, description: `${description}, USD` }));
const Bps = (description: string) => Nullable(Type.Number({ description: `${description}, basis points` }));
const TextList = (description: string) => Type.Array(Type.String(), { description });
const Index = (description: string) => Type.Integer({ minimum: 0, description });

export const VERDICTS = ['verified', 'unverified', 'unknown', 'wrong'] as const;
export const PATH_STATES = ['complete', 'assumption', 'incomplete', 'swapped', 'unknown'] as const;
export const ASSUMPTION_KINDS = [
  'equality',
  'redemption_rate',
  'cap',
  'discount',
  'twap',
  'bound',
  'standby',
  'constant',
  'feed',
  'path',
] as const;

export const OracleLegSchema = Strict({
  leg_index: Index('Order of the legs'),
  parent_index: Nullable(Index('Leg that reads this one; null if the oracle itself does')),
  is_standby: Type.Boolean({ description: 'Part of a path that the oracle does not use now' }),
  side: Type.Enum(['base', 'quote'], { description: '`base` multiplies the price, `quote` divides it' }),
  role: Type.Enum(['feed', 'vault']),
  contract: text('Contract that is read'),
  kind: text('Kind of the contract'),
  kind_by: text('How the kind is known: `factory`, `code`, `registry`, or only by its `interface`'),
  from_symbol: maybeText('Asset that the value is of; null if no registry or token says'),
  to_symbol: maybeText('Asset in which the value is'),
  decimals: Nullable(Index('Decimals of the value')),
  value: Nullable(DecimalString('Answer as the contract gives it, without a decimal point')),
  rate: Nullable(Type.Number({ description: 'Value of one whole unit' })),
  unread_reason: maybeText('Why the answer could not be read'),
  answered_at: Nullable(UnixSeconds('Time of the answer, as the contract states it')),
  cap: Nullable(DecimalString('Cap on the value, in its units')),
});

export const OracleAssumptionSchema = Strict({
  id: text('Id, shared by all markets of the chain that rest on it, for example `USDC=USD`'),
  kind: Type.Enum([...ASSUMPTION_KINDS]),
  statement: text('What must be true, in one sentence'),
  tested_by: maybeText(
    'Independent sources that can contradict it, separated by commas; `<chain>:` precedes feeds of other chains. Null: nothing can',
  ),
  gap_bps: Bps(
    'Price gap: what is assumed over what the sources say, less 1; positive if too much is assumed',
  ),
  effective_enter_bps: Bps('Price gap at which it counts as broken'),
  is_broken: Nullable(Type.Boolean({ description: 'Null if nothing can contradict or confirm it' })),
  since_at: Nullable(UnixSeconds('Time of the observation that confirmed the break')),
});

/** Dataset `oracle-paths`, key `<chain>:<market_id>`. */
export const OraclePathSchema = Strict({
  id: text('`<chain>:<market_id>`'),
  chain: text('Chain name'),
  market_id: text('Id of the market on its chain'),
  protocol: maybeText('Key of the protocol; null if the market is in no registry'),
  name: maybeText('Display name of the market'),
  oracle_address: maybeText('Oracle that the market reads'),
  kind: maybeText('Kind of the oracle'),
  kind_by: maybeText('How the kind is known'),
  verdict: Type.Enum([...VERDICTS], {
    description:
      '`verified`: our own arithmetic over legs of known kinds gives the price to the last digit. `wrong`: a check failed. It says nothing about the assumptions',
  }),
  path_status: Nullable(
    Type.Enum([...PATH_STATES], {
      description:
        '`complete`: the legs lead from the collateral to the loan. `assumption`: they do if the named assets are equal',
    }),
  ),
  base_symbol: maybeText('Asset that the price must be of'),
  quote_symbol: maybeText('Asset that the price must be in'),
  left_over: maybeText('What is left over of the legs once equal symbols are cancelled'),
  missing: maybeText('What is missing to the pair that the market needs'),
  failed_checks: TextList(
    'Checks that failed: `cycle`, `leg_missing`, `wrong_decimals`, `wrong_scale`, `coarse_sample`, `wrong_factors`, `wrong_price`, `wrong_value`, `incomplete`, `swapped`',
  ),
  scale_error_exponent: Nullable(
    Type.Number({ description: 'Power of ten by which the scale factor is too large; 0 if it is right' }),
  ),
  sample_error_bps: Bps('Largest rounding of a vault’s rate'),
  computed_price: Nullable(DecimalString('Price by our own arithmetic at the reading of the legs')),
  read_price: Nullable(DecimalString('What the oracle answered at the same block')),
  path_hash: maybeText(
    'Hash of everything about the legs and the settings of adapters, but their values. What was not read is left out of it, so that another hash alone is no change: `oracle.path.changed` says when there is one',
  ),
  legs: Type.Array(OracleLegSchema),
  standby_address: maybeText('Oracle that takes over, if there is one'),
  assumptions: Type.Array(OracleAssumptionSchema, { description: 'Broken ones first' }),
  assumption_ids: TextList('Their ids, sorted'),
  is_broken: Nullable(
    Type.Boolean({ description: 'Any of them is broken; null if none is, but one cannot be judged' }),
  ),
  broken_since_at: Nullable(UnixSeconds('Time since which the first of them is broken')),
  changeable_by: Type.Array(
    Strict({
      contract: text('Contract that can be changed'),
      address: text('Account that can change it, or `anyone`'),
      how: maybeText('How'),
      delay_s: Nullable(Index('Seconds between announcement and effect; null if unknown')),
    }),
    { description: 'Who can change what the oracle answers, as far as known' },
  ),
  price: Nullable(DecimalString('Price of the oracle, loan per unit of collateral')),
  market_price: Nullable(
    DecimalString('The same by independent sources; null without one that is no leg of this path'),
  ),
  gap_bps: Bps('Price gap: the oracle’s price over the market price, less 1'),
  sources: Nullable(Index('Number of independent sources of the market price')),
  debt_usd: Usd('Debt of the market'),
  unrealised_bad_debt_low_usd: Usd('Debt that the collateral does not cover at the market price, at least'),
  unrealised_bad_debt_high_usd: Usd('The same, at most'),
  unjust_liquidation_usd: Usd(
    'Debt that the oracle liquidates although it is healthy at the market price, at least',
  ),
  unjust_liquidation_high_usd: Usd('The same, at most'),
  phantom_interest_usd_day: Usd('Interest a day that suppliers are credited on debt that is not covered'),
  gaps: TextList('Why a figure is null'),
  doubts: Type.Array(Type.Enum(['single_source', 'sources_disagree']), {
    description: 'What speaks against the market price',
  }),
  path_at: Nullable(UnixSeconds('Time of the last reading of the legs')),
  observed_at: Nullable(UnixSeconds('Time of the last price')),
});
export type OraclePath = Static<typeof OraclePathSchema>;

export const ORACLE_PATH_SERIES: SeriesDefinition = {
  dataset: 'oracle-paths',
  grain: 'observed',
  columns: {
    price: number('loan per unit of collateral', 'Price of the oracle'),
    market_price: number('loan per unit of collateral', 'Price by independent sources'),
    gap_bps: number('bps', 'Price gap'),
    unrealised_bad_debt_low_usd: number('USD', 'Debt not covered at the market price, at least'),
    unrealised_bad_debt_high_usd: number('USD', 'Debt not covered at the market price, at most'),
    is_broken: flag('An assumption of the path is broken'),
  },
};

const assumption = {
  id: text('Id, for example `USDC=USD`'),
  kind: Type.Enum([...ASSUMPTION_KINDS]),
  statement: text('What must be true'),
};
const Price = (description: string) => Nullable(DecimalString(description));

export const OracleAssumptionRestoredData = Growing({
  chain: text('Chain name'),
  assumption: Strict(assumption),
  assumed: Price('Value that the oracles assume'),
  observed: Price('Centre of the independent sources'),
  gap_bps: Bps('Price gap'),
  effective_enter_bps: Bps('Price gap at which it counts as broken'),
  reason: Type.Enum(['holds_again', 'path_changed'], {
    description: '`path_changed`: no market rests on it any more',
  }),
  debt_usd: Usd('Debt of the markets that rest on it'),
  market_count: Index('Number of these markets'),
  observed_at: UnixSeconds('Time of the confirming observation'),
});

export const OracleAssumptionBrokenData = Growing({
  chain: text('Chain name'),
  assumption: Growing({
    ...assumption,
    broken_since_at: Type.Optional(
      UnixSeconds(
        'Time of the observation that confirmed the break; before `observed_at` if this event says that it has become more severe. Absent in older events',
      ),
    ),
  }),
  assumed: Price('Value that the oracles assume'),
  observed: Price('Centre of the independent sources'),
  gap_bps: Bps('Price gap: assumed over observed, less 1'),
  effective_enter_bps: Bps('Price gap at which it counts as broken'),
  source_feeds: maybeText('Feeds of these sources by rising value, separated by commas'),
  source_values: maybeText('Their values, separated by commas'),
  debt_usd: Usd('Debt of the markets that rest on it'),
  unrealised_bad_debt_low_usd: Usd('Debt that is not covered if everything else is right, at least'),
  unrealised_bad_debt_high_usd: Usd('The same, at most'),
  unjust_liquidation_usd: Usd('Debt that can be liquidated although it is healthy, at least'),
  market_count: Index('Number of these markets'),
  markets: Type.Array(
    Growing({
      market_id: text('Market'),
      oracle_address: maybeText('Its oracle'),
      price: Nullable(Type.Number({ description: 'Price of the oracle, loan per unit of collateral' })),
      market_price: Nullable(Type.Number({ description: 'The same if everything else is right' })),
      debt_usd: Usd('Debt'),
      unrealised_bad_debt_low_usd: Usd('Debt that is not covered, at least'),
      unrealised_bad_debt_high_usd: Usd('The same, at most'),
    }),
    { description: 'The 20 largest by debt' },
  ),
  vault_count: Index('Number of vaults with a recent report that hold these markets'),
  vaults: Type.Array(
    Growing({
      vault: text('`vault:<chain>:<address>`'),
      exposure_usd: Usd('What it has in these markets'),
      share_of_assets: Nullable(Type.Number({ description: 'Share of its assets, as a fraction' })),
      loss_low_usd: Usd('Its part of the debt that is not covered, at least'),
      loss_high_usd: Usd('The same, at most'),
    }),
    { description: 'The 20 largest' },
  ),
  block_number: Nullable(Index('Last block that an oracle of these markets was read at')),
  observed_at: UnixSeconds('Time of the confirming observation'),
});

export const OraclePathChangedData = Growing({
  chain: text('Chain name'),
  contract_address: text('Oracle whose path changed'),
  previous_contract_address: maybeText('Oracle that the market read before'),
  previous: maybeText('Hash of the path before'),
  current: text('Hash of the path since'),
  failed_checks: maybeText('Checks that the new path fails, separated by commas; empty without any'),
  cause: maybeText(
    'What the log says was changed; `settings` where only a cap, a discount or the like differs and no log says why; else null',
  ),
  caller_address: maybeText('Account that sent the transaction'),
  tx_hash: maybeText('Transaction'),
  block_number: Nullable(Index('Block at which the new path was read')),
  market_count: Index('Number of markets that read it'),
  markets: Type.Array(
    Growing({
      market_id: text('Market'),
      price_before: Nullable(Type.Number({ description: 'Last price before, if it is recent enough' })),
      price_after: Nullable(Type.Number({ description: 'First price of the new path' })),
      change_bps: Bps('Change'),
    }),
    { description: 'The 20 largest by debt' },
  ),
  debt_usd: Usd('Debt of these markets'),
  observed_at: UnixSeconds('Time of the reading'),
});

const SAMPLE_ASSUMPTION = { id: 'OETH=ETH', kind: 'equality', statement: 'One OETH is worth one ETH.' };
const SAMPLE_MARKET = '0x5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a';
const SAMPLE_ORACLE = '0x00000000000000000000000000000000000000f0';
const gapOf = (observed: string, gap_bps: number) => ({
  chain: 'ethereum',
  assumption: SAMPLE_ASSUMPTION,
  assumed: '1',
  observed,
  gap_bps,
  effective_enter_bps: 200,
  debt_usd: 5_000_000,
  market_count: 1,
  observed_at: MADE_UP_SECONDS,
});
const SUBJECT = 'assumption:<chain>:<id>';

const BROKEN_SAMPLE = {
  ...gapOf('0.97', 309.28),
  assumption: { ...SAMPLE_ASSUMPTION, broken_since_at: MADE_UP_SECONDS },
  source_feeds: '0x00000000000000000000000000000000000000fe',
  source_values: '0.97',
  unrealised_bad_debt_low_usd: 0,
  unrealised_bad_debt_high_usd: 0,
  unjust_liquidation_usd: 0,
  markets: [
    {
      market_id: SAMPLE_MARKET,
      oracle_address: SAMPLE_ORACLE,
      price: 3_000.6,
      market_price: 2_910.58,
      debt_usd: 5_000_000,
      unrealised_bad_debt_low_usd: 0,
      unrealised_bad_debt_high_usd: 0,
    },
  ],
  vault_count: 0,
  vaults: [],
  block_number: 24_000_000,
};

export const EVENTS: readonly EventType[] = [
  Object.freeze({
    type: 'oracle.assumption.broken',
    severities: ['warn', 'high', 'critical'],
    severity_rule:
      '`critical`: uncovered debt; `high`: a price above the market, or debt liquidated although healthy; `warn`: only below it, or sources disagree; another event when it rises',
    summary:
      'Something that oracles of lending markets assume is not true any more, or has become more severe',
    subject: SUBJECT,
    data: OracleAssumptionBrokenData,
    sample: sampleOf('high', 'assumption:ethereum:OETH=ETH', BROKEN_SAMPLE),
  } satisfies EventType),
  eventType('oracle.assumption.restored', 'info', {
    summary: 'A broken assumption holds again, or no oracle makes it any more',
    subject: SUBJECT,
    data: OracleAssumptionRestoredData,
    sample: ['assumption:ethereum:OETH=ETH', { ...gapOf('0.999', 10.01), reason: 'holds_again' }],
  }),
  Object.freeze({
    type: 'oracle.path.changed',
    severities: ['info', 'warn', 'high', 'critical'],
    severity_rule:
      '`critical`: a jump or a newly failed check; `high`: legs, units or code; `warn`: a parameter; `info`: a new phase',
    summary: 'The contracts from which an oracle takes its price changed',
    subject: 'oracle_contract:<chain>:<address>',
    data: OraclePathChangedData,
    sample: sampleOf('high', `oracle_contract:ethereum:${SAMPLE_ORACLE}`, {
      chain: 'ethereum',
      contract_address: SAMPLE_ORACLE,
      previous_contract_address: SAMPLE_ORACLE,
      previous: '5a'.repeat(32),
      current: '7b'.repeat(32),
      failed_checks: '',
      cause: null,
      caller_address: null,
      tx_hash: null,
      block_number: 24_000_000,
      market_count: 1,
      markets: [{ market_id: SAMPLE_MARKET, price_before: 3_000.6, price_after: 3_000.5, change_bps: -0.33 }],
      debt_usd: 5_000_000,
      observed_at: MADE_UP_SECONDS,
    }),
  } satisfies EventType),
];
