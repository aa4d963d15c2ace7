// Figures of a set of vaults: what several vaults hold, and what could be withdrawn from all of them, each amount once.
import { Nullable, type Static, Strict, Type, UnixSeconds } from './define.ts';

const Amount = (description: string) => Nullable(Type.Number({ minimum: 0, description }));
const Text = (description: string) => Nullable(Type.String({ description }));

const ofAsset = {
  total_assets: Amount('Total assets, those of a vault inside another one once'),
  held_twice_assets: Amount(
    'Total assets of its vaults that are in other vaults of the set: left out of the sum',
  ),
  withdrawable_assets: Amount('What could be withdrawn from all of its vaults if no one else withdrew'),
  withdrawable_shared_assets: Amount('The share of every market’s cash that belongs to its vaults'),
};

const inUsd = {
  total_assets_usd: Amount('Total assets, those of a vault inside another one once, USD'),
  held_twice_usd: Amount(
    'Total assets of vaults that are in other vaults of the set, USD: left out of the sum',
  ),
  withdrawable_usd: Amount(
    'What could be withdrawn from all vaults if no one else withdrew, USD: the cash of each market once',
  ),
  withdrawable_shared_usd: Amount('The share of every market’s cash that belongs to the vaults, USD'),
  unrealised_bad_debt_low_usd: Amount(
    'Bad debt of the markets that has not been written off, as far as the vaults bear it, USD, that of a vault inside another one once: at least',
  ),
  unrealised_bad_debt_high_usd: Amount('The same, USD: at most'),
};

const Gaps = Type.Array(Type.String(), { description: 'What is missing where a figure is null, sorted' });

export const VaultTotalsSchema = Strict({
  vaults: Type.Integer({ minimum: 0, description: 'Vaults of the set' }),
  ...inUsd,
  withdrawable_share: Amount('What could be withdrawn, of the total assets, as a fraction'),
  assets: Type.Array(
    Strict({
      chain: Type.String({ description: 'Chain name' }),
      asset_address: Text('Address of the asset; null if no registry names it'),
      asset_symbol: Text('Symbol of the asset'),
      asset_price_usd: Amount('Price of one unit at the newest state of its vaults, USD'),
      vaults: Type.Integer({ minimum: 1, description: 'Vaults with this asset' }),
      ...ofAsset,
      ...inUsd,
      gaps: Gaps,
    }),
    {
      description:
        'The parts of the set that share nothing with each other: one for each asset of a chain; vaults in no registry belong to the asset whose markets or vaults they hold',
    },
  ),
  unknown: Type.Array(
    Strict({
      chain: Text('Chain name; null if the request did not name it'),
      vault_address: Type.String({ description: 'Address of the vault' }),
      gaps: Gaps,
    }),
    {
      maxItems: 100,
      description:
        'Vaults because of which a figure is null, first by chain and address. `vault_unknown`: requested, but not published; `held_back`: a failed check holds its figures back. Those of which a filter cannot say whether they belong to the set: `asset_unknown`, `assets_unknown` (`min_assets_usd`), `changes_unknown` (`has_pending`), `curator_unknown`, `kind_unknown`, `protocol_unknown`',
    },
  ),
  unknown_vaults: Type.Integer({ minimum: 0, description: 'Their number, listed or not' }),
  oldest_state_at: Nullable(UnixSeconds('Time of the oldest state that the figures rest on')),
  newest_state_at: Nullable(UnixSeconds('Time of the newest one')),
  state_status: Type.Enum(['fresh', 'stale', 'unverifiable', 'unknown'], {
    description: 'The worst of the vaults, in this order',
  }),
  gaps: Gaps,
});
export type VaultTotals = Static<typeof VaultTotalsSchema>;
export type AssetTotals = VaultTotals['assets'][number];
