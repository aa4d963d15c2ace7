// Exit Monte Carlo: request and response of `POST /v2/liquidity/{id}/exit-monte-carlo` (decision 53). Rounded on output: USD and bps to
// two decimals, probabilities to six.
import { AnalyticsGapSchema } from './analytics.ts';
import { IsoTime, Nullable, type Static, Strict, Type, Ulid, UnixSeconds } from './define.ts';
import { OracleDoubtsSchema } from './oracle-doubts.ts';
import { Seed, SnapshotVersion } from './run-request.ts';

export const EXIT_LIMITS = {
  position_usd: { min: 1, max: 1e12 },
  horizon_hours: { min: 1, max: 720, default: 24 },
  paths: { min: 100, max: 20_000, default: 5_000 },
  max_slippage_bps: { min: 1, max: 10_000, default: 100 },
  confidence: { min: 0.5, max: 0.999, default: [0.95, 0.99], count: 4 },
  slices: { min: 1, max: 720 },
} as const;

const L = EXIT_LIMITS;

const Strategy = Type.Union(
  [
    Type.Literal('immediate'),
    Strict({
      twap: Strict({
        slices: Type.Integer({ minimum: L.slices.min, maximum: L.slices.max, description: 'Equal parts' }),
      }),
    }),
  ],
  {
    description:
      '`immediate`: the whole position exits as soon as it can. `{twap: {slices}}`: equal parts fall due over the horizon, the first at once',
  },
);

export const ExitRequestSchema = Strict({
  position_usd: Type.Number({
    minimum: L.position_usd.min,
    maximum: L.position_usd.max,
    description: 'Value of the position at the price of the start, USD',
  }),
  horizon_hours: Type.Optional(
    Type.Integer({
      minimum: L.horizon_hours.min,
      maximum: L.horizon_hours.max,
      default: L.horizon_hours.default,
      description: 'Hours within which the position must exit',
    }),
  ),
  paths: Type.Optional(
    Type.Integer({
      minimum: L.paths.min,
      maximum: L.paths.max,
      default: L.paths.default,
      description: 'Number of simulated paths',
    }),
  ),
  max_slippage_bps: Type.Optional(
    Type.Number({
      minimum: L.max_slippage_bps.min,
      maximum: L.max_slippage_bps.max,
      default: L.max_slippage_bps.default,
      description: 'Maximum slippage of the sales of one hour, bps; no limit if the depth is unknown',
    }),
  ),
  confidence: Type.Optional(
    Type.Array(Type.Number({ minimum: L.confidence.min, maximum: L.confidence.max }), {
      minItems: 1,
      maxItems: L.confidence.count,
      uniqueItems: true,
      default: [...L.confidence.default],
      description: 'Confidence levels of value at risk and expected shortfall',
    }),
  ),
  strategy: Type.Optional(Strategy),
  seed: Type.Optional(Seed),
  snapshot_version: Type.Optional(SnapshotVersion),
  initial_utilization: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 1,
      description: 'Initial utilisation in place of the published one: an assumption of the caller',
    }),
  ),
});
export type ExitRequest = Static<typeof ExitRequestSchema>;

const Usd = (description: string) => Type.Number({ description: `${description}, USD` });
const Probability = (description: string) => Type.Number({ minimum: 0, maximum: 1, description });
const OrNull = (schema: ReturnType<typeof Type.Number>) => Nullable(schema);

/** 95 % interval of the simulation error. */
const Ci95 = Strict(
  { from: Nullable(Type.Number()), to: Nullable(Type.Number()) },
  '95 % interval of the simulation error; a null end is beyond what was simulated',
);
const ParameterCi = Nullable(
  Strict(
    { from: Type.Number(), to: Type.Number() },
    'Lowest and highest of 20 runs over resampled histories with up to 500 paths each, roughly a 90 % interval for the uncertainty of a short history; null for more than 5,000 paths',
  ),
);
const Uncertain = <P extends Record<string, ReturnType<typeof Type.Number>>>(names: P, description: string) =>
  Strict(
    {
      ...(Object.fromEntries(Object.entries(names).map(([name, schema]) => [name, OrNull(schema)])) as {
        [K in keyof P]: ReturnType<typeof OrNull>;
      }),
      standard_error: Nullable(Type.Number({ minimum: 0, description: 'Standard error of the mean' })),
      ci95: Type.Record(Type.String(), Nullable(Ci95), { description: '95 % interval of each percentile' }),
    },
    description,
  );

const Confidence = Strict({
  level: Type.Number(),
  var_usd: Nullable(
    Strict(
      { value: Type.Number(), ci95: Ci95, parameter_ci: ParameterCi },
      'Loss that is exceeded with probability 1 − level, USD; negative for a gain',
    ),
  ),
  cvar_usd: Nullable(
    Strict(
      {
        value: Type.Number(),
        standard_error: Type.Number({ minimum: 0 }),
        parameter_ci: ParameterCi,
      },
      'Mean of the losses at or above value at risk, USD (expected shortfall)',
    ),
  ),
});

export const EXIT_WARNINGS = {
  few_tail_paths:
    'the standard error of `cvar_usd` is more than a tenth of it; `need_paths` paths would be enough',
  calibration_failed: 'the published backtest of this market failed',
  withdrawable_limited:
    'the market reports more as withdrawable than is supplied and not borrowed; the latter is used',
} as const;

