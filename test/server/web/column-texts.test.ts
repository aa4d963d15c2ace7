// The words of the API for what a column shows, found by the origin of its figures.
import { expect, test } from 'vitest';
import { type Explain, explainer } from '../../../server/web/browser/column-texts.ts';

const explain: Explain = explainer(
  {
    paths: {
      '/v2/pegs': { get: listOf({ $ref: '#/components/schemas/Peg' }) },
      '/v2/pegs/{chain}/{symbol}': {
        get: listOf({ properties: { since: { description: 'When it began' } } }),
      },
    },
    components: {
      schemas: {
        Peg: {
          allOf: [{ properties: { price: { anyOf: [{ description: 'Price of the asset' }, {}] } } }],
          properties: {
            sources: { items: { properties: { 'a/b': { description: 'Odd name' } } } },
            bare: {},
          },
        },
      },
    },
  },
  [
    {
      id: 'feeds',
      schema: { properties: { price: { properties: { last: { description: 'Last answer' } } } } },
    },
    { id: 'empty', schema: null },
  ],
);

function listOf(row: object) {
  const schema = { properties: { data: { items: row } } };
  return { responses: { 200: { content: { 'application/json': { schema } } } } };
}

test('a member has the description of its schema, through references, parts and nested lists', () => {
  expect(explain('/v2/pegs?chain=bsc#/data/0/price')).toBe('Price of the asset');
  expect(explain('/v2/pegs#/data/12/sources/3/a~1b')).toBe('Odd name');
  expect(explain('/v2/pegs/bsc/FDUSD#/data/0/since')).toBe('When it began');
});

test('rows of a dataset have the descriptions that are published with it', () => {
  expect(explain('/v2/datasets/feeds?as_of=2026-01-01T00:00:00Z#/0/price/last')).toBe('Last answer');
  expect(explain('/v2/datasets/feeds#/data/0/price/last')).toBe('Last answer');
});

test('what is not described is not explained', () => {
  for (const origin of [
    '/v2/pegs#/data/0/bare',
    '/v2/pegs#/data/0/none',
    '/v2/none#/data/0/price',
    '/v2/datasets/empty#/0/a',
  ])
    expect([origin, explain(origin)]).toEqual([origin, undefined]);
});
