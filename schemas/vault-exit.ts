// The exit of one holder from a vault: what leaves at once, what waits and for what, and what the shares are worth. Amounts are in units of
// the vault's asset unless a name says USD.
import { Nullable, type Static, Strict, Type, UnixSeconds } from './define.ts';
import { OracleDoubtsSchema } from './oracle-doubts.ts';
import { VAULT_EXIT_GAPS, type VaultExitGap } from './vault-exit-gaps.ts';
import { VAULT_KINDS } from './vaults.ts';

export const Amount = (description: string) => Nullable(Type.Number({ minimum: 0, description }));
const Fraction = (description: string) => Amount(`${description}, as a fraction`);

/** An amount in units of the asset, and its dollars. */
export const both = <A extends string, U extends string>(assets: A, usd: U, description: string) =>
  ({ [assets]: Amount(description), [usd]: Amount(`${description}, USD`) }) as Record<
    A | U,
    ReturnType<typeof Amount>
  >;

/** Units of the size of a position. */
export const EXIT_UNITS = ['shares', 'assets', 'usd'] as const;
export type ExitUnit = (typeof EXIT_UNITS)[number];

const MarketSchema = Strict({
  market: Type.String({ description: '`<chain>:<market_id>`' }),
  name: Nullable(Type.String({ description: 'Display name' })),
  via: Nullable(Type.String({ description: 'Address of the vault inside this one that holds it' })),
  is_reached: Type.Boolean({ description: 'Ordinary withdrawals take from it' }),
  ...both('assets', 'assets_usd', 'What the position has in it'),
  market_cash: Amount('What all suppliers together could withdraw from it now'),
  utilization: Fraction('Share of its supply that is lent'),
  missing_cash: Amount(
    'What must be repaid or supplied there before all that the vault has in it could be withdrawn',
  ),
});

export const VaultExitSchema = Strict({
  subject: Type.String({ description: '`vault:<chain>:<address>`' }),
  kind: Nullable(Type.Enum([...VAULT_KINDS], { description: 'Kind of contract' })),
  asset_symbol: Nullable(Type.String({ description: 'Symbol of the asset that the vault pays' })),
  asset_price_usd: Amount('Price of one unit of the asset, USD'),
  position: Strict(
    {
      shares: Amount('Whole shares'),
      ...both('assets', 'usd', 'What the contract quotes for them'),
      share_of_vault: Fraction('Share of the total assets'),
    },
    'The position, in all units that are known',
  ),
  can_leave_at_once: Nullable(
    Type.Boolean({
      description:
        'The whole position can be withdrawn now if no one else leaves; null if that is not certain: unknown, gated, or by a state that is not fresh',
    }),
  ),
  at_once: Strict(
    {
      ...both('alone_assets', 'alone_usd', 'If no one else leaves'),
      ...both(
        'shared_assets',
        'shared_usd',
        'If all suppliers of its markets and all holders leave at the same time, each with a share of the cash',
      ),
      ...both('last_assets', 'last_usd', 'If all other holders of the vault leave first'),
    },
    'What can be withdrawn at once, under three assumptions; never add them up',
  ),
  waits: Strict(
    {
      ...both(
        'for_cash_assets',
        'for_cash_usd',
        'Until borrowers repay, or others supply, in a market that ordinary withdrawals take from',
      ),
      ...both(
        'for_allocator_assets',
        'for_allocator_usd',
        'Until someone moves it to where ordinary withdrawals take from: repayments there are not enough',
      ),
      ...both(
        'unbacked_assets',
        'unbacked_usd',
        'For nothing: the contract quotes it, and the vault has nothing to pay it from',
      ),
    },
    'What cannot be withdrawn at once; with `at_once.alone` it adds up to the position',
  ),
  forced: Strict(
    {
      ...both('assets', 'usd', 'What could be received by forced withdrawals instead of waiting'),
      ...both('penalty_assets', 'penalty_usd', 'What that would cost at most'),
      penalty: Fraction('Highest penalty'),
    },
    'Forced withdrawals of what cannot be withdrawn at once',
  ),
  worth: Strict(
    {
      ...both('low_assets', 'low_usd', 'If all holders bear its losses equally, at least'),
      ...both('high_assets', 'high_usd', 'The same, at most'),
      ...both(
        'last_low_assets',
        'last_low_usd',
        'If all other holders leave first at the quoted price, and the losses stay with the position, at least',
      ),
      ...both('last_high_assets', 'last_high_usd', 'The same, at most'),
    },
    'What the position is worth after losses that its quote hides, and after bad debt that has not been written off',
  ),
  markets: Type.Array(MarketSchema, {
    description: 'Markets behind the position, through vaults inside the vault, largest amount first',
  }),
  is_complete: Type.Boolean({ description: 'All positions of the vault are in `markets` or idle' }),
  oracle_doubts: OracleDoubtsSchema,
  is_gated: Nullable(Type.Boolean({ description: 'A contract decides who may leave' })),
  flags: Type.Array(Type.String(), { description: 'Flags of the vault' }),
  state_at: Nullable(UnixSeconds('Time of the newest state')),
  state_status: Type.Enum(['fresh', 'stale', 'unverifiable', 'unknown'], {
    description: 'Freshness of that state',
  }),
  gaps: Type.Array(Type.Enum(Object.keys(VAULT_EXIT_GAPS) as VaultExitGap[]), {
    description: `What is missing where a figure is null, sorted. ${Object.entries(VAULT_EXIT_GAPS)
      .map(([name, meaning]) => `\`${name}\`: ${meaning}`)
      .join('; ')}`,
  }),
});
export type VaultExit = Static<typeof VaultExitSchema>;
