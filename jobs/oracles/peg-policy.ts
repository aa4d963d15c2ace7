// The peg policy and its tables: the weights of price sources, and each asset with all the rules that apply to it.
import { PRICE_SOURCE_KINDS } from '../../schemas/oracles.ts';
import { definePolicy } from '../policy/define.ts';
import { assetName, pegContradictions } from './peg-contradictions.ts';
import { type PegAsset, type PegPolicy, pegSchema } from './peg-schema.ts';

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
        kind: 'VARCHAR',
        reference_price: 'VARCHAR',
        reference_pair: 'VARCHAR',
        enter_bps: 'DOUBLE',
        exit_bps: 'DOUBLE',
        is_downside_only: 'BOOLEAN',
        is_feed_deviation_floor: 'BOOLEAN',
        feed_band_margin_bps: 'DOUBLE',
        agreement: 'VARCHAR',
        confirm_observations: 'BIGINT',
        confirm_spacing_s: 'BIGINT',
        immediate_multiple: 'DOUBLE',
        recovery_hold_s: 'BIGINT',
        recovery_min_observed_fraction: 'DOUBLE',
        default_heartbeat_s: 'BIGINT',
      },
      rows: ({ assets, ...peg }) => assets.map((asset) => assetRow(asset, peg)),
    },
  ],
});

/** An asset with the general rules, and the band of its kind unless it has its own. An empty id or chain matches any. */
function assetRow(asset: PegAsset, { bands, weights: _, sources: __, ...shared }: Omit<PegPolicy, 'assets'>) {
  return { asset_id: '', chain: '', ...shared, ...bands[asset.kind], ...asset };
}
