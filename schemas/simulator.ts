// Runs of the simulator: what is asked, and what comes out. Amounts are in USD; interest is counted apart from values and losses.
import { AnalyticsGapSchema } from './analytics.ts';
import { IsoTime, Nullable, type Static, Strict, Type, Ulid } from './define.ts';
import { MAX_SEED } from './run-request.ts';
import { MAX_HORIZON_HOURS, MAX_SHOCKS, ShockSchema } from './shocks.ts';

export const POSITION_KINDS = ['supply', 'borrow', 'vault', 'pool'] as const;
/** How a market finds its price. */
export const ORACLE_KINDS = ['live', 'exchange_rate', 'hardcoded'] as const;
export type OracleKind = (typeof ORACLE_KINDS)[number];
/** Versions of the rules by which loans are liquidated. */
export const LOAN_RULES = ['aave-v2', 'aave-v3', 'aave-v3.3', 'morpho-blue'] as const;
export type LoanRules = (typeof LOAN_RULES)[number];

export const MAX_POSITIONS = 100;
export const DEFAULT_HORIZON_HOURS = 72;
const MAX_AMOUNT_USD = 1e12;

const Amount = (description: string) =>
  Type.Number({ minimum: 0.01, maximum: MAX_AMOUNT_USD, description: `${description}, USD` });
const Fraction = (description: string, maximum = 1) => Type.Number({ minimum: 0, maximum, description });
const asset = Type.String({
  minLength: 1,
  maxLength: 64,
  description: 'Symbol of the asset',
  examples: ['ETH'],
});
const market = Type.String({
  minLength: 3,
  maxLength: 256,
  description: '`<chain>:<market_id>`',
  examples: ['ethereum:0xa1'],
});

const CollateralSchema = Strict({
  asset,
  amount_usd: Amount('Value'),
  liquidation_threshold: Type.Optional(
    Fraction('Share that counts against the debt; that of the asset’s market when left out'),
  ),
  liquidation_bonus: Type.Optional(
    Fraction('What a liquidator gains, as a fraction; by the rules of the market when left out'),
  ),
  protocol_fee: Type.Optional(Fraction('Share of the bonus that the protocol keeps')),
});

const DebtSchema = Strict({
  asset,
  amount_usd: Amount('What is owed'),
  market: Type.Optional(market),
});

export const SimulatedPositionSchema = Strict({
  kind: Type.Enum([...POSITION_KINDS], {
    description:
      '`supply`: lent to a `market`. `borrow`: `collateral` and `debt`. `vault`: shares of a `vault`. `pool`: shares of a `pool`',
  }),
  id: Type.Optional(
    Type.String({ minLength: 1, maxLength: 64, description: 'Own name, unique in the request' }),
  ),
  amount_usd: Type.Optional(Amount('`supply`, `vault`, `pool`: value')),
  market: Type.Optional(market),
  vault: Type.Optional(
    Type.String({ minLength: 3, maxLength: 256, description: '`vault`: `<chain>:<vault_address>`' }),
  ),
  pool: Type.Optional(
    Type.String({ minLength: 3, maxLength: 256, description: '`pool`: `<chain>:<pool_address>`' }),
  ),
  assets: Type.Optional(
    Type.Array(asset, {
      minItems: 2,
      maxItems: 4,
      description: '`pool`, instead of its address: coins of a constant-product pool, in equal parts',
    }),
  ),
  rules: Type.Optional(
    Type.Enum([...LOAN_RULES], {
      description: '`borrow`: rules of liquidation; those of the market’s protocol when left out',
    }),
  ),
  oracle: Type.Optional(
    Type.Enum([...ORACLE_KINDS], {
      description:
        '`borrow`: how the oracle finds its price. `exchange_rate`: it does not see a lost peg. `hardcoded`: it never moves. `live` when left out',
    }),
  ),
  collateral: Type.Optional(Type.Array(CollateralSchema, { minItems: 1, maxItems: 10 })),
  debt: Type.Optional(Type.Array(DebtSchema, { minItems: 1, maxItems: 10 })),
});
export type SimulatedPosition = Static<typeof SimulatedPositionSchema>;

export const AssumptionsSchema = Strict(
  {
    depth_usd: Type.Optional(
      Type.Array(Strict({ asset, usd: Type.Number({ minimum: 0, maximum: MAX_AMOUNT_USD }) }), {
        maxItems: 50,
        description: 'What can be sold at 100 bps of slippage',
      }),
    ),
    oracles: Type.Optional(
      Type.Array(Strict({ market, oracle: Type.Enum([...ORACLE_KINDS]) }), {
        maxItems: 50,
        description: 'How the oracles of markets find their prices',
      }),
    ),
    beta: Type.Optional(
      Type.Array(Strict({ asset, beta: Type.Number({ minimum: -10, maximum: 10 }) }), {
        maxItems: 50,
        description: 'β of assets on the one that the shock names',
      }),
    ),
  },
  'Own assumptions in place of published inputs; all of them are listed in `assumed`',
);

export const SimulatorRequestSchema = Strict({
  scenario_id: Type.Optional(
    Type.String({ maxLength: 256, description: 'A preset scenario, instead of `shocks`' }),
  ),
  subject: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 256,
      description: 'Replaces the default subject of the scenario, where it has one',
    }),
  ),
  shocks: Type.Optional(Type.Array(ShockSchema, { minItems: 1, maxItems: MAX_SHOCKS })),
  positions: Type.Array(SimulatedPositionSchema, { minItems: 1, maxItems: MAX_POSITIONS }),
  horizon_hours: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_HORIZON_HOURS,
      description: 'That of the scenario when left out, else 72. What a path has beyond it is cut off',
    }),
  ),
  seed: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: MAX_SEED,
      description: 'Part of the identity of the run. Nothing in it is drawn at random',
    }),
  ),
  assumptions: Type.Optional(AssumptionsSchema),
});
export type SimulatorRequest = Static<typeof SimulatorRequestSchema>;

