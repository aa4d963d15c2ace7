// The analysis of a portfolio of yield opportunities (4.23, decision 56): what is known about its return, risk, liquidity, correlation
// and concentration. Amounts are in USD, probabilities and shares are fractions, APYs are percent a year. A figure over a part of the
// portfolio states the share of the amount that it covers.
import { AnalyticsGapSchema } from './analytics.ts';
import { IsoTime, Nullable, type Static, Strict, Type, Ulid } from './define.ts';
import { OracleDoubtsSchema, OracleLossSchema } from './oracle-doubts.ts';
import { ConcentrationSchema, ContagionPathSchema, CorrelationSchema } from './portfolio-concentration.ts';
import { PortfolioAssumptionsSchema } from './portfolio-request.ts';
import { Seed } from './run-request.ts';
import { RISK_BANDS } from './values.ts';
import { VaultSetExitSchema } from './vault-set-exit.ts';
import { WITHDRAWAL_STATES, YIELD_FLAGS, YieldVenueSchema } from './yields.ts';

/** Caveats about the numbers. */
export const PORTFOLIO_WARNINGS = {
  few_tail_paths:
    'the standard error of expected shortfall is more than 10 % of it; `value` paths would be enough',
  horizon_beyond_history: 'the horizon is longer than the known history of `value` hours',
  returns_old: 'the last known return is `value` hours older than the version',
  symbols_left_out: '`value` symbols beyond the 20 largest are not compared',
  weights_assumed: 'the shares of a pool’s assets are unknown, so equal shares are assumed',
  divergence_ignored: 'a pool of more than two assets is valued as if it held them in constant shares',
  direction_unknown: 'the position may be short or leveraged, so its price risk is not computed',
  apy_spike: 'the APY is at least three times its 30-day mean, which is used instead',
  apy_implausible: 'the APY is implausible and left out',
  opportunity_stale: 'the opportunity has not been observed for longer than the policy allows',
  duplicate_listing: 'the same pool is listed under another venue too',
  shared_market: 'several positions are in one market, directly or through vaults, and exit it together',
  exceeds_supply:
    'positions in vaults add up to more than the `value` in USD that is supplied to the market, so its figures rest on more than exists',
  withdrawable_limited:
    'the market reports more as withdrawable than is supplied and not borrowed; the latter is used',
  shared_vault_cash:
    'what the vaults of the portfolio could pay it each on its own is `value` USD more than what they can pay together',
  assumption_unused: 'the assumption concerns nothing in the portfolio',
} as const;
export type PortfolioWarningName = keyof typeof PORTFOLIO_WARNINGS;

const WarningSchema = Strict({
  warning: Type.Enum(Object.keys(PORTFOLIO_WARNINGS) as PortfolioWarningName[], {
    description: Object.entries(PORTFOLIO_WARNINGS)
      .map(([name, message]) => `\`${name}\`: ${message}`)
      .join('; '),
  }),
  subject: Nullable(Type.String({ description: 'Opportunity, symbol or venue that the warning is about' })),
  value: Nullable(Type.Number({ description: 'The `value` that the warning’s meaning mentions' })),
});
export type PortfolioWarning = Static<typeof WarningSchema>;

const Text = (description: string) => Type.String({ description });
const Num = (description: string) => Type.Number({ description });
const Usd = (description: string) => Num(`${description}, USD`);
const Share = (description: string) => Type.Number({ minimum: 0, maximum: 1, description });
const Count = (description: string) => Type.Integer({ minimum: 0, description });
const Score = (description: string) => Type.Number({ minimum: 0, maximum: 100, description });
const Band = Type.Enum([...RISK_BANDS]);
const covered_share = Share('Share of the amount that the figures cover');
const opportunity_id = Text('Id of the opportunity');
const IntervalSchema = (description: string) =>
  Strict({ from: Type.Number(), to: Type.Number() }, `95 % interval of ${description}`);
const gaps = Type.Array(AnalyticsGapSchema, { description: 'What is missing' });
const Mean = (description: string) =>
  Strict({ value: Nullable(Num(description)), covered_share }, 'Weighted by amount');

const TotalsSchema = Strict({
  amount_usd: Usd('Sum of the positions'),
  net_apy_pct: Mean('Total yield paid, percent a year; the 30-day mean while the APY spikes'),
  base_apy_pct: Mean('Without rewards, percent a year'),
  reward_apy_pct: Mean('Paid in reward tokens, percent a year'),
  expected_yield_usd: Nullable(Usd('Net APY over the horizon without compounding, of the covered share')),
  covered_share,
});

