// A request for a run of the simulator. Amounts are in USD.
import { type Static, Strict, Type } from './define.ts';
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
export const asset = Type.String({
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
    first_to_leave: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          'The positions withdraw before all others who are still in their markets and vaults, and share what is free among themselves. By default all holders share it pro rata',
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
