// The peg policy and its tables: the weights of price sources, and each asset with all the rules that apply to it.
import { PRICE_SOURCE_KINDS } from '../../../schemas/oracles.ts';
import { definePolicy } from '../../define/policy/define.ts';
import { type AssetName, assetName, pegContradictions } from './peg-contradictions.ts';
import { type PegAsset, type PegPolicy, pegSchema } from './peg-schema.ts';
import { PEGGED_ASSETS } from './pegged-assets.ts';

export const pegPolicy = definePolicy({
  section: 'peg',
  schema: pegSchema,
  lists: {
    assets: {
      name: (entry) => assetName(entry as unknown as PegAsset),
      either: ['reference_price', 'reference_pair'],
    },
    sources: { name: ({ chain, feed_address }) => `${chain}|${feed_address}` },
  },
  contradictions: pegContradictions,
  tables: [
    {
      name: 'peg_weight',
      columns: { source_kind: 'VARCHAR', weight: 'DOUBLE' },
      rows: ({ weights }) => PRICE_SOURCE_KINDS.map((kind) => ({ source_kind: kind, weight: weights[kind] })),
    },
    {
      name: 'peg_source',
      columns: {
        chain: 'VARCHAR',
        feed_address: 'VARCHAR',
        asset_id: 'VARCHAR',
        source_kind: 'VARCHAR',
        weight: 'DOUBLE',
        pool_address: 'VARCHAR',
      },
      rows: ({ sources }) => sources.map((source) => ({ ...source })),
    },
    {
      name: 'peg_asset',
      columns: {
        symbol: 'VARCHAR',
        quote: 'VARCHAR',
        asset_id: 'VARCHAR',
        chain: 'VARCHAR',
        is_main_quote: 'BOOLEAN',
        kind: 'VARCHAR',
        reference_price: 'VARCHAR',
        reference_pair: 'VARCHAR',
        enter_bps: 'DOUBLE',
        exit_bps: 'DOUBLE',
        is_downside_only: 'BOOLEAN',
        reference_fall_bps: 'DOUBLE',
        is_feed_deviation_floor: 'BOOLEAN',
        feed_band_margin_bps: 'DOUBLE',
        agreement: 'VARCHAR',
        is_disagreement_reported: 'BOOLEAN',
        lag_multiple: 'DOUBLE',
        pool_min_depth: 'DOUBLE',
        pool_full_depth: 'DOUBLE',
        confirm_observations: 'BIGINT',
        confirm_spacing_s: 'BIGINT',
        immediate_multiple: 'DOUBLE',
        recovery_hold_s: 'BIGINT',
        recovery_min_observed_fraction: 'DOUBLE',
        default_heartbeat_s: 'BIGINT',
      },
      rows: ({ assets, ...peg }) =>
        assets.map((asset) => ({
          ...assetRow(asset, peg),
          is_main_quote: asset.quote === mainQuote(asset.symbol, assets),
        })),
    },
  ],
});

/** The quote of the peg that has the plain name of its symbol: that of the defaults, else USD, else the first by name. */
export function mainQuote(symbol: string, assets: readonly AssetName[]): string {
  const quotes = assets
    .filter((asset) => asset.symbol === symbol)
    .map(({ quote }) => quote)
    .toSorted();
  const usual = PEGGED_ASSETS.find((asset) => asset.symbol === symbol && quotes.includes(asset.quote));
  return usual?.quote ?? (quotes.includes('USD') ? 'USD' : (quotes[0] ?? ''));
}

/** An asset with the general rules, and the band of its kind unless it has its own. An empty id or chain matches any. */
function assetRow(asset: PegAsset, { bands, weights: _, sources: __, ...shared }: Omit<PegPolicy, 'assets'>) {
  return { asset_id: '', chain: '', ...shared, ...bands[asset.kind], ...asset };
}
