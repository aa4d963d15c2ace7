// The endpoint of a published list: comma-separated filters, paging by cursor, and the version at which paging started.

import type { TObject } from 'typebox';
import { Strict, type TSchema, Type } from '../../../schemas/define.ts';
import { unmatchedSchema, V2Page } from '../../../schemas/envelopes.ts';
import { includeParameter } from '../../../schemas/figure-changes.ts';
import { cursorParameter, limitParameter } from '../../../schemas/page-parameters.ts';
import { LIMITS } from '../../../schemas/plans.ts';
import type { Access } from '../../define/caller.ts';
import { defineEndpoint, type Endpoint, type Reply } from '../../define/endpoint.ts';
import { closedValues, type FilterValue, refuseOthers, unmatchedMember } from '../../define/filter-values.ts';
import type { ListShape } from '../../define/list-shape.ts';
import { listParameter, namesIn } from '../../define/parameters.ts';
import type { Tag } from '../../define/tags.ts';
import type { ComparedList } from '../../series/compared-lists.ts';
import { pageWithChanges } from '../../series/row-changes.ts';
import type { Services } from '../../services.ts';
import { filterHashOf, listPage } from './list-page.ts';
import type { AnyOf, NumberRange, Sort } from './selection.ts';

const PAGE = LIMITS.list_page;

interface ListEndpoint {
  readonly tag: Tag;
  readonly path: string;
  readonly summary: string;
  /** Operation id, where the words of its path are those of another endpoint. */
  readonly operation?: string;
  readonly access: Access;
  readonly shape: ListShape;
  /** Facets of the shape that are parameters, with a description of their values. */
  readonly filters: { readonly [facet: string]: string };
  /** Every value that a facet can have, where the schema of a row does not list them: any other one is refused. */
  readonly values?: { readonly [facet: string]: readonly string[] };
  readonly row: TSchema;
  /** Numbers of the shape that `sort` may name; by default rows are in the order of the shape. */
  readonly sorts?: readonly string[];
  /** Parameters that keep rows with at least so much of a number of the shape. */
  readonly minimums?: {
    readonly [parameter: string]: { readonly field: string; readonly description: string };
  };
  /** Rows that a sorted list leaves out, because what they state of themselves must not lead it. */
  readonly sortRule?: SortRule;
  /** Parameters of the path, if it names what the rows are about. */
  readonly params?: TObject;
  /** The rows that a path selects. @throws Failure `not_found` for a path that names nothing */
  selected?(services: Services, params: Readonly<Record<string, string>>): readonly AnyOf[];
  /** Parameters of its responses in the static mirror; by default the one without parameters. */
  mirror?(services: Services): Iterable<Readonly<Record<string, string>>>;
  /** Figures that can be compared with earlier times; the rows are then of a compared schema. */
  readonly compared?: ComparedList;
  /** Members of `meta` that say what the list lacks. */
  readonly lacks?: {
    readonly members: Readonly<Record<string, TSchema>>;
    /** `selected`: what the path and the parameters select. */
    of(
      services: Services,
      page: { readonly version: string; readonly selected: readonly AnyOf[] },
    ): Promise<Readonly<Record<string, unknown>>>;
  };
}

interface SortRule {
  /** Rows with this value of a facet are left out, unless one of the parameters is given. */
  readonly facet: string;
  readonly value: string;
  /** The value of the others. */
  readonly ranked: string;
  readonly askedBy: readonly string[];
  /** Member of `meta` with their number. */
  readonly member: string;
  readonly description: string;
}

export function listEndpoint(list: ListEndpoint): Endpoint {
  const { tag, path, summary, operation, access, shape, row, lacks } = list;
  const unknown = list.selected === undefined ? [] : (['not_found'] as const);
  return defineEndpoint<TObject, TObject>({
    method: 'GET',
    tag,
    path,
    summary,
    ...(operation === undefined ? {} : { operation }),
    list: shape,
    datasets: [shape.dataset],
    access,
    isBrowsed: access === 'open',
    envelope: 'v2',
    cache: 'shared',
    params: list.params ?? Strict({}),
    query: queryOf(list),
    response: V2Page(row, {
      unmatched: unmatchedSchema,
      ...(list.sortRule && {
        [list.sortRule.member]: Type.Optional(
          Type.Integer({ minimum: 0, description: list.sortRule.description }),
        ),
      }),
      ...lacks?.members,
    }),
    errors: ['invalid_request', ...unknown, 'unavailable', 'internal_error'],
    handle: ({ params, query }, services) =>
      pageOf(services, query as ListQuery, {
        ...list,
        selection: list.selected?.(services, params as Readonly<Record<string, string>>) ?? [],
      }),
    mirror:
      list.mirror ?? (({ versions }) => (versions.current?.list(shape.dataset) === undefined ? [] : [{}])),
  });
}

type Filters = Pick<ListEndpoint, 'filters' | 'minimums' | 'values' | 'row'>;

/** Every value that a facet can have; undefined for an open set. */
const possibleIn = ({ values, row }: Filters, facet: string): readonly string[] | undefined =>
  values?.[facet] ?? closedValues(row, facet);

