// Exit Monte Carlo: request and response of `POST /v2/liquidity/{id}/exit-monte-carlo` (decision 53). Rounded on output: USD and bps to
// two decimals, probabilities to six.
import { AnalyticsGapSchema } from './analytics.ts';
import { IsoTime, Nullable, type Static, Strict, Type, Ulid, UnixSeconds } from './define.ts';
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
      '`immediate`: all of it leaves as soon as it can. `{twap: {slices}}`: equal parts fall due over the horizon, the first at once',
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
      description: 'Hours in which the position must leave',
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
      description:
        'Maximum slippage of the sale of one hour, bps; it limits nothing where the depth is not known',
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
      description: 'Utilisation to begin with instead of the published one: an assumption of the caller',
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
    'Lowest and highest of 20 runs over resampled histories with up to 500 paths each, about a 90 % interval of what the short history leaves open; null for more than 5,000 paths',
  ),
);
const Uncertain = <P extends Record<string, ReturnType<typeof Type.Number>>>(names: P, description: string) =>
  Strict(
    {
      ...(Object.fromEntries(Object.entries(names).map(([name, schema]) => [name, OrNull(schema)])) as {
        [K in keyof P]: ReturnType<typeof OrNull>;
      }),
      standard_error: Nullable(Type.Number({ minimum: 0, description: 'Of the mean' })),
      ci95: Type.Record(Type.String(), Nullable(Ci95), { description: 'Of each percentile' }),
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
      'Mean of the losses from there upward, USD (expected shortfall)',
    ),
  ),
});

export const EXIT_WARNINGS = {
  few_tail_paths: 'the standard error of `cvar_usd` is above a tenth of it: `need_paths` would bring it down',
  calibration_failed: 'the published backtest of this market failed',
} as const;

const Warning = Strict({
  warning: Type.Enum(Object.keys(EXIT_WARNINGS) as (keyof typeof EXIT_WARNINGS)[], {
    description: Object.entries(EXIT_WARNINGS)
      .map(([name, words]) => `\`${name}\`: ${words}`)
      .join('; '),
  }),
  level: Nullable(Type.Number({ description: '`few_tail_paths`: confidence level' })),
  need_paths: Nullable(Type.Integer({ minimum: 0, description: '`few_tail_paths`: paths that would do' })),
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
  'The request with its defaults',
);

export const RunSnapshot = Strict({
  version: Ulid('Version of the inputs'),
  as_of: IsoTime('Logical time of that version'),
});

export const ExitFiguresSchema = Strict({
  exit_probability: Nullable(
    Strict(
      { value: Probability('Share of the paths'), ci95: Ci95, parameter_ci: ParameterCi },
      'Probability that all of the position leaves within the horizon',
    ),
  ),
  exit_probability_by_hour: Nullable(
    Type.Array(
      Strict({ hour: Type.Integer({ minimum: 0 }), value: Probability('Left by then'), ci95: Ci95 }),
    ),
  ),
  time_to_exit_hours: Strict({
    p50: Nullable(Type.Number({ description: 'Null where it is among the paths that do not leave' })),
    p95: Nullable(Type.Number({ description: 'Null where it is among the paths that do not leave' })),
    censored_share: Nullable(Probability('Share of the paths that do not leave within the horizon')),
    ci95: Type.Record(Type.String(), Nullable(Ci95)),
  }),
  slippage_bps: Uncertain(
    { mean: Type.Number(), p50: Type.Number(), p95: Type.Number(), p99: Type.Number() },
    'Slippage of what was sold, bps, over the paths that sold something; null where the depth is not known',
  ),
  proceeds_usd: Uncertain(
    { mean: Usd('Mean'), p01: Usd('1st percentile'), p05: Usd('5th percentile'), p50: Usd('Median') },
    'What the sales bring, without slippage where the depth is not known',
  ),
  stranded_usd: Uncertain(
    { mean: Usd('Mean'), p95: Usd('95th percentile') },
    'Value that could not leave, at the price of the end: neither lost nor available',
  ),
  confidence: Type.Array(Confidence, {
    description: 'By level. Loss is the position less its proceeds and what is stranded',
  }),
  histogram: Nullable(
    Type.Array(
      Strict({ from_usd: Usd('From'), to_usd: Usd('Below, in the last one up to'), paths: Type.Integer() }),
      { description: 'Losses of the paths, in parts of equal width' },
    ),
  ),
  attribution: Strict(
    {
      price_usd: Nullable(Usd('Lost by the price, on what was sold and what stayed')),
      slippage_usd: Nullable(Usd('Lost by slippage')),
      stranded_usd: Nullable(Usd('Stranded')),
    },
    'Means over the paths; with the mean of the proceeds they add up to the position to the cent',
  ),
});
export type ExitFigures = Static<typeof ExitFiguresSchema>;

export const ExitInputsUsedSchema = Strict({
  hours_known: Type.Integer({ minimum: 0, description: 'Hours of which all inputs are known' }),
  from: Nullable(UnixSeconds('Start of the first of them')),
  to: Nullable(UnixSeconds('End of the last of them')),
  mean_block_hours: Nullable(Type.Number({ description: 'Mean length of the blocks of the bootstrap' })),
  bucket: Nullable(
    Strict(
      { from: Type.Number(), to: Type.Number() },
      'Bucket of the utilisation that the simulation begins with',
    ),
  ),
  rows_in_bucket: Nullable(Type.Integer({ minimum: 0, description: 'Known hours in that bucket' })),
  feeds: Type.Array(Type.String(), { description: '`<chain>:<feed_address>` of the price feeds' }),
});

export const ExitResultSchema = Strict({
  id: Type.String({ description: '`<chain>:<market_id>`' }),
  seed: Seed,
  snapshot: RunSnapshot,
  model_version: Type.String(),
  policy_version: Type.String(),
  inputs_hash: Type.String({ description: 'SHA-256 of the input documents, see docs/analytics.md' }),
  request: Echo,
  assumed: Type.Array(Type.String(), { description: 'Members of the request that replace published inputs' }),
  ...ExitFiguresSchema.properties,
  depth_usd: Nullable(
    Usd(
      'Can be sold at 100 bps or less: as a source of the market reports it, or what pools take, if that is more',
    ),
  ),
  depth_pools: Type.Array(Type.String(), {
    description: 'Ids of the pools in `pool-states` that take the lent asset for another with a known price',
  }),
  withdrawable_usd: Nullable(Usd('Can be withdrawn at once, as the simulation begins')),
  inputs: ExitInputsUsedSchema,
  gaps: Type.Array(AnalyticsGapSchema),
  warnings: Type.Array(Warning),
});
export type ExitResult = Static<typeof ExitResultSchema>;
