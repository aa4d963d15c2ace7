// Yield opportunities, filtered, searched and sorted (4.22, decisions 15-17).
import { Strict, Type } from '../../schemas/define.ts';
import { ComparedYieldOpportunitySchema } from '../../schemas/figure-changes.ts';
import { YIELD_FACETS, YIELD_NUMBERS, YIELD_TEXTS, YieldPageSchema } from '../../schemas/yields.ts';
import { filterHashOf, listPage } from '../data/paging/list-page.ts';
import { openFilters, pageLimit, YieldQuerySchema, yieldSelection } from '../data/paging/yield-query.ts';
import { defineEndpoint } from '../define/endpoint.ts';
import { unmatchedMember } from '../define/filter-values.ts';
import { facetOf, type ListShape } from '../define/list-shape.ts';
import { TAGS } from '../define/tags.ts';
import { COMPARED_YIELDS } from '../series/compared-lists.ts';
import { pageWithChanges } from '../series/row-changes.ts';

const symbolsOf = (assets: unknown): readonly string[] => (Array.isArray(assets) ? assets.map(String) : []);

export const YIELD_LIST: ListShape = {
  dataset: 'yield-opportunities',
  facets: {
    ...Object.fromEntries(YIELD_FACETS.map((facet) => [facet, facetOf(facet)])),
    asset: (fields) => [
      ...facetOf('asset')(fields),
      ...symbolsOf(fields['assets']).map((symbol) => symbol.toLowerCase()),
    ],
  },
  numbers: YIELD_NUMBERS,
  texts: YIELD_TEXTS,
  searched: (fields) => [fields['name'], fields['asset'], ...symbolsOf(fields['assets'])].join(' '),
};

export const listYieldOpportunities = defineEndpoint({
  method: 'GET',
  path: '/v2/yield/opportunities',
  tag: TAGS.yields,
  summary: 'Yield opportunities with returns and risk',
  list: YIELD_LIST,
  datasets: [YIELD_LIST.dataset],
  access: { plan: 'free', scope: 'yield:read' },
  envelope: 'v2',
  cache: 'shared',
  params: Strict({}),
  query: YieldQuerySchema,
  response: Strict({
    ...YieldPageSchema.properties,
    data: Type.Array(ComparedYieldOpportunitySchema),
  }),
  errors: ['invalid_request', 'unavailable', 'internal_error'],
  async handle({ query }, services) {
    const selection = yieldSelection(query);
    const limit = pageLimit(query);
    const filterHash = filterHashOf({
      ...selection,
      between: selection.between.map(({ field, min, max }) => [field, String(min), String(max)]),
    });
    const { dataset } = YIELD_LIST;
    const open = openFilters(query);
    const page = { dataset, selection, open, acceptsAnyName: true, filterHash, limit };
    const cursorText = { parameter: 'page[cursor]', cursor: query['page[cursor]'] };
    const found = await listPage(services, { ...page, ...cursorText });
    const { total, cursor, has_more, about, unmatched } = found;
    const { rows, identity } =
      query.include === undefined ? found : await pageWithChanges(services, COMPARED_YIELDS, found);
    return {
      payload: rows,
      meta: { total, cursor, has_more, limit, ...unmatchedMember(unmatched) },
      about,
      identity,
    };
  },
});
