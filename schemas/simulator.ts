// The result of a run of the simulator. Amounts are in USD; interest is reported separately from values and losses.
import { AnalyticsGapSchema } from './analytics.ts';
import { IsoTime, Nullable, type Static, Strict, Type, Ulid } from './define.ts';
import { OracleDoubtsSchema } from './oracle-doubts.ts';
import { asset, POSITION_KINDS } from './simulator-request.ts';

const Usd = (description: string) => Nullable(Type.Number({ description: `${description}, USD` }));
const Count = (description: string) => Nullable(Type.Integer({ minimum: 0, description }));

const AttributionSchema = Strict(
  {
    price: Usd('By prices'),
    peg: Usd('Loss from a lost peg'),
    slippage: Usd('Loss from sales that lowered a price; null if their size or the depth is unknown'),
    liquidation_penalty: Usd('Collateral taken beyond the debt that was repaid'),
    bad_debt: Usd(
      'Null if the borrowers or their liquidations are unknown. Debt written off and shared by suppliers; for a borrower, the part that lenders bear instead, negative',
    ),
    stranded: Usd(
      'The position’s share of the debts that collateral does not cover at market, which all suppliers bear pro rata',
    ),
  },
  'Causes of the loss, which add up to it exactly; null is unknown, and then so is the loss. A gain is negative',
);

const StateSchema = Strict({
  value_usd: Usd('Value; null if an input that it depends on is missing'),
  health_factor: Nullable(
    Type.Number({ description: 'Health factor by the oracle’s price; null without debt' }),
  ),
  withdrawable_usd: Usd(
    'Amount that can be withdrawn at once: the pro rata share of what is free in the market, unless the positions are the first to leave; null if it is unknown',
  ),
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
  loss_usd: Usd(
    'Value before minus value after; null if an input that the shocks make count is missing: a gap names it',
  ),
  attribution: Nullable(AttributionSchema),
  ...loanFigures,
  interest_usd: Usd('Interest over the horizon, paid interest negative'),
  phantom_yield_usd: Usd('Interest credited that no one can pay'),
  oracle_doubts: Nullable(OracleDoubtsSchema),
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
    value_before_usd: Usd('Value before; null if that of a covered position is unknown'),
    value_after_usd: Usd('Value after; null if that of a covered position is unknown'),
    loss_usd: Usd('Loss of the covered positions; null if no position is covered'),
    attribution: AttributionSchema,
    ...loanFigures,
    interest_usd: Usd('Interest over the horizon'),
    phantom_yield_usd: Usd('Interest credited that no one can pay'),
    covered_share: Type.Number({
      minimum: 0,
      maximum: 1,
      description:
        'Share of the positions’ amounts that the totals cover: positions whose loss is known. Below 1, the totals are about a part, and the warning `totals_partial` names the rest',
    }),
    market_wide: Strict(
      loanFigures,
      'Over all loans of the markets; null if the borrowers of one market, or one of the markets, are unknown',
    ),
  }),
  positions: Type.Array(ResultSchema, { description: 'In the order of the request' }),
  markets: Type.Array(MarketResultSchema),
  prices: Type.Array(
    Strict({
      asset,
      factor: Nullable(
        Type.Array(Type.Number(), {
          description: 'By hour, 1 at the start; null if sales of unknown effect or an unknown β move it',
        }),
      ),
    }),
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
      value_usd: Usd('Value of the positions that the totals cover; null if one of them is unknown'),
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
    description:
      'Members of `assumptions` and of positions that replaced published inputs. Without `first_to_leave`, all holders of a market share its free liquidity and its uncovered debts pro rata',
  }),
  gaps: Type.Array(AnalyticsGapSchema),
  warnings: Type.Array(Type.String()),
});
export type Simulation = Static<typeof SimulationSchema>;
