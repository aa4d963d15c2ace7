// Shocks of a simulation: what moves, by how much and when. All factors apply to the value at the start, so 1 is no change.
import { type Static, Strict, Type } from './define.ts';

export const SHOCK_KINDS = {
  price: 'factor on the price of an asset that its oracle and its exchange rate reflect',
  peg: 'factor on the price of an asset that an exchange rate does not reflect',
  oracle_freeze:
    '0 while the oracle of an asset or of a market holds its price, 1 while it is live; no slopes',
  withdrawable: 'factor on what can be withdrawn from a market; utilisation follows as if suppliers had left',
  utilization: 'factor on the utilisation of a market, at most 1; what can be withdrawn follows',
  depth: 'factor on how much of an asset can be sold',
  vault_outflow:
    'factor on the assets of a vault, or of all vaults of `curator:<id>`: depositors leave, and none come',
} as const;
export type ShockKind = keyof typeof SHOCK_KINDS;

export const MAX_SHOCKS = 20;
export const MAX_PATH_POINTS = 200;
export const MAX_HORIZON_HOURS = 720;
/** Large enough to bring any utilisation to 1. */
export const MAX_FACTOR = 1_000;

const subject = Type.String({
  minLength: 1,
  maxLength: 256,
  description:
    'Symbol of an asset, `<chain>:<market_id>`, `<chain>:<vault_address>` or `curator:<id>`, depending on the kind; `*` for everything of its kind that the positions touch',
  examples: ['ETH'],
});

const path = Type.Array(
  Type.Array(Type.Number({ minimum: 0, maximum: MAX_FACTOR }), { minItems: 2, maxItems: 2 }),
  {
    minItems: 1,
    maxItems: MAX_PATH_POINTS,
    description:
      '`[hour, factor]`: whole hours up to 720, ascending. Factors are joined by straight lines; before the first point nothing changes, after the last its factor holds',
    examples: [
      [
        [0, 1],
        [24, 0.7],
      ],
    ],
  },
);

export const ShockSchema = Strict({
  kind: Type.Enum(Object.keys(SHOCK_KINDS) as ShockKind[], {
    description: Object.entries(SHOCK_KINDS)
      .map(([kind, message]) => `\`${kind}\`: ${message}`)
      .join('; '),
  }),
  subject,
  path,
  others: Type.Optional(
    Type.Enum(['hold', 'beta'], {
      default: 'hold',
      description:
        '`price`: how assets without a shock of their own move. `beta`: each follows this one by its own β over the last 90 days',
    }),
  ),
  source: Type.Optional(Type.String({ maxLength: 256, description: 'Where the path comes from' })),
});
export type Shock = Static<typeof ShockSchema>;