const RiskSchema = Strict({
  score: Nullable(Score('Mean risk score weighted by amount, 0 to 100, higher is riskier')),
  band: Nullable(Band),
  covered_share,
  worst: Nullable(
    Strict({ opportunity_id, score: Score('Risk score of the opportunity'), band: Nullable(Band) }),
  ),
  by_band: Type.Array(
    Strict({ band: Nullable(Band), amount_usd: Usd('Amount'), share: Share('Share of the amount') }),
    { description: 'From the safest band; null stands for positions without a score' },
  ),
});

const TailSchema = Strict({
  value_usd: Usd('Mean loss beyond the quantile; negative for a gain'),
  standard_error_usd: Usd('Standard error of the simulation'),
  ci95: IntervalSchema('the simulation'),
});

const ContributionSchema = Strict({
  opportunity_id,
  var_usd: Usd('Contribution to value at risk; contributions add up to it'),
  expected_shortfall_usd: Usd(
    'Contribution to expected shortfall: mean loss on the tail paths; contributions add up to it',
  ),
  marginal_var_usd: Usd('Value at risk minus value at risk without the position'),
  marginal_expected_shortfall_usd: Usd('Expected shortfall minus expected shortfall without the position'),
});
export type PortfolioContribution = Static<typeof ContributionSchema>;

const VarSchema = Strict(
  {
    confidence: Share('Confidence of value at risk and expected shortfall'),
    horizon_hours: Count('Simulated hours'),
    paths: Count('Simulated paths'),
    covered_share,
    covered_usd: Usd('Amount that the figures cover'),
    var_usd: Usd('Loss that is exceeded with a probability of 1 − confidence; negative for a gain'),
    var_ci95: IntervalSchema('the simulation'),
    expected_shortfall: TailSchema,
    expected_shortfall_975: TailSchema,
    mean_loss_usd: Usd('Mean loss; an upward trend is removed, a downward trend kept'),
    attribution: Type.Array(ContributionSchema, {
      description: 'Covered positions, by opportunity id',
    }),
    inputs: Strict({
      hours_known: Count('Hours known for all symbols'),
      from: IsoTime('Start of the first of these hours'),
      to: IsoTime('End of the last of these hours'),
      mean_block_hours: Num('Mean length of a block of the bootstrap, hours'),
      symbols: Type.Array(
        Strict({
          symbol: Text('Symbol'),
          amount_usd: Usd('Amount held'),
          sigma_hourly: Num('Standard deviation of the return over the next hour, as a fraction'),
          hours_known: Count('Hours known for the symbol'),
          feeds: Type.Array(Type.String(), { description: '`<chain>:<feed_address>` of the symbol’s feeds' }),
          beta: Nullable(
            Strict({
              to: Text('Symbol whose returns are used'),
              value: Num('Factor'),
              assumed: Type.Literal(true),
            }),
          ),
        }),
      ),
    }),
    gaps,
  },
  'Price risk over the horizon, without yield, from a bootstrap of joint hourly returns',
);

const { launched_at, audits, incidents } = YieldVenueSchema.properties;
/** Null if `yield-venues` does not have the venue. */
const VENUE_FACTS = { launched_at, audits, incidents };

const ProtocolRiskSchema = Strict({
  score: Nullable(Score('Mean score of the venues weighted by amount, 0 to 100, higher is safer')),
  covered_share,
  venues: Type.Array(
    Strict({
      venue: Text('Venue'),
      amount_usd: Usd('Amount'),
      share: Share('Share of the amount'),
      score: Nullable(
        Score('Score of the venue by its age, audits and incidents, 0 to 100, higher is safer'),
      ),
      reason: Nullable(Text('Why there is no score')),
      ...VENUE_FACTS,
      annual_pd: Nullable(
        Strict({
          value: Share('Probability of losing a deposit within a year'),
          assumed: Type.Literal(true),
        }),
      ),
      expected_loss_usd: Nullable(Usd('Amount × (1 − (1 − annual_pd)^(days / 365)); everything is lost')),
    }),
    { description: 'Largest amount first' },
  ),
  expected_loss_usd: Nullable(Usd('Sum over the venues with an assumption')),
  expected_loss_covered_share: Share('Share of the amount that the expected loss covers'),
  gaps,
});

