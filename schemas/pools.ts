// States of automated market makers, exact to the smallest unit, as their contracts report them.
import { Nullable, type Static, Strict, Type, UnixSeconds } from './define.ts';
import { FACTS_ACCESS } from './plans.ts';

/** Dataset `pool-states`, key `<chain>:<pool>`. Exact amounts are digits in a string. */
export const PoolStateSchema = Strict({
  id: Type.String({ description: '`<chain>:<pool>`' }),
  chain: Type.String({ description: 'Chain name' }),
  pool: Type.String({ description: 'Address of the pool' }),
  venue: Nullable(Type.String()),
  kind: Type.Enum(['product', 'stable', 'ticks']),
  observed_at: UnixSeconds('Time of the state'),
  block_number: Nullable(Type.Integer({ minimum: 0 })),
  fee_pips: Type.Integer({ minimum: 0, description: 'Fee in millionths' }),
  symbols: Type.Array(Type.String(), {
    description: 'Symbols of the coins, upper case, in the order of the pool',
  }),
  decimals: Type.Array(Type.Integer({ minimum: 0, maximum: 36 })),
  reserves: Type.Array(Type.String({ pattern: '^[0-9]+$' }), {
    description: 'Reserves, in the smallest unit of each coin',
  }),
  amplification: Nullable(Type.Integer({ minimum: 1, description: '`stable`: A, as the pool reports it' })),
  sqrt_price_x96: Nullable(Type.String({ pattern: '^[0-9]+$', description: '`ticks`: √price · 2^96' })),
  liquidity: Nullable(Type.String({ pattern: '^[0-9]+$', description: '`ticks`: liquidity in range' })),
});
export type PoolState = Static<typeof PoolStateSchema>;

/** Who may read the datasets that no endpoint serves. */
export const ACCESS = {
  'pool-states': FACTS_ACCESS,
};