const Warning = Strict({
  warning: Type.Enum(Object.keys(EXIT_WARNINGS) as (keyof typeof EXIT_WARNINGS)[], {
    description: Object.entries(EXIT_WARNINGS)
      .map(([name, message]) => `\`${name}\`: ${message}`)
      .join('; '),
  }),
  level: Nullable(Type.Number({ description: '`few_tail_paths`: confidence level' })),
  need_paths: Nullable(
    Type.Integer({ minimum: 0, description: '`few_tail_paths`: number of paths that would be enough' }),
  ),
});

const Echo = Strict(
  {
    position_usd: Type.Number(),
    horizon_hours: Type.Integer(),
    paths: Type.Integer(),
    max_slippage_bps: Type.Number(),
    confidence: Type.Array(Type.Number()),
    strategy: Strategy,
    initial_utilization: Nullable(Type.Number()),
  },
  'The request with defaults filled in',
);

export const RunSnapshot = Strict({
  version: Ulid('Version of the inputs'),
  as_of: IsoTime('Logical time of its data'),
});

export const ExitFiguresSchema = Strict({
  exit_probability: Nullable(
    Strict(
      { value: Probability('Share of paths'), ci95: Ci95, parameter_ci: ParameterCi },
      'Probability that the whole position exits within the horizon',
    ),
  ),
  exit_probability_by_hour: Nullable(
    Type.Array(
      Strict({
        hour: Type.Integer({ minimum: 0 }),
        value: Probability('Probability of having exited by that hour'),
        ci95: Ci95,
      }),
    ),
  ),
  time_to_exit_hours: Strict({
    p50: Nullable(Type.Number({ description: 'Null if this percentile does not exit within the horizon' })),
    p95: Nullable(Type.Number({ description: 'Null if this percentile does not exit within the horizon' })),
    censored_share: Nullable(Probability('Share of paths that do not exit within the horizon')),
    ci95: Type.Record(Type.String(), Nullable(Ci95)),
  }),
  slippage_bps: Uncertain(
    { mean: Type.Number(), p50: Type.Number(), p95: Type.Number(), p99: Type.Number() },
    'Slippage of sales, bps, over the paths with a sale; null if the depth is unknown',
  ),
  proceeds_usd: Uncertain(
    { mean: Usd('Mean'), p01: Usd('1st percentile'), p05: Usd('5th percentile'), p50: Usd('Median') },
    'Proceeds of the sales, without slippage if the depth is unknown',
  ),
  stranded_usd: Uncertain(
    { mean: Usd('Mean'), p95: Usd('95th percentile') },
    'Value that could not exit, at the final price: neither lost nor available',
  ),
  confidence: Type.Array(Confidence, {
    description: 'By level. Loss is the position minus proceeds and stranded value',
  }),
  histogram: Nullable(
    Type.Array(
      Strict({
        from_usd: Usd('From'),
        to_usd: Usd('To, exclusive except in the last bin'),
        paths: Type.Integer(),
      }),
      { description: 'Losses of the paths, in bins of equal width' },
    ),
  ),
  attribution: Strict(
    {
      price_usd: Nullable(Usd('Loss from the price, on what was sold and what stayed')),
      slippage_usd: Nullable(Usd('Loss from slippage')),
      stranded_usd: Nullable(Usd('Stranded')),
    },
    'Means over the paths; together with the mean proceeds they add up to the position, to the cent',
  ),
});
export type ExitFigures = Static<typeof ExitFiguresSchema>;

export const ExitInputsUsedSchema = Strict({
  hours_known: Type.Integer({ minimum: 0, description: 'Hours for which all inputs are known' }),
  from: Nullable(UnixSeconds('Start of the first of these hours')),
  to: Nullable(UnixSeconds('End of the last of these hours')),
  mean_block_hours: Nullable(Type.Number({ description: 'Mean length of the blocks of the bootstrap' })),
  bucket: Nullable(Strict({ from: Type.Number(), to: Type.Number() }, 'Bucket of the initial utilisation')),
  rows_in_bucket: Nullable(Type.Integer({ minimum: 0, description: 'Known hours in that bucket' })),
  feeds: Type.Array(Type.String(), { description: '`<chain>:<feed_address>` of the price feeds' }),
});

export const ExitResultSchema = Strict({
  id: Type.String({ description: '`<chain>:<market_id>`, or `vault:<chain>:<address>`' }),
  seed: Seed,
  snapshot: RunSnapshot,
  model_version: Type.String(),
  policy_version: Type.String(),
  inputs_hash: Type.String({ description: 'SHA-256 of the input documents, see docs/analytics.md' }),
  request: Echo,
  assumed: Type.Array(Type.String(), {
    description: 'Members of the request that replaced published inputs',
  }),
  ...ExitFiguresSchema.properties,
  depth_usd: Nullable(
    Usd(
      'Amount that can be sold at a slippage of 100 bps or less: as a source of the market reports it, or what pools take, whichever is larger',
    ),
  ),
  depth_pools: Type.Array(Type.String(), {
    description: 'Ids in `pool-states` of the pools that swap the lent asset for one with a known price',
  }),
  withdrawable_usd: Nullable(Usd('Amount that can be withdrawn at once at the start of the simulation')),
  oracle_doubts: OracleDoubtsSchema,
  inputs: ExitInputsUsedSchema,
  gaps: Type.Array(AnalyticsGapSchema),
  warnings: Type.Array(Warning),
});
export type ExitResult = Static<typeof ExitResultSchema>;