const Usd = (description: string) => Nullable(Type.Number({ description: `${description}, USD` }));
const Count = (description: string) => Nullable(Type.Integer({ minimum: 0, description }));

const AttributionSchema = Strict(
  {
    price: Usd('By prices'),
    peg: Usd('By a lost peg'),
    slippage: Usd('By sales that lowered a price; null where the depth is not known'),
    liquidation_penalty: Usd('Collateral taken beyond the debt that was repaid'),
    bad_debt: Usd('Written off and shared by suppliers. Of a borrower: what lenders bear instead, negative'),
    stranded: Usd('Neither covered by collateral at market nor possible to withdraw'),
  },
  'Causes of the loss; those that are known add up to it exactly. A gain is negative',
);

const StateSchema = Strict({
  value_usd: Type.Number(),
  health_factor: Nullable(Type.Number({ description: 'As the oracle sees it; null without debt' })),
  withdrawable_usd: Type.Number({ description: 'Can be taken out at once' }),
});

const loanFigures = {
  liquidations: Count('Liquidations'),
  liquidated_usd: Usd('Debt repaid by liquidators'),
  bad_debt_usd: Usd('Debt written off without collateral'),
  unrealised_bad_debt_usd: Usd('Debt at the end that the collateral does not cover at market'),
};

const ResultSchema = Strict({
  id: Type.String({ description: 'Own name, or `positions/<place>`' }),
  kind: Type.Enum([...POSITION_KINDS]),
  before: Nullable(StateSchema),
  after: Nullable(StateSchema),
  loss_usd: Usd('Value before less value after; null where an input is missing'),
  attribution: Nullable(AttributionSchema),
  ...loanFigures,
  interest_usd: Usd('Interest over the horizon, paid interest negative'),
  phantom_yield_usd: Usd('Interest credited that no one can pay'),
});

const Series = (description: string) => Type.Array(Nullable(Type.Number()), { description });

const MarketResultSchema = Strict({
  id: Type.String({ description: '`<chain>:<market_id>`' }),
  ...loanFigures,
  utilization: Series('By hour, as a fraction'),
  borrow_rate: Series('By hour, as a fraction a year'),
  withdrawable_usd: Series('By hour, USD'),
});

export const FiredEventSchema = Strict({
  type: Type.String(),
  hour: Type.Integer({ minimum: 0, description: 'Hour of the simulation' }),
  severity: Nullable(Type.String()),
  subject_id: Type.String(),
  data: Type.Object({}, { additionalProperties: true, description: 'As in the event of this type' }),
});
export type FiredEvent = Static<typeof FiredEventSchema>;

export const SimulationSchema = Strict({
  scenario: Nullable(
    Strict({
      id: Type.String(),
      version: Type.Integer(),
      title: Type.String(),
      subject: Nullable(Type.String({ description: 'Subject of the shocks, where the scenario has one' })),
    }),
  ),
  seed: Type.Integer(),
  snapshot: Strict({ version: Ulid('Version that the inputs are from'), as_of: IsoTime('Time of its data') }),
  model_version: Type.String(),
  policy_version: Type.String(),
  inputs_hash: Type.String({ description: 'SHA-256 of the published inputs that were used' }),
  request: Type.Object({}, { additionalProperties: true, description: 'The request with its defaults' }),
  totals: Strict({
    value_before_usd: Type.Number(),
    value_after_usd: Type.Number(),
    loss_usd: Type.Number(),
    attribution: AttributionSchema,
    ...loanFigures,
    interest_usd: Usd('Interest over the horizon'),
    phantom_yield_usd: Usd('Interest credited that no one can pay'),
    covered_share: Type.Number({
      minimum: 0,
      maximum: 1,
      description: 'Share of the positions’ value that the totals are about: the rest lacks an input',
    }),
    market_wide: Strict(
      loanFigures,
      'Of all loans of the markets; null where the borrowers of one are not known',
    ),
  }),
  positions: Type.Array(ResultSchema, { description: 'In the order of the request' }),
  markets: Type.Array(MarketResultSchema),
  prices: Type.Array(
    Strict({ asset, factor: Type.Array(Type.Number(), { description: 'By hour, 1 at the start' }) }),
  ),
  depths: Type.Array(
    Strict({
      asset,
      usd: Usd('Can be sold at 100 bps of slippage at the start'),
      from: Nullable(
        Type.Enum(['assumed', 'reported', 'pools'], {
          description:
            '`assumed` by the caller, `reported` by a source of the deepest market that lends the asset, or what `pools` take, the larger of the two',
        }),
      ),
      pools: Type.Array(Type.String(), { description: '`pools`: their ids in `pool-states`' }),
    }),
    { description: 'Of every asset that liquidators may have to sell; null where nothing is known' },
  ),
  timeline: Type.Array(
    Strict({
      hour: Type.Integer({ minimum: 0 }),
      value_usd: Type.Number({ description: 'Of the positions that the totals are about' }),
      ...loanFigures,
    }),
    { description: 'Hours 0 to the horizon; figures of loans are sums over the markets since the start' },
  ),
  vaults: Type.Array(
    Strict({ id: Type.String(), unmet_outflow_usd: Usd('What depositors wanted to take out and could not') }),
  ),
  events_that_would_fire: Nullable(Type.Array(FiredEventSchema)),
  assumed: Type.Array(Type.String(), {
    description: 'Members of `assumptions` and of positions that were used',
  }),
  gaps: Type.Array(AnalyticsGapSchema),
  warnings: Type.Array(Type.String()),
});
export type Simulation = Static<typeof SimulationSchema>;
