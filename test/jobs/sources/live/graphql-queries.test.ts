// The shipped GraphQL queries, checked against the schemas that the services publish, or against our own where a service has none.
import { readFileSync } from 'node:fs';
import { buildSchema, parse, validate } from 'graphql';
import { describe, expect, test } from 'vitest';
import { SHIPPED_SOURCES } from '../../../../jobs/sources/live/shipped/shipped.ts';
import { describeRealData, realData } from '../../../support/real-data.ts';

const SCHEMAS: { readonly [host: string]: string } = {
  'hub.snapshot.org': 'recorded/snapshot/schema.gql',
  'api.v3.aave.com': 'recorded/aave/schema.graphql',
};
/**
 * Morpho publishes no schema. The shipped query is based on these names and types, from its documentation and recorded responses, in
 * which `marketId` was still called `uniqueKey`. They catch a mistake in the query, not a change at Morpho: `npm run live:smoke` does.
 */
const OWN_CONTRACTS: { readonly [host: string]: string } = {
  'api.morpho.org': `
    scalar MarketId
    input MarketFilters { listed: Boolean, chainId_in: [Int!], uniqueKey_in: [String!] }
    type MarketState { supplyAssetsUsd: Float, borrowAssetsUsd: Float }
    type Market { marketId: MarketId!, listed: Boolean!, state: MarketState }
    type PageInfo { countTotal: Int!, count: Int!, limit: Int!, skip: Int! }
    type PaginatedMarkets { items: [Market!], pageInfo: PageInfo }
    type Query { markets(first: Int, skip: Int, where: MarketFilters): PaginatedMarkets! }
  `,
};

const queries = Object.entries(SHIPPED_SOURCES).flatMap(([id, { request }]) =>
  request?.graphql === undefined ? [] : [{ id, host: new URL(request.url).host, ...request.graphql }],
);

describe('shipped queries', () => {
  test('every host has a schema, its own or ours', () => {
    const hosts = new Set(queries.map(({ host }) => host));
    expect([...hosts].toSorted()).toEqual(
      [...Object.keys(SCHEMAS), ...Object.keys(OWN_CONTRACTS)].toSorted(),
    );
  });

  test.each(queries)('$id is GraphQL, and sends every variable that it declares', ({ query, variables }) => {
    const declared = parse(query).definitions.flatMap((one) =>
      one.kind === 'OperationDefinition' ? (one.variableDefinitions ?? []) : [],
    );
    expect(Object.keys(variables ?? {}).toSorted()).toEqual(
      declared.map(({ variable }) => variable.name.value).toSorted(),
    );
  });
});

const problemsOf = (sdl: string, query: string) =>
  validate(buildSchema(sdl, { assumeValidSDL: true }), parse(query)).map(({ message }) => message);

describe('shipped queries and our own contracts', () => {
  test.each(queries.filter(({ host }) => host in OWN_CONTRACTS))('$id fits', ({ host, query }) => {
    expect(problemsOf(OWN_CONTRACTS[host] ?? '', query)).toEqual([]);
  });

  test('a removed field and a misspelt filter are named', () => {
    const query = '{ markets(where: {chainIds_in: [1]}) { items { oracleAddress } } }';
    expect(problemsOf(OWN_CONTRACTS['api.morpho.org'] ?? '', query)).toEqual([
      expect.stringContaining('chainIds_in'),
      expect.stringContaining('oracleAddress'),
    ]);
  });
});

describeRealData('shipped queries and published schemas', () => {
  const problems = (host: string, query: string) =>
    problemsOf(readFileSync(realData(SCHEMAS[host] ?? ''), 'utf8'), query);

  test.each(queries.filter(({ host }) => host in SCHEMAS))('$id fits the schema', ({ host, query }) => {
    expect(problems(host, query)).toEqual([]);
  });

  test('a query that does not fit the schema is named', () => {
    expect(problems('hub.snapshot.org', '{ votes(where: {created_after: 1}) { id voterr } }')).toEqual([
      expect.stringContaining('created_after'),
      expect.stringContaining('voterr'),
    ]);
  });
});
