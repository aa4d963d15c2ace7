// How lending markets set their rates, and how far their borrowers are from liquidation.
import { Nullable, type Static, Strict, Type, UnixSeconds } from './define.ts';
import { FACTS_ACCESS } from './plans.ts';

const chain = Type.String({ description: 'Chain name' });
const market_id = Type.String({ description: 'Id of the market on its chain' });

/** Dataset `borrower-tranches`, key `<chain>:<market_id>`. */
export const BorrowerTranchesSchema = Strict({
  id: Type.String({ description: '`<chain>:<market_id>`' }),
  chain,
  market_id,
  observed_at: UnixSeconds('Time of the report'),
  price_basis: Nullable(
    Type.Enum(['oracle', 'market'], {
      description:
        'Price that the falls and the collateral refer to: that of the market’s oracle, or the market price; null if the source does not say',
    }),
  ),
  tranches: Type.Array(
    Strict({
      fall_from: Type.Number({
        description:
          'Smallest fall of the collateral’s price at which debt of the tranche can be liquidated, as a fraction',
      }),
      fall_to: Type.Number({ description: 'Largest such fall, as a fraction' }),
      debt_usd: Type.Number({ minimum: 0, description: 'Debt, USD' }),
      collateral_usd: Type.Number({
        minimum: 0,
        description: 'Collateral at the price of `price_basis`, USD',
      }),
    }),
    { description: 'Nearest to liquidation first' },
  ),
});
export type BorrowerTranches = Static<typeof BorrowerTranchesSchema>;

/** Dataset `rate-models`, key `<chain>:<market_id>`. Rates are fractions a year. */
export const RateModelSchema = Strict({
  id: Type.String({ description: '`<chain>:<market_id>`' }),
  chain,
  market_id,
  observed_at: UnixSeconds('Time of the report'),
  kind: Type.Enum(['kinked', 'adaptive']),
  base: Nullable(Type.Number({ description: '`kinked`: rate at a utilisation of 0' })),
  slope1: Nullable(Type.Number({ description: '`kinked`: rise of the rate up to the optimal utilisation' })),
  slope2: Nullable(
    Type.Number({ description: '`kinked`: rise of the rate from there to a utilisation of 1' }),
  ),
  optimal: Nullable(Type.Number({ minimum: 0, maximum: 1, description: '`kinked`: optimal utilisation' })),
  rate_at_target: Nullable(Type.Number({ description: '`adaptive`: rate at the target utilisation' })),
  reserve_factor: Nullable(
    Type.Number({ minimum: 0, maximum: 1, description: 'Share of interest that the protocol keeps' }),
  ),
});
export type RateModel = Static<typeof RateModelSchema>;

/** Who may read the datasets that no endpoint serves. */
export const ACCESS = {
  'borrower-tranches': FACTS_ACCESS,
  'rate-models': FACTS_ACCESS,
};
