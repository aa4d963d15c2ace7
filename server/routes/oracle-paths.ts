// The oracles of lending markets: a list, one market's, and its prices over time.
import { Strict, Type } from '../../schemas/define.ts';
import { V2Document } from '../../schemas/envelopes.ts';
import { LENDING_SERIES } from '../../schemas/lending.ts';
import { ORACLE_PATH_SERIES, OraclePathSchema } from '../../schemas/oracle-paths.ts';
import { listEndpoint } from '../data/paging/list-endpoint.ts';
import { defineEndpoint } from '../define/endpoint.ts';
import { facetOf, type Fields, filteredBy } from '../define/list-shape.ts';
import { TAGS } from '../define/tags.ts';
import { aboutDocumentReply, documentKeys } from '../replies/document-reply.ts';
import { seriesEndpoint } from '../series/series-endpoint.ts';

const DATASET = ORACLE_PATH_SERIES.dataset;

const PATHS = filteredBy(DATASET, 'chain', 'protocol', 'market_id', 'kind', 'verdict');
const assumptionsOf = ({ assumption_ids: ids }: Fields): readonly string[] =>
  Array.isArray(ids) ? ids.map((id) => String(id).toLowerCase()) : [];

export const listOraclePaths = listEndpoint({
  tag: TAGS.oracles,
  path: '/v2/lending/oracles',
  summary:
    'Oracles of lending markets: legs, checks, assumptions, price gap and the debt that is not covered',
  access: 'open',
  shape: {
    ...PATHS,
    facets: {
      ...PATHS.facets,
      is_broken: ({ is_broken }) => [is_broken === null ? 'unknown' : String(is_broken)],
      assumption: assumptionsOf,
      asset: facetOf('base_symbol', 'quote_symbol'),
    },
  },
  filters: {
    chain: 'chains',
    protocol: 'protocols',
    market_id: 'market ids',
    asset: 'symbols of what the price is of or in',
    kind: 'kinds of oracles',
    verdict: 'verdicts',
    assumption: 'ids of assumptions that they rest on',
    is_broken: '`true`, `false`, and `unknown` for oracles of which not every assumption can be judged',
  },
  values: { is_broken: ['true', 'false', 'unknown'] },
  row: OraclePathSchema,
});

const params = Strict({
  chain: Type.String({ description: 'Chain name, lower case', examples: ['ethereum'] }),
  market_id: Type.String({
    description: 'Id of the market on its chain',
    examples: ['0x6c6c5b8d4f750e0d0dd624790eb7176f1e8ceb3f476dadea6c76df287870795a'],
  }),
});
const keyOf = ({ chain = '', market_id = '' }: Readonly<Record<string, string>>) =>
  `${chain}:${market_id.toLowerCase()}`;
const paramsOf = (key: string) => {
  const index = key.indexOf(':');
  return { chain: key.slice(0, index), market_id: key.slice(index + 1) };
};

export const getOraclePath = defineEndpoint({
  method: 'GET',
  tag: TAGS.oracles,
  path: '/v2/lending/markets/:chain/:market_id/oracle',
  summary: 'The oracle of one lending market: legs, checks, assumptions, price gap and losses',
  datasets: [DATASET],
  alsoReads: [LENDING_SERIES.dataset],
  access: 'open',
  isBrowsed: true,
  envelope: 'v2',
  cache: 'shared',
  params,
  query: Strict({}),
  response: V2Document(OraclePathSchema),
  errors: ['invalid_request', 'not_found', 'unavailable', 'internal_error'],
  handle: ({ params: given }, services) => aboutDocumentReply(services, DATASET, keyOf(given)),
  *mirror(services) {
    for (const key of documentKeys(services, DATASET)) yield paramsOf(key);
  },
});

export const getOraclePathSeries = seriesEndpoint({
  tag: TAGS.oracles,
  path: '/v2/lending/markets/:chain/:market_id/oracle/series',
  summary: 'Price of a market’s oracle and of the market over time, with the price gap and the losses',
  access: 'open',
  definitions: [ORACLE_PATH_SERIES],
  params,
  keyOf,
  paramsOf,
});
