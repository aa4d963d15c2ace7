// The GraphQL queries that the product ships, checked against the schemas that the services publish.
import { readFileSync } from 'node:fs';
import { buildSchema, parse, validate } from 'graphql';
import { describe, expect, test } from 'vitest';
import { SHIPPED_SOURCES } from '../../../jobs/live/shipped.ts';
import { describeRealData, realData } from '../../support/real-data.ts';

const SCHEMAS: { readonly [host: string]: string } = {
  'hub.snapshot.org': 'recorded/snapshot/schema.gql',
  'api.v3.aave.com': 'recorded/aave/schema.graphql',
};
/** Morpho publishes none that could be stored; its query is parsed only. */
const WITHOUT_SCHEMA = ['api.morpho.org'];

const queries = Object.entries(SHIPPED_SOURCES).flatMap(([id, { request }]) =>
  request?.graphql === undefined ? [] : [{ id, host: new URL(request.url).host, ...request.graphql }],
);

describe('shipped queries', () => {
  test('every host has a schema, or is known to have none', () => {
    const hosts = new Set(queries.map(({ host }) => host));
    expect([...hosts].toSorted()).toEqual([...Object.keys(SCHEMAS), ...WITHOUT_SCHEMA].toSorted());
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

describeRealData('shipped queries and published schemas', () => {
  const problems = (host: string, query: string) => {
    const schema = buildSchema(readFileSync(realData(SCHEMAS[host] ?? ''), 'utf8'), { assumeValidSDL: true });
    return validate(schema, parse(query)).map(({ message }) => message);
  };

  test.each(queries.filter(({ host }) => host in SCHEMAS))('$id fits the schema', ({ host, query }) => {
    expect(problems(host, query)).toEqual([]);
  });

  test('a query that does not fit is named', () => {
    expect(problems('hub.snapshot.org', '{ votes(where: {created_after: 1}) { id voterr } }')).toEqual([
      expect.stringContaining('created_after'),
      expect.stringContaining('voterr'),
    ]);
  });
});
