// Chainlink: the directory of feeds behind its documentation. A changed listing applies from the moment it was read.
import type { LiveSection } from '../fetch/section.ts';

export const CHAINLINK: { readonly [id: string]: LiveSection } = {
  'chainlink-directory': {
    table: 'feed_registry',
    name: 'Chainlink feed directory',
    url: 'https://docs.chain.link/data-feeds/price-feeds/addresses',
    license: 'MIT',
    attribution: 'Chainlink Labs',
    terms_url: 'https://chain.link/terms',
    request: { url: 'https://reference-data-directory.vercel.app/feeds-{file}.json' },
    each: [{ file: 'mainnet', chain: 'ethereum' }],
    every: '6h',
    guards: { min_records: 20, present: ['name', 'decimals', 'heartbeat'], counted: ['proxyAddress'] },
    records: '',
    fields: {
      chain: { recording: 'param.chain' },
      provider: { value: 'chainlink' },
      feed_address: { from: ['proxyAddress', 'feedId'] },
      name: 'name',
      base: 'docs.baseAsset',
      quote: 'docs.quoteAsset',
      category: { from: ['docs.productType', 'docs.attributeType'] },
      asset_class: 'docs.assetClass',
      risk_level: 'feedCategory',
      heartbeat_s: 'heartbeat',
      deviation_bps: { from: 'threshold', scale: 100 },
      decimals: 'decimals',
      market_hours: 'docs.marketHours',
      observed_at: { recording: 'as_of' },
    },
  },
};
