// Yield opportunities, filtered, searched and ordered (4.22, decisions 15-17).
import { Strict } from '../../schemas/define.ts';
import { YieldPageSchema } from '../../schemas/yields.ts';
import { filterHashOf, writeCursor } from '../data/paging/cursor.ts';
import { pageStart, rowsGone } from '../data/paging/page-start.ts';
import { pageLimit, YieldQuerySchema, yieldWanted } from '../data/paging/yield-query.ts';
import { defineEndpoint } from '../define/endpoint.ts';

export const listYieldOpportunities = defineEndpoint({
  method: 'GET',
  path: '/v2/yield/opportunities',
  summary: 'Where a deposit earns what, and how risky that is',
  spec: '4.22',
  datasets: ['yield-opportunities'],
  access: { plan: 'free', scope: 'yield:read' },
  envelope: 'v2',
  cache: 'shared',
  params: Strict({}),
  query: YieldQuerySchema,
  response: YieldPageSchema,
  errors: ['invalid_request', 'unavailable', 'internal_error'],
  async handle({ query }, services) {
    const wanted = yieldWanted(query);
    const limit = pageLimit(query);
    const filterHash = filterHashOf({
      ...wanted,
      between: wanted.between.map(({ field, least, most }) => [field, String(least), String(most)]),
    });
    const asked = { parameter: 'page[cursor]', cursor: query['page[cursor]'], filterHash };
    const { version, offset } = pageStart(services, asked);
    const yields = await services.versions.yieldsOf(version);
    if (yields === undefined) throw rowsGone(asked);
    const { rows, count, total } = yields.table.page(wanted, offset, limit);
    const reached = offset + count;
    const has_more = reached < total;
    const cursor = has_more ? writeCursor({ version, offset: reached, filterHash }) : null;
    const identity = services.identify([version, yields.entry.sha256, filterHash, offset, limit].join(' '));
    return { payload: rows, meta: { total, cursor, has_more, limit }, about: yields.entry, identity };
  },
});
