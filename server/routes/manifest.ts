// The data manifest: coverage in total and row by row (2.12, 2.13, 4.18, 4.19; decisions 14, 42).

import { foldAddresses } from '../../platform/base/fold-addresses.ts';
import {
  COVERAGE_SCOPES,
  COVERAGE_SERIES,
  CoverageRowSchema,
  FIGURE_SCOPES,
  ManifestSummarySchema,
} from '../../schemas/coverage.ts';
import { Strict, Type } from '../../schemas/define.ts';
import { unmatchedSchema, V2Document, V2Page } from '../../schemas/envelopes.ts';
import { cursorParameter, limitParameter } from '../../schemas/page-parameters.ts';
import { LIMITS } from '../../schemas/plans.ts';
import { filterHashOf, listPage } from '../data/paging/list-page.ts';
import type { Selection } from '../data/paging/selection.ts';
import { defineEndpoint } from '../define/endpoint.ts';
import { unmatchedMember } from '../define/filter-values.ts';
import type { ListShape } from '../define/list-shape.ts';
import { missingDataset, servedVersion } from '../define/missing-data.ts';
import { TAGS } from '../define/tags.ts';
import { seriesEndpoint } from '../series/series-endpoint.ts';

const SUMMARY = { dataset: 'manifest-summary', key: 'summary' } as const;
const PAGE = LIMITS.coverage_page;

export const getDataManifest = defineEndpoint({
  method: 'GET',
  path: '/v2/data-manifest',
  tag: TAGS.manifest,
  summary: 'Counts of markets, feeds, vaults and protocols, and the completeness of their data',
  datasets: [SUMMARY.dataset],
  access: 'open',
  envelope: 'v2',
  cache: 'shared',
  params: Strict({}),
  query: Strict({}),
  response: V2Document(ManifestSummarySchema),
  errors: ['invalid_request', 'unavailable', 'internal_error'],
  handle(_, services) {
    const version = services.versions.current;
    const summary = version?.dataset(SUMMARY.dataset);
    const document = summary?.documents.get(SUMMARY.key);
    if (version === undefined || summary === undefined || document === undefined) {
      throw missingDataset(servedVersion(services), SUMMARY.dataset);
    }
    const { generated_at } = version.manifest;
    const payload = { generated_at, protocols: {}, ...JSON.parse(document.toString()) };
    return { payload, about: summary.entry, identity: services.identify(version.version) };
  },
  *prepare(services) {
    if (services.versions.current?.dataset(SUMMARY.dataset)?.documents.get(SUMMARY.key) !== undefined)
      yield {};
  },
});

export const getCoverageHistory = seriesEndpoint({
  tag: TAGS.manifest,
  path: '/v2/coverage/history',
  summary: 'Coverage of a scope by day: complete items, mean completeness, and items by kind of gap',
  access: 'open',
  datasets: [COVERAGE_SERIES.dataset],
  definitions: [COVERAGE_SERIES],
  params: Strict({}),
  filters: {
    scope: Type.Optional(
      Type.Enum([...FIGURE_SCOPES], { default: 'all', description: 'One scope, or all scopes together' }),
    ),
  },
  keyOf: ({ scope = 'all' }) => scope,
  paramsOf: (key) => (key === 'all' ? {} : undefined),
});

const text = (description: string) => Type.Optional(Type.String({ description }));

/** Worst covered first. */
export const COVERAGE_LIST: ListShape = {
  dataset: 'coverage',
  order: { by: 'history_completeness_pct' },
  facets: {
    scope: ({ scope }) => [String(scope)],
    scope_id: ({ scope_id }) => [foldAddresses(String(scope_id))],
  },
  numbers: ['history_completeness_pct'],
  texts: [],
};

export const listCoverage = defineEndpoint({
  method: 'GET',
  path: '/v2/data-manifest/coverage',
  tag: TAGS.manifest,
  summary: 'Coverage of every item, least complete first; unknown completeness comes before 0',
  list: COVERAGE_LIST,
  datasets: [COVERAGE_LIST.dataset],
  access: { plan: 'team', scope: 'manifest:read' },
  envelope: 'v2',
  cache: 'shared',
  params: Strict({}),
  query: Strict({
    scope: Type.Optional(Type.Enum([...COVERAGE_SCOPES], { description: 'Keep only this kind of subject' })),
    scope_id: text('Keep only this scope id'),
    min_completeness_pct: Type.Optional(
      Type.Number({
        default: 0,
        description:
          'Keep rows at or above this percentage; above 0, rows of unknown completeness (null) are left out',
      }),
    ),
    cursor: cursorParameter,
    limit: limitParameter(PAGE),
  }),
  response: V2Page(CoverageRowSchema, { unmatched: unmatchedSchema }),
  errors: ['invalid_request', 'unavailable', 'internal_error'],
  async handle({ query }, services) {
    const { cursor, limit = PAGE.default, scope, scope_id, min_completeness_pct = 0 } = query;
    const filter = {
      scope,
      scope_id: scope_id && foldAddresses(scope_id),
      min_completeness_pct: Math.max(0, min_completeness_pct),
    };
    const found = await listPage(services, {
      dataset: COVERAGE_LIST.dataset,
      selection: selectionOf(filter),
      open:
        filter.scope_id === undefined
          ? []
          : [{ parameter: 'scope_id', facet: 'scope_id', value: filter.scope_id }],
      filterHash: filterHashOf(filter),
      limit,
      cursor,
      parameter: 'cursor',
    });
    const { rows, total, has_more, cursor: next, about, identity, unmatched } = found;
    const meta = { total, has_more, cursor: next, ...unmatchedMember(unmatched) };
    return { payload: rows, meta, about, identity };
  },
});

function selectionOf({
  scope,
  scope_id,
  min_completeness_pct: min,
}: {
  readonly scope: string | undefined;
  readonly scope_id: string | undefined;
  /** Percent. Above 0, rows whose completeness cannot be computed are excluded. */
  readonly min_completeness_pct: number;
}): Selection {
  const anyOf = (facet: string, value: string | undefined) =>
    value === undefined ? [] : [{ facet, values: [value] }];
  const max = Number.POSITIVE_INFINITY;
  return {
    any: [...anyOf('scope', scope), ...anyOf('scope_id', scope_id)],
    between: min > 0 ? [{ field: 'history_completeness_pct', min, max }] : [],
  };
}
