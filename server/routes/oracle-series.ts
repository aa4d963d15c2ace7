// Pegged assets and feeds, and their histories.
import { Strict, Type } from '../../schemas/define.ts';
import { ComparedPegSchema } from '../../schemas/figure-changes.ts';
import { FEED_SERIES, FeedSchema, PEG_SERIES } from '../../schemas/oracle-series.ts';
import { listEndpoint } from '../data/paging/list-endpoint.ts';
import { foldAddresses } from '../../platform/base/fold-addresses.ts';
import { TAGS } from '../define/tags.ts';
import { COMPARED_PEGS } from '../series/compared-lists.ts';
import { seriesEndpoint } from '../series/series-endpoint.ts';
import { filteredBy } from '../define/list-shape.ts';

const ROUNDS = { plan: 'free', scope: 'oracle:read' } as const;
const chain = Type.String({ description: 'Chain name, lower case', examples: ['ethereum'] });
const symbol = Type.String({ description: '`asset_name` of the list', examples: ['USDC'] });
const address = Type.String({
  description: 'Address of the feed',
  examples: ['0xde306337ef83c75a4ce491e989d2512700000000'],
});

export const listPegs = listEndpoint({
  tag: TAGS.oracles,
  path: '/v2/pegs',
  summary: 'Pegged assets: latest observed price, distance from the reference, thresholds and state',
  access: 'open',
  shape: filteredBy('pegs', 'chain', 'symbol', 'kind', 'state'),
  filters: { chain: 'chains', symbol: 'symbols', kind: 'peg kinds', state: 'states' },
  row: ComparedPegSchema,
  compared: COMPARED_PEGS,
});

export const getPegSeries = seriesEndpoint({
  tag: TAGS.oracles,
  path: '/v2/pegs/:chain/:symbol/series',
  summary:
    'Observed price of a pegged asset over time, with its thresholds and the periods without a live source',
  access: 'open',
  rawAccess: ROUNDS,
  definitions: [PEG_SERIES],
  params: Strict({ chain, symbol }),
  keyOf: ({ chain: chainName = '', symbol: name = '' }) => `${chainName}|${foldAddresses(name)}`,
  paramsOf: (key) => pair(key, 'symbol'),
});

export const listFeeds = listEndpoint({
  tag: TAGS.oracles,
  path: '/v2/feeds',
  summary: 'Price feeds: registry entry, latest answer and freshness',
  access: 'open',
  shape: filteredBy('feeds', 'chain', 'pair', 'provider', 'status', 'feed_address'),
  filters: {
    chain: 'chains',
    pair: 'pairs',
    provider: 'providers',
    status: 'states',
    feed_address: 'feed addresses',
  },
  row: FeedSchema,
});

const feed = {
  definitions: [FEED_SERIES],
  params: Strict({ chain, address }),
  keyOf: ({ chain: chainName = '', address: name = '' }: Readonly<Record<string, string>>) =>
    `${chainName}|${name.toLowerCase()}`,
  paramsOf: (key: string) => pair(key, 'address'),
} satisfies Partial<Parameters<typeof seriesEndpoint>[0]>;

export const getFeedSeries = seriesEndpoint({
  ...feed,
  access: 'open',
  rawAccess: ROUNDS,
  tag: TAGS.oracles,
  path: '/v2/feeds/:chain/:address/series',
  summary: 'Answers of a feed over time, and the periods in which it was stale',
});

export const getFeedRounds = seriesEndpoint({
  ...feed,
  access: ROUNDS,
  tag: TAGS.oracles,
  path: '/v2/feeds/:chain/:address/rounds',
  summary: 'Every answer of a feed, on the last day or in a given range',
  resolution: 'raw',
});

function pair(key: string, name: string): Readonly<Record<string, string>> {
  const bar = key.indexOf('|');
  return { chain: key.slice(0, bar), [name]: key.slice(bar + 1) };
}
