// Histories of lending markets, yields, scores, governance, social channels, development, networks and the market regime.
import { Strict, Type } from '../../schemas/define.ts';
import { V2DailyList, V2Document } from '../../schemas/envelopes.ts';
import {
  ComparedLendingMarketSchema,
  ComparedNetworkSchema,
  ComparedOverallReceiptSchema,
  includeParameter,
} from '../../schemas/figure-changes.ts';
import { LENDING_SERIES } from '../../schemas/lending.ts';
import { OVERALL_SERIES } from '../../schemas/overall.ts';
import { REGIME_SERIES } from '../../schemas/regime.ts';
import { GOVERNANCE_SERIES } from '../../schemas/governance.ts';
import { SOCIAL_SERIES } from '../../schemas/social.ts';
import { BLOCKCHAIN_DEVELOPMENT_SERIES, PROTOCOL_DEVELOPMENT_SERIES } from '../../schemas/development.ts';
import { LAYER2_SERIES } from '../../schemas/layer2.ts';
import { NETWORK_A_SERIES } from '../../schemas/network-a.ts';
import { NETWORK_B_SERIES } from '../../schemas/network-b.ts';
import { YIELD_SERIES, YieldOpportunitySchema } from '../../schemas/yields.ts';
import { listEndpoint } from '../data/paging/list-endpoint.ts';
import { defineEndpoint } from '../define/endpoint.ts';
import { currentVersion, missingDataset, servedVersion } from '../define/missing-data.ts';
import { TAGS } from '../define/tags.ts';
import { aboutDocumentReply, documentKeys } from '../replies/document-reply.ts';
import { COMPARED_MARKETS, COMPARED_NETWORKS, COMPARED_SCORES } from '../series/compared-lists.ts';
import { rowsWithChanges } from '../series/row-changes.ts';
import { seriesEndpoint } from '../series/series-endpoint.ts';
import { facetOf, filteredBy } from '../define/list-shape.ts';

const named = (name: string, description: string, example: string) =>
  Strict({ [name]: Type.String({ description, examples: [example] }) });
const PROTOCOL = named('protocol', 'Protocol, lower case', 'aave');
const OPPORTUNITY = Strict({
  id: Type.String({
    description: 'Id of the opportunity, with its slashes percent-encoded',
    examples: ['ethereum/ether.fi/0x9021fafff57a489d2dde0cd0ff835792ebb1b293'],
  }),
});
const SCORES = { plan: 'free', scope: 'scores:read' } as const;
const FACTS = { plan: 'free', scope: 'data:read' } as const;

/** The key is one path parameter. */
const single = (name: string) => ({
  keyOf: (params: Readonly<Record<string, string>>) => params[name] ?? '',
  paramsOf: (key: string) => ({ [name]: key }),
});

/** The key combines two path parameters. */
const paired = (first: string, second: string, separator: string) => ({
  keyOf: (params: Readonly<Record<string, string>>) => `${params[first]}${separator}${params[second]}`,
  paramsOf: (key: string) => {
    const index = key.indexOf(separator);
    return { [first]: key.slice(0, index), [second]: key.slice(index + separator.length) };
  },
});

const MARKETS = filteredBy(
  LENDING_SERIES.dataset,
  ...['chain', 'protocol', 'market_id', 'oracle_status', 'state_status', 'risk_level', 'is_classified'],
);

export const listLendingMarkets = listEndpoint({
  tag: TAGS.markets,
  path: '/v2/lending/markets',
  summary: 'Lending markets: registry entry, latest state, limits and the feeds behind them',
  access: 'open',
  shape: { ...MARKETS, facets: { ...MARKETS.facets, asset: facetOf('loan_symbol', 'collateral_symbol') } },
  filters: {
    chain: 'chains',
    protocol: 'protocols',
    market_id: 'market ids',
    asset: 'symbols of the loan or the collateral',
    oracle_status: 'oracle states',
    state_status: 'freshness of the latest state',
    risk_level: 'risk levels',
    is_classified: '`true` and `false`',
  },
  row: ComparedLendingMarketSchema,
  compared: COMPARED_MARKETS,
});

export const listNetworks = listEndpoint({
  tag: TAGS.networks,
  path: '/v2/networks',
  summary: 'Networks and layer-2 networks: kind, and the figures of the last complete day',
  access: 'open',
  shape: filteredBy('networks', 'kind'),
  filters: { kind: 'kinds' },
  row: ComparedNetworkSchema,
  compared: COMPARED_NETWORKS,
});

export const getYieldOpportunity = defineEndpoint({
  method: 'GET',
  tag: TAGS.yields,
  path: '/v2/yield/opportunities/:id',
  summary: 'One yield opportunity',
  datasets: [YIELD_SERIES.dataset],
  access: { plan: 'free', scope: 'yield:read' },
  envelope: 'v2',
  cache: 'shared',
  params: OPPORTUNITY,
  query: Strict({}),
  response: V2Document(YieldOpportunitySchema),
  errors: ['invalid_request', 'not_found', 'unavailable', 'internal_error'],
  handle: ({ params }, services) => aboutDocumentReply(services, YIELD_SERIES.dataset, String(params['id'])),
  *mirror(services) {
    for (const id of documentKeys(services, YIELD_SERIES.dataset)) yield { id };
  },
});

