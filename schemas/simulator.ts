// Runs of the simulator: request and response. Amounts are in USD; interest is reported separately from values and losses.
import { AnalyticsGapSchema } from './analytics.ts';
import { IsoTime, Nullable, type Static, Strict, Type, Ulid } from './define.ts';
import { MAX_SEED } from './run-request.ts';
import { MAX_HORIZON_HOURS, MAX_SHOCKS, ShockSchema } from './shocks.ts';

export const POSITION_KINDS = ['supply', 'borrow', 'vault', 'pool'] as const;
/** How a market determines its price. */
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
    Fraction('Share of the collateral that counts against the debt; by default that of the asset’s market'),
  ),
  liquidation_bonus: Type.Optional(
    Fraction('Bonus of a liquidator, as a fraction; by default by the rules of the market'),
  ),
  protocol_fee: Type.Optional(Fraction('Share of the bonus that the protocol keeps')),
});

const DebtSchema = Strict({
  asset,
  amount_usd: Amount('Debt'),
  market: Type.Optional(market),
});

export const SimulatedPositionSchema = Strict({
  kind: Type.Enum([...POSITION_KINDS], {
    description:
      '`supply`: lent to a `market`. `borrow`: `collateral` and `debt`. `vault`: shares of a `vault`. `pool`: shares of a `pool`',
  }),
  id: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'Name chosen by the caller, unique in the request',
    }),
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
      description: '`borrow`: rules of liquidation; by default those of the market’s protocol',
    }),
  ),
  oracle: Type.Optional(
    Type.Enum([...ORACLE_KINDS], {
      description:
        '`borrow`: how the oracle determines its price. `exchange_rate`: it does not reflect a lost peg. `hardcoded`: it never moves. Default `live`',
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
        description: 'Amounts that can be sold at a slippage of 100 bps',
      }),
    ),
    oracles: Type.Optional(
      Type.Array(Strict({ market, oracle: Type.Enum([...ORACLE_KINDS]) }), {
        maxItems: 50,
        description: 'How the oracles of markets determine their prices',
      }),
    ),
    beta: Type.Optional(
      Type.Array(Strict({ asset, beta: Type.Number({ minimum: -10, maximum: 10 }) }), {
        maxItems: 50,
        description: 'β of assets on the asset that the shock names',
      }),
    ),
  },
  'Assumptions of the caller in place of published inputs; all of them are listed in `assumed`',
);

export const SimulatorRequestSchema = Strict({
  scenario_id: Type.Optional(
    Type.String({ maxLength: 256, description: 'A preset scenario, instead of `shocks`' }),
  ),
  subject: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 256,
      description: 'Replaces the default subject of the scenario, if it has one',
    }),
  ),
  shocks: Type.Optional(Type.Array(ShockSchema, { minItems: 1, maxItems: MAX_SHOCKS })),
  positions: Type.Array(SimulatedPositionSchema, { minItems: 1, maxItems: MAX_POSITIONS }),
  horizon_hours: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_HORIZON_HOURS,
      description: 'Horizon, hours; by default that of the scenario, else 72. Paths are cut off there',
    }),
  ),
  seed: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: MAX_SEED,
      description: 'Part of the run’s identity. The run itself uses no random numbers',
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
    peg: Usd('Loss from a lost peg'),
    slippage: Usd('Loss from sales that lowered a price; null if the depth is unknown'),
    liquidation_penalty: Usd('Collateral taken beyond the debt that was repaid'),
    bad_debt: Usd(
      'Debt written off and shared by suppliers; for a borrower, the part that lenders bear instead, negative',
    ),
    stranded: Usd('Value neither covered by collateral at market nor withdrawable'),
  },
  'Causes of the loss; the known causes add up to it exactly. A gain is negative',
);

const StateSchema = Strict({
  value_usd: Type.Number(),
  health_factor: Nullable(
    Type.Number({ description: 'Health factor by the oracle’s price; null without debt' }),
  ),
  withdrawable_usd: Type.Number({ description: 'Amount that can be withdrawn at once' }),
});

const loanFigures = {
  liquidations: Count('Liquidations'),
  liquidated_usd: Usd('Debt repaid by liquidators'),
  bad_debt_usd: Usd('Debt written off without collateral'),
  unrealised_bad_debt_usd: Usd('Debt at the end that the collateral does not cover at market'),
};

const ResultSchema = Strict({
  id: Type.String({ description: 'Name given in the request, or `positions/<index>`' }),
  kind: Type.Enum([...POSITION_KINDS]),
  before: Nullable(StateSchema),
  after: Nullable(StateSchema),
  loss_usd: Usd('Value before minus value after; null if an input is missing'),
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
      subject: Nullable(Type.String({ description: 'Subject of the shocks, if the scenario has one' })),
    }),
  ),
  seed: Type.Integer(),
  snapshot: Strict({
    version: Ulid('Version of the inputs'),
    as_of: IsoTime('Logical time of its data'),
  }),
  model_version: Type.String(),
  policy_version: Type.String(),
  inputs_hash: Type.String({ description: 'SHA-256 of the published inputs used' }),
  request: Type.Object(
    {},
    { additionalProperties: true, description: 'The request with defaults filled in' },
  ),
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
      description: 'Share of the positions’ value that the totals cover; the rest lacks an input',
    }),
    market_wide: Strict(
      loanFigures,
      'Over all loans of the markets; null if the borrowers of one market are unknown',
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
      usd: Usd('Amount that can be sold at a slippage of 100 bps at the start'),
      from: Nullable(
        Type.Enum(['assumed', 'reported', 'pools'], {
          description:
            '`assumed` by the caller, else the larger of what is `reported` by a source of the deepest market that lends the asset and what `pools` take',
        }),
      ),
      pools: Type.Array(Type.String(), { description: '`pools`: ids of the pools in `pool-states`' }),
    }),
    { description: 'Depth of every asset that liquidators may have to sell; null if nothing is known' },
  ),
  timeline: Type.Array(
    Strict({
      hour: Type.Integer({ minimum: 0 }),
      value_usd: Type.Number({ description: 'Value of the positions that the totals cover' }),
      ...loanFigures,
    }),
    { description: 'Hours 0 to the horizon; figures about loans are sums over the markets since the start' },
  ),
  vaults: Type.Array(
    Strict({
      id: Type.String(),
      unmet_outflow_usd: Usd('Amount that depositors wanted to withdraw and could not'),
    }),
  ),
  events_that_would_fire: Nullable(Type.Array(FiredEventSchema)),
  assumed: Type.Array(Type.String(), {
    description: 'Members of `assumptions` and of positions that replaced published inputs',
  }),
  gaps: Type.Array(AnalyticsGapSchema),
  warnings: Type.Array(Type.String()),
});
export type Simulation = Static<typeof SimulationSchema>;
