// The endpoint of a published list: comma-separated filters, paging by cursor, and the version at which paging started.
import type { ListShape } from '../../define/list-shape.ts';
import type { TObject } from 'typebox';
import { Strict, type TSchema } from '../../../schemas/define.ts';
import { V2Page } from '../../../schemas/envelopes.ts';
import { includeParameter } from '../../../schemas/figure-changes.ts';
import { cursorParameter, limitParameter } from '../../../schemas/page-parameters.ts';
import { LIMITS } from '../../../schemas/plans.ts';
import type { Access } from '../../define/access.ts';
import { defineEndpoint, type Endpoint, type Reply } from '../../define/endpoint.ts';
import { listParameter, namesIn } from '../../define/parameters.ts';
import type { ComparedList } from '../../series/compared-lists.ts';
import { pageWithChanges } from '../../series/row-changes.ts';
import type { Services } from '../../services.ts';
import type { Tag } from '../../define/tags.ts';
import { filterHashOf } from './cursor.ts';
import { listPage } from './list-page.ts';

const PAGE = LIMITS.list_page;

interface ListEndpoint {
  readonly tag: Tag;
  readonly path: string;
  readonly summary: string;
  readonly access: Access;
  readonly shape: ListShape;
  /** Facets of the shape that are parameters, with a description of their values. */
  readonly filters: { readonly [facet: string]: string };
  readonly row: TSchema;
  /** Figures that can be compared with earlier times; the rows are then of a compared schema. */
  readonly compared?: ComparedList;
}

export function listEndpoint(list: ListEndpoint): Endpoint {
  const { tag, path, summary, access, shape, filters, row, compared } = list;
  const facets = Object.keys(filters);
  const parameters = Object.fromEntries(
    Object.entries(filters).map(([facet, what]) => [facet, listParameter(what)]),
  );
  return defineEndpoint<TObject, TObject>({
    method: 'GET',
    tag,
    path,
    summary,
    list: shape,
    datasets: [shape.dataset],
    access,
    isBrowsed: access === 'open',
    envelope: 'v2',
    cache: 'shared',
    params: Strict({}),
    query: Strict({
      ...parameters,
      cursor: cursorParameter,
      limit: limitParameter(PAGE),
      ...(compared && { include: includeParameter }),
    }),
    response: V2Page(row),
    errors: ['invalid_request', 'unavailable', 'internal_error'],
    handle: ({ query }, services) => pageOf(services, query as ListQuery, { ...list, facets }),
    mirror: ({ versions }) => (versions.current?.list(shape.dataset) === undefined ? [] : [{}]),
  });
}

type ListQuery = Readonly<Record<string, string>> & { readonly limit?: number };

interface List extends Pick<ListEndpoint, 'shape' | 'compared'> {
  readonly facets: readonly string[];
}

async function pageOf(
  services: Services,
  query: ListQuery,
  { shape, facets, compared }: List,
): Promise<Reply> {
  const any = facets.flatMap((facet) => {
    const values = namesIn(facet, query[facet]);
    return values === undefined ? [] : [{ facet, values: [...values].sort() }];
  });
  const page = await listPage(services, {
    dataset: shape.dataset,
    selection: { any, between: [] },
    filterHash: filterHashOf({ any }),
    cursor: query['cursor'],
    parameter: 'cursor',
    limit: query.limit ?? PAGE.default,
  });
  const { total, has_more, cursor, about } = page;
  const isCompared = compared !== undefined && query['include'] === 'changes';
  const { rows, identity } = isCompared ? await pageWithChanges(services, compared, page) : page;
  return { payload: rows, meta: { total, has_more, cursor }, about, identity };
}