export const listOverallScores = defineEndpoint({
  method: 'GET',
  tag: TAGS.scores,
  path: '/v2/scores/overall',
  summary: 'The newest overall score of every protocol, with its components or the reason why it is missing',
  datasets: [OVERALL_SERIES.dataset],
  isDaily: true,
  access: 'open',
  isBrowsed: true,
  envelope: 'v2',
  cache: 'shared',
  params: Strict({}),
  query: Strict({ include: includeParameter }),
  response: V2DailyList(ComparedOverallReceiptSchema),
  errors: ['invalid_request', 'not_found', 'unavailable', 'internal_error'],
  handle({ query }, services) {
    const { dataset } = OVERALL_SERIES;
    const { manifest } = currentVersion(services);
    const loaded = services.versions.current?.dataset(dataset);
    if (loaded === undefined) throw missingDataset(servedVersion(services), dataset);
    const { entry: about } = loaded;
    const newest = [...loaded.documents.keys()].flatMap((protocol) => {
      const rows: unknown = JSON.parse(loaded.documents.get(protocol)?.toString() ?? '[]');
      const first: unknown = Array.isArray(rows) ? rows[0] : undefined;
      return typeof first === 'object' ? [{ protocol, ...first }] : [];
    });
    const reply = { meta: { total: newest.length }, about, partialDay: about.partial_day?.day };
    if (query.include === undefined)
      return { ...reply, payload: newest, identity: services.identify(`all ${about.sha256}`) };
    const identity = services.identify(`changes ${manifest.version}`);
    return rowsWithChanges(services, COMPARED_SCORES, { rows: newest, about, manifest }).then((payload) => ({
      ...reply,
      payload,
      identity,
    }));
  },
  *prepare({ versions }) {
    if (versions.current?.dataset(OVERALL_SERIES.dataset) !== undefined) yield {};
  },
});

export const HISTORIES = [
  seriesEndpoint({
    tag: TAGS.markets,
    path: '/v2/lending/markets/:chain/:market_id/history',
    summary: 'States of a lending market over time: supplied, borrowed, utilization, liquidity, rates',
    access: 'open',
    rawAccess: FACTS,
    definitions: [LENDING_SERIES],
    params: Strict({
      chain: Type.String({ description: 'Chain name, lower case', examples: ['ethereum'] }),
      market_id: Type.String({
        description: 'Id of the market on its chain',
        examples: ['0x6c6c5b8d4f750e0d0dd624790eb7176f1e8ceb3f476dadea6c76df287870795a'],
      }),
    }),
    ...paired('chain', 'market_id', '|'),
  }),
  seriesEndpoint({
    tag: TAGS.yields,
    path: '/v2/yield/opportunities/:id/history',
    summary: 'APY, value locked and risk scores of a yield opportunity, one record per day',
    access: { plan: 'free', scope: 'yield:read' },
    definitions: [YIELD_SERIES],
    params: OPPORTUNITY,
    ...single('id'),
  }),
  seriesEndpoint({
    tag: TAGS.scores,
    path: '/v2/scores/overall/:protocol/history',
    summary: 'Overall score of a protocol and its six components, one record per day',
    access: 'open',
    definitions: [OVERALL_SERIES],
    params: PROTOCOL,
    ...single('protocol'),
  }),
  seriesEndpoint({
    tag: TAGS.governance,
    path: '/v2/data/governance/:protocol/history',
    summary: 'Governance of a protocol, one record per day',
    access: FACTS,
    definitions: [GOVERNANCE_SERIES],
    params: PROTOCOL,
    ...single('protocol'),
  }),
  seriesEndpoint({
    tag: TAGS.scores,
    path: '/v2/scores/social/:channel/:protocol/history',
    summary: 'Messages and sentiment of a protocol on a channel, one record per day',
    access: SCORES,
    definitions: [SOCIAL_SERIES],
    params: Strict({
      channel: Type.String({ description: 'Channel, lower case', examples: ['discord', 'reddit'] }),
      protocol: Type.String({ description: 'A protocol_id, lower case', examples: ['aave'] }),
    }),
    ...paired('channel', 'protocol', '/'),
  }),
  seriesEndpoint({
    tag: TAGS.scores,
    path: '/v2/scores/development/:name/history',
    summary: 'Development score of a protocol or a blockchain, one record per day',
    access: SCORES,
    definitions: [PROTOCOL_DEVELOPMENT_SERIES, BLOCKCHAIN_DEVELOPMENT_SERIES],
    params: named('name', 'Name in lower case, without spaces', 'aave'),
    ...single('name'),
  }),
  seriesEndpoint({
    tag: TAGS.networks,
    path: '/v2/networks/:network/history',
    summary: 'Daily figures of a network or a layer-2 network',
    access: 'open',
    definitions: [NETWORK_A_SERIES, NETWORK_B_SERIES, LAYER2_SERIES],
    params: named('network', 'Network name, lower case', 'ethereum'),
    ...single('network'),
  }),
  seriesEndpoint({
    tag: TAGS.markets,
    path: '/v2/market/regime/history',
    summary: 'Market regime, hour by hour',
    access: FACTS,
    definitions: [REGIME_SERIES],
    params: Strict({}),
    keyOf: () => 'global',
    paramsOf: () => ({}),
  }),
] as const;