const LiquiditySchema = Strict({
  withdrawable_usd: Nullable(Usd('Amount that can be withdrawn at once, of the covered share')),
  withdrawable_share: Nullable(Share('Share of the covered amount')),
  covered_share,
  exit: Strict({
    paths: Count('Simulated paths per market'),
    max_slippage_bps: Count('Maximum slippage of a sale, bps'),
  }),
  positions: Type.Array(
    Strict({
      opportunity_id,
      market: Nullable(Text('`<chain>:<market_id>` of the lending market, if the opportunity is one')),
      withdrawable_usd: Nullable(Usd('Amount that can be withdrawn at once')),
      withdrawable_share: Nullable(Share('Share of the position')),
      withdrawal_state: Nullable(Type.Enum([...WITHDRAWAL_STATES])),
      lockup_seconds: Nullable(Count('Seconds until a deposit can be withdrawn')),
      exit_probability: Nullable(
        Type.Array(
          Strict({
            within_hours: Count('Hours'),
            value: Share('Probability that the whole position has exited'),
            ci95: IntervalSchema('the simulation'),
          }),
        ),
      ),
      exit_cost_usd: Nullable(Usd('Slippage of selling all of it at once into the depth at 100 bps')),
      gaps,
    }),
    { description: 'By opportunity id' },
  ),
  lvar: Nullable(
    Strict(
      {
        value_usd: Usd('Value at risk and cost of exit'),
        var_usd: Usd('Value at risk of the covered positions'),
        exit_cost_usd: Usd('Cost of exit of those positions'),
        covered_share,
      },
      'Value at risk including the cost of exit, for the positions for which both are known',
    ),
  ),
  gaps,
});

const { shared, gaps: vaultGaps } = VaultSetExitSchema.properties;
const { alone_sum_usd, together_usd, shortfall_usd } = VaultSetExitSchema.properties;

const VaultsTogetherSchema = Strict(
  {
    vaults: Count('Vaults'),
    ...{ alone_sum_usd, together_usd, shortfall_usd, shared, gaps: vaultGaps },
  },
  'What positions in vaults can withdraw together, with the cash of each market once; null for fewer than two vaults',
);

const PositionSchema = Strict({
  opportunity_id,
  name: Text('Display name'),
  venue: Text('Venue'),
  chain: Text('Chain'),
  asset: Text('Deposited asset'),
  amount_usd: Usd('Amount'),
  share: Share('Share of the portfolio'),
  net_apy_pct: Nullable(Num('APY used in totals, percent a year')),
  expected_yield_usd: Nullable(Usd('Yield over the horizon, without compounding')),
  risk_score: Nullable(Score('0 to 100, higher is riskier')),
  risk_band: Nullable(Band),
  assets: Type.Array(
    Strict({
      symbol: Text('Symbol'),
      share: Share('Share of the position'),
      priced_by: Nullable(Text('Symbol whose returns are used; null without any')),
    }),
  ),
  shares_from: Type.Enum(['pool', 'assumed', 'single'], {
    description:
      '`pool`: shares and curve from the pool’s state in `pool-states`; `assumed`: equal shares; `single`: only one asset',
  }),
  is_covered_by_var: Type.Boolean({ description: 'The position’s price risk is part of `var`' }),
  flags: Type.Array(Type.Enum(Object.keys(YIELD_FLAGS)), { description: 'Flags of the opportunity' }),
  paths: Type.Array(ContagionPathSchema, {
    description: 'What backs the position: paths through the exposure graph, largest first, at most ten',
  }),
  oracle_doubts: Nullable(OracleDoubtsSchema),
  updated_at: IsoTime('Latest observation of the opportunity'),
  gaps,
});
export type PortfolioPosition = Static<typeof PositionSchema>;

export const PortfolioAnalysisSchema = Strict({
  seed: Seed,
  snapshot: Strict({
    version: Ulid('Version of the inputs'),
    as_of: IsoTime('Logical time of its data'),
  }),
  model_version: Text('Version of the model'),
  policy_version: Text('Version of the policy behind the inputs'),
  inputs_hash: Text('sha256 of the published inputs used, hex'),
  request: Strict(
    {
      positions: Type.Array(Strict({ opportunity_id, amount_usd: Usd('Amount') })),
      horizon_days: Count('Horizon, days'),
      confidence: Share('Confidence'),
      paths: Count('Paths'),
      assumptions: Nullable(PortfolioAssumptionsSchema),
    },
    'The request with defaults filled in',
  ),
  totals: TotalsSchema,
  risk: RiskSchema,
  var: Nullable(VarSchema),
  protocol_risk: Nullable(ProtocolRiskSchema),
  liquidity: Nullable(LiquiditySchema),
  oracle_doubts: Nullable(OracleLossSchema),
  vaults_together: Nullable(VaultsTogetherSchema),
  correlation: Nullable(CorrelationSchema),
  concentration: ConcentrationSchema,
  positions: Type.Array(PositionSchema, { description: 'By opportunity id' }),
  gaps: Type.Array(AnalyticsGapSchema, { description: 'What is missing for a block that is null' }),
  warnings: Type.Array(WarningSchema),
});
export type PortfolioAnalysis = Static<typeof PortfolioAnalysisSchema>;

export const PortfolioResponseSchema = Strict({
  data: PortfolioAnalysisSchema,
  meta: Strict({}),
  error: Type.Null(),
});
