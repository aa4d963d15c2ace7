// The exit of one holder from several vaults at the same time: what leaves together, with the cash of each market and what one vault holds in
// another once. Amounts are in units of an asset unless a name says USD.
import { Nullable, type Static, Strict, Type, UnixSeconds } from './define.ts';
import { VAULT_SET_EXIT_GAPS, type VaultSetExitGap } from './vault-exit-gaps.ts';
import { Amount, both, VaultExitSchema } from './vault-exit.ts';

/** The most vaults of a set. */
export const MAX_SET_VAULTS = 50;

const { at_once: _, ...OF_VAULT } = VaultExitSchema.properties;
const { subject, kind, asset_symbol, asset_price_usd, position, is_gated, state_at, state_status } = OF_VAULT;

const Gaps = Type.Array(Type.Enum(Object.keys(VAULT_SET_EXIT_GAPS) as VaultSetExitGap[]), {
  description: `What is missing where a figure is null, or makes it uncertain, sorted. ${Object.entries(
    VAULT_SET_EXIT_GAPS,
  )
    .map(([name, meaning]) => `\`${name}\`: ${meaning}`)
    .join('; ')}`,
});

const ABOUT = {
  position: 'What the contracts quote for the positions, without what one of them has in another twice',
  held_twice: 'What is left out of that, at least: it is quoted by two positions',
  alone_sum: 'Sum of what could be withdrawn from each vault if nothing else left: more than leaves together',
  together: 'What can be withdrawn at once from all vaults together, if no one else leaves',
  shortfall: 'The sum less what leaves together: what the figures of the vaults promise more than once',
  shared:
    'What leaves if all suppliers of their markets and all holders leave at the same time, each with a share of the cash',
  for_cash:
    'Of the positions, what waits until borrowers repay, or others supply, in a market that ordinary withdrawals take from',
  for_allocator: 'What waits until someone moves it to where ordinary withdrawals take from',
  unbacked: 'What waits for nothing: the contracts quote it, and the vaults have nothing to pay it from',
} as const;
type Figure = keyof typeof ABOUT;

const inAssets = Object.fromEntries(
  Object.entries(ABOUT).map(([name, about]) => [`${name}_assets`, Amount(about)]),
) as Record<`${Figure}_assets`, ReturnType<typeof Amount>>;
const inUsd = Object.fromEntries(
  Object.entries(ABOUT).map(([name, about]) => [`${name}_usd`, Amount(`${about}, USD`)]),
) as Record<`${Figure}_usd`, ReturnType<typeof Amount>>;

const VaultSchema = Strict({
  subject,
  kind,
  asset_symbol,
  asset_price_usd,
  position,
  can_leave_at_once: Nullable(
    Type.Boolean({
      description:
        'The whole position can be withdrawn now if nothing else leaves, not even from the other vaults; null if that is not certain',
    }),
  ),
  ...both('alone_assets', 'alone_usd', 'What can be withdrawn at once if nothing else leaves'),
  ...both(
    'after_others_assets',
    'after_others_usd',
    'What is left for it if as much as possible leaves the other vaults of the set first. What leaves it is between this and `alone`, by the order',
  ),
  is_gated,
  state_at,
  state_status,
  gaps: Gaps,
});

const SharedSchema = Strict({
  kind: Type.Enum(['market', 'vault'], {
    description: 'A market, or a vault inside others or with a position of its own',
  }),
  subject: Type.String({ description: '`market:<chain>:<market_id>` or `vault:<chain>:<address>`' }),
  name: Nullable(Type.String({ description: 'Display name' })),
  available_assets: Amount('Cash of the market, or what could be withdrawn from all of the vault'),
  claims: Type.Array(
    Strict({
      subject: Type.String({ description: 'Position that reaches it, `vault:<chain>:<address>`' }),
      assets: Amount('The most that could leave the position through it, if nothing else left'),
    }),
    { description: 'At least two, ordered by vault' },
  ),
  binds: Nullable(
    Type.Boolean({
      description:
        'More would leave together if it had more to pay: each further unit of cash there lets a further unit leave',
    }),
  ),
});

export const VaultSetExitSchema = Strict({
  can_leave_at_once: Nullable(
    Type.Boolean({
      description:
        'All positions can be withdrawn completely now, together, if no one else leaves; null if that is not certain',
    }),
  ),
  ...inUsd,
  assets: Type.Array(
    Strict({
      chain: Type.String({ description: 'Chain name' }),
      asset_address: Nullable(
        Type.String({ description: 'Address of the asset; null if no registry names it' }),
      ),
      asset_symbol,
      asset_price_usd: Amount('Price of one unit at the newest state of its vaults, USD'),
      vaults: Type.Array(subject, { description: 'Its vaults' }),
      ...inAssets,
      ...inUsd,
      gaps: Gaps,
    }),
    { description: 'The parts of the set that share nothing with each other: one for each asset of a chain' },
  ),
  vaults: Type.Array(VaultSchema, { description: 'The positions, by vault' }),
  shared: Type.Array(SharedSchema, {
    description:
      'Markets and vaults through which several positions leave, those that bind first, then by asset and by the sum of the claims',
  }),
  oldest_state_at: Nullable(UnixSeconds('Time of the oldest state that the figures rest on')),
  newest_state_at: Nullable(UnixSeconds('Time of the newest one')),
  state_status: Type.Enum(['fresh', 'stale', 'unverifiable', 'unknown'], {
    description: 'The worst of the vaults, in this order',
  }),
  gaps: Gaps,
});
export type VaultSetExit = Static<typeof VaultSetExitSchema>;
export type AssetSetExit = VaultSetExit['assets'][number];