/** The parameters that select rows. */
export function filterParameters(list: Filters): Record<string, TSchema> {
  const parameters = Object.entries(list.filters).map(([facet, what]) => [
    facet,
    listParameter(what, possibleIn(list, facet)),
  ]);
  const lowest = Object.entries(list.minimums ?? {}).map(([name, { description }]) => [
    name,
    Type.Optional(Type.Number({ minimum: 0, description })),
  ]);
  return Object.fromEntries([...parameters, ...lowest]) as Record<string, TSchema>;
}

function queryOf(list: ListEndpoint): TObject {
  const { compared, sorts = [] } = list;
  return Strict({
    ...filterParameters(list),
    ...(sorts.length > 0 && { sort: sortParameter(sorts) }),
    cursor: cursorParameter,
    limit: limitParameter(PAGE),
    ...(compared && { include: includeParameter }),
  });
}

const sortParameter = (fields: readonly string[]) =>
  Type.Optional(
    Type.Enum(
      fields.flatMap((field) => [field, `-${field}`]),
      { description: 'A field, prefixed with `-` for descending order; null comes last' },
    ),
  );

type ListQuery = Readonly<Record<string, string>> & { readonly limit?: number };

async function pageOf(
  services: Services,
  query: ListQuery,
  // `selection`: what the path selects.
  list: ListEndpoint & { readonly selection: readonly AnyOf[] },
): Promise<Reply> {
  const { shape, compared, lacks, selection } = list;
  const { between, open, ...filtered } = filtersIn(query, list);
  const sort = sortOf(query['sort']);
  const sortRule = sort === undefined ? undefined : sortRuleIn(query, list);
  const asked = [...selection, ...filtered.any];
  const any =
    sortRule === undefined ? asked : [...asked, { facet: sortRule.facet, values: [sortRule.ranked] }];
  const page = await listPage(services, {
    dataset: shape.dataset,
    selection: { any, between, sort },
    open,
    filterHash: filterHashOf({
      any,
      ...(between.length > 0 && { between: between.map(({ field, min }) => [field, String(min)]) }),
      ...(sort && { sort }),
    }),
    cursor: query['cursor'],
    parameter: 'cursor',
    limit: query.limit ?? PAGE.default,
  });
  const { total, has_more, cursor, about } = page;
  const isCompared = compared !== undefined && query['include'] === 'changes';
  const { rows, identity } = isCompared ? await pageWithChanges(services, compared, page) : page;
  const lacking = await lacks?.of(services, { version: page.version, selected: any });
  const left =
    sortRule &&
    (await leftOut(services, page.version, { sortRule, any: asked, between, dataset: shape.dataset }));
  const meta = { total, has_more, cursor, ...unmatchedMember(page.unmatched), ...left, ...lacking };
  return { payload: rows, meta, about, identity };
}

/** What the order leaves out; undefined if a parameter asks for it. */
const sortRuleIn = (query: ListQuery, { sortRule }: ListEndpoint): SortRule | undefined =>
  sortRule?.askedBy.some((name) => query[name] !== undefined) === true ? undefined : sortRule;

/** The number of rows that the order leaves out of those that pass the filters. */
async function leftOut(
  services: Services,
  version: string,
  {
    sortRule: { facet, value, member },
    any,
    between,
    dataset,
  }: Pick<FilteredRows, 'any' | 'between'> & { readonly sortRule: SortRule; readonly dataset: string },
) {
  const list = await services.versions.listOf(dataset, version);
  const selection = { any: [...any, { facet, values: [value] }], between };
  return { [member]: list?.table.page(selection, 0, 1).total };
}

interface FilteredRows {
  readonly any: readonly AnyOf[];
  readonly between: readonly NumberRange[];
  /** Values of filters with an open set of them. */
  readonly open: readonly FilterValue[];
}

/** The rows that the parameters of a request select. @throws Failure `validation_failed` for an empty name, or one that no row can have */
export function filtersIn(query: Readonly<Record<string, unknown>>, list: Filters): FilteredRows {
  const any: AnyOf[] = [];
  const open: FilterValue[] = [];
  for (const facet of Object.keys(list.filters)) {
    const text = query[facet];
    const names = namesIn(facet, text === undefined ? undefined : String(text));
    if (names === undefined) continue;
    const values = [...names].sort();
    const possible = possibleIn(list, facet);
    if (possible !== undefined) refuseOthers(facet, values, possible);
    else open.push(...values.map((value) => ({ parameter: facet, facet, value })));
    any.push({ facet, values });
  }
  const between = Object.entries(list.minimums ?? {}).flatMap(([name, { field }]) =>
    query[name] === undefined ? [] : [{ field, min: Number(query[name]), max: Number.POSITIVE_INFINITY }],
  );
  return { any, between, open };
}

function sortOf(text: string | undefined): Sort | undefined {
  if (text === undefined) return undefined;
  const isDescending = text.startsWith('-');
  return { field: isDescending ? text.slice(1) : text, isDescending };
}
