// Third-party figures that our own are compared with. They never become published data; gates warn when the two differ.
import type { LiveMapping } from '../fetch/live-source.ts';
import type { LiveSection } from '../fetch/section.ts';

type Fields = { readonly [field: string]: string | LiveMapping };

const check = (source: string, metric: string, fields: Fields): Fields => ({
  source: { value: source },
  metric: { value: metric },
  observed_at: { recording: 'as_of' },
  ...fields,
});

const AAVE_QUERY = `query Reserves($pool: EvmAddress!, $chain: ChainId!) {
  market(request: {address: $pool, chainId: $chain}) {
    reserves { aToken { address } size { usd } borrowInfo { total { usd } } }
  }
}`;

const MORPHO_QUERY = `query Markets($first: Int, $skip: Int) {
  markets(first: $first, skip: $skip, where: {chainId_in: [1], listed: true}) {
    items { marketId state { supplyAssetsUsd borrowAssetsUsd } }
    pageInfo { countTotal }
  }
}`;

const AAVE = {
  table: 'cross_check',
  url: 'https://aave.com/docs/developers/aave-v3/graphql',
  license: 'terms of Aave Labs',
  attribution: 'Aave Labs',
  terms_url: 'https://aave.com/terms-of-service',
  redistributable: false,
  // For operators who read the markets of Aave from their contracts.
  is_on: false,
} as const;

const aaveFields = (metric: string, path: string): Fields =>
  check('aave-api', metric, {
    chain: { recording: 'param.chain' },
    subject: 'aToken.address',
    value: { from: path, number: 'scientific' },
  });

const MORPHO = {
  table: 'cross_check',
  url: 'https://docs.morpho.org/tools/offchain/api/get-started',
  license: 'terms of Morpho',
  attribution: 'Morpho',
  terms_url: 'https://morpho.org/terms',
  redistributable: false,
  // For operators who read the markets of Morpho from their contract.
  is_on: false,
} as const;

const morphoFields = (metric: string, path: string): Fields =>
  check('morpho-api', metric, {
    chain: { value: 'ethereum' },
    subject: 'marketId',
    value: { from: path, number: 'scientific' },
  });

/** On by default, because they need no key. Their figures are not published. */
const KEYLESS: { readonly [id: string]: LiveSection } = {
  'ultrasound-supply': {
    table: 'cross_check',
    name: 'ultrasound.money, supply of Ethereum',
    url: 'https://ultrasound.money',
    license: 'none granted on the data',
    attribution: 'ultrasound.money',
    redistributable: false,
    request: { url: 'https://ultrasound.money/api/v2/fees/supply-over-time' },
    every: '6h',
    guards: { min_records: 1, present: ['timestamp', 'supply'], max_zero_share: { supply: 0.01 } },
    records: 'd1',
    fields: {
      ...check('ultrasound', 'network_supply_native', {
        chain: { value: 'ethereum' },
        subject: { value: 'ethereum' },
        value: { from: 'supply', number: 'scientific' },
      }),
      observed_at: { from: 'timestamp', time: 'iso8601' },
    },
  },
  'defillama-hacks': {
    table: 'cross_check',
    name: 'DefiLlama, losses in incidents',
    url: 'https://defillama.com/hacks',
    license: 'free use of the public API with attribution',
    attribution: 'DefiLlama',
    terms_url: 'https://defillama.com/terms',
    // It has no severity: only a hint for maintainers of the security registry.
    redistributable: false,
    request: { url: 'https://api.llama.fi/hacks' },
    every: '12h',
    guards: { min_records: 10, present: ['date', 'name'], max_zero_share: { amount: 0.5 } },
    records: '',
    where: { name: { not: '' }, amount: { not: ['', '0'] } },
    fields: {
      ...check('defillama', 'incident_usd', {
        chain: { value: 'all' },
        subject: 'name',
        value: { from: 'amount', number: 'scientific' },
      }),
      observed_at: { from: 'date', time: 'unix_s' },
    },
  },
};

export const CROSS_CHECKS: { readonly [id: string]: LiveSection } = {
  ...KEYLESS,
  'l2beat-value-secured': {
    table: 'cross_check',
    name: 'L2BEAT, value secured by layer-2 networks',
    url: 'https://l2beat.com/scaling/summary',
    license: 'none granted on the data',
    attribution: 'L2BEAT',
    terms_url: 'https://l2beat.com/terms-of-service',
    redistributable: false,
    request: { url: 'https://l2beat.com/api/scaling/summary' },
    every: '12h',
    guards: {
      min_records: 10,
      present: ['slug', 'type', 'tvs.breakdown.total'],
      max_zero_share: { 'tvs.breakdown.total': 0.5 },
    },
    records: 'projects',
    entries: true,
    where: { type: 'layer2', 'tvs.breakdown.total': { not: ['', '0'] } },
    fields: check('l2beat', 'layer2_tvl_usd', {
      chain: 'hostChain',
      subject: {
        from: 'slug',
        replace: { 'op-mainnet': 'optimism', 'zksync-era': 'zksync_era', world: 'worldchain' },
      },
      value: { from: 'tvs.breakdown.total', number: 'scientific' },
    }),
    // Its API is unofficial.
    is_on: false,
  },
  'aave-api-supplied': {
    ...AAVE,
    name: 'Aave API, supplied by market',
    request: {
      url: 'https://api.v3.aave.com/graphql',
      graphql: { query: AAVE_QUERY, variables: { pool: '{pool}', chain: '=number {chain_id}' } },
    },
    each: [
      { chain: 'ethereum', chain_id: '1', pool: '0x87870Bca3F3fD6335C3F4ce8392D69350B4fA4E2' },
      { chain: 'base', chain_id: '8453', pool: '0xA238Dd80C259a72e81d7e4664a9801593F98d1c5' },
    ],
    every: '1h',
    guards: { min_records: 5, present: ['aToken.address', 'size.usd'] },
    records: 'data.market.reserves',
    fields: aaveFields('market_supplied_usd', 'size.usd'),
  },
  'aave-api-borrowed': {
    ...AAVE,
    name: 'Aave API, borrowed by market',
    recordings_of: 'aave-api-supplied',
    records: 'data.market.reserves',
    where: { 'borrowInfo.total.usd': { not: '' } },
    fields: aaveFields('market_borrowed_usd', 'borrowInfo.total.usd'),
  },
  'morpho-api-supplied': {
    ...MORPHO,
    name: 'Morpho API, supplied by market',
    request: {
      url: 'https://api.morpho.org/graphql',
      graphql: {
        query: MORPHO_QUERY,
        variables: { first: '=number {limit}', skip: '=number {offset}' },
      },
    },
    every: '1h',
    pager: { kind: 'offset', size: 500, total: 'data.markets.pageInfo.countTotal', max_pages: 20 },
    guards: { min_records: 10, present: ['marketId', 'state.supplyAssetsUsd'] },
    records: 'data.markets.items',
    where: { 'state.supplyAssetsUsd': { not: '' } },
    fields: morphoFields('market_supplied_usd', 'state.supplyAssetsUsd'),
  },
  'morpho-api-borrowed': {
    ...MORPHO,
    name: 'Morpho API, borrowed by market',
    recordings_of: 'morpho-api-supplied',
    records: 'data.markets.items',
    where: { 'state.borrowAssetsUsd': { not: '' } },
    fields: morphoFields('market_borrowed_usd', 'state.borrowAssetsUsd'),
  },
};
