// The query parameters of yield opportunities (4.22), and the filters and order they select.

import { Strict, Type } from '../../../schemas/define.ts';
import { includeParameter } from '../../../schemas/figure-changes.ts';
import { LIMITS } from '../../../schemas/plans.ts';
import { RISK_BANDS } from '../../../schemas/values.ts';
import {
  DIRECTIONALITIES,
  YIELD_SORTS,
  type YieldFacet,
  type YieldNumber,
  type YieldSort,
} from '../../../schemas/yields.ts';
import { parameterFailure } from '../../define/failure.ts';
import { type FilterValue, refuseOthers } from '../../define/filter-values.ts';
import { listParameter } from '../../define/parameters.ts';
import type { AnyOf, NumberRange, Selection, Sort } from './selection.ts';
import { termsOf } from './text-search.ts';

const MAX_TEXT = 1_000;
const DEFAULT_SORT = '-tvlUsd';
const SORTS = YIELD_SORTS.flatMap((field) => [field, `-${field}`]);
const PAGE = LIMITS.yield_page;

const bound = (description: string) => Type.Optional(Type.Number({ description }));

export const YieldQuerySchema = Strict({
  'page[limit]': Type.Optional(
    Type.Integer({
      minimum: 1,
      default: PAGE.default,
      description: `Page size; larger values are reduced to ${PAGE.max}`,
    }),
  ),
  'page[cursor]': Type.Optional(Type.String({ description: '`meta.cursor` of the previous page' })),
  include: includeParameter,
  sort: Type.Optional(
    Type.Enum(SORTS, {
      default: DEFAULT_SORT,
      description: 'A field, prefixed with `-` for descending order; null comes last',
    }),
  ),
  'filter[venue]': listParameter('protocols'),
  'filter[chain]': listParameter('chains'),
  'filter[asset]': listParameter('assets that the position is exposed to'),
  'filter[strategy]': listParameter('strategy types'),
  'filter[riskBand]': listParameter(`risk bands (${RISK_BANDS.join(', ')})`),
  'filter[maxRiskBand]': Type.Optional(Type.Enum([...RISK_BANDS], { description: 'Riskiest band to keep' })),
  'filter[tier]': listParameter('data tiers (1, 2, 3)'),
  'filter[directionality]': Type.Optional(
    Type.Enum([...DIRECTIONALITIES], { description: 'How the position depends on the price of its asset' }),
  ),
  'filter[minApy]': bound('Minimum net APY, percent'),
  'filter[maxApy]': bound('Maximum net APY, percent'),
  'filter[minLiquidityScore]': bound('Minimum liquidity score'),
  'filter[minTvl]': bound('Minimum TVL, USD'),
  search: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: MAX_TEXT,
      pattern: '\\S',
      description: 'Words that must all occur in the name or the asset',
    }),
  ),
});

export type YieldQuery = Readonly<Record<string, unknown>>;

/** The values of each facet are in lower case and sorted, because they determine the selection that a cursor belongs to. */
export interface YieldSelection extends Selection {
  readonly any: readonly AnyOf<YieldFacet>[];
  readonly between: readonly NumberRange<YieldNumber>[];
  readonly search: string | undefined;
  readonly sort: Sort<YieldSort>;
}

/** Facets whose values are not a closed set. */
const OPEN = ['venue', 'chain', 'asset', 'strategy'] as const;

/** The values that a query selects by open facets. */
export const openFilters = (query: YieldQuery): readonly FilterValue[] =>
  OPEN.flatMap((facet) =>
    anyOf(query, facet).flatMap(({ values }) =>
      values.map((value) => ({ parameter: `filter[${facet}]`, facet, value })),
    ),
  );

/** @throws Failure `validation_failed` */
export function yieldSelection(query: YieldQuery): YieldSelection {
  const sort = textOf(query['sort']) ?? DEFAULT_SORT;
  const isDescending = sort.startsWith('-');
  return {
    any: [
      ...anyOf(query, 'venue'),
      ...anyOf(query, 'chain'),
      ...anyOf(query, 'asset'),
      ...anyOf(query, 'strategy'),
      ...anyOf(query, 'riskBand', RISK_BANDS),
      ...anyOf(query, 'tier', ['1', '2', '3']),
      ...anyOf(query, 'directionality'),
      ...upTo(textOf(query['filter[maxRiskBand]'])),
    ],
    between: betweenOf(query),
    search: searchOf(textOf(query['search'])),
    sort: { field: (isDescending ? sort.slice(1) : sort) as YieldSort, isDescending },
  };
}

/** Larger values are clamped, not rejected (4.22). */
export const pageLimit = (query: YieldQuery): number =>
  Math.min(numberOf(query['page[limit]']) ?? PAGE.default, PAGE.max);

function anyOf(
  query: YieldQuery,
  facet: YieldFacet,
  known?: readonly string[],
): readonly AnyOf<YieldFacet>[] {
  const parameter = `filter[${facet}]`;
  const text = textOf(query[parameter]);
  if (text === undefined) return [];
  const values = [...new Set(text.split(',').map((value) => value.trim().toLowerCase()))].filter(
    (value) => value !== '',
  );
  if (values.length === 0) throw parameterFailure(parameter, 'names nothing');
  if (known !== undefined) refuseOthers(parameter, values, known);
  return [{ facet, values: values.sort() }];
}

const upTo = (band: string | undefined): readonly AnyOf<YieldFacet>[] =>
  band === undefined
    ? []
    : [
        {
          facet: 'riskBand',
          values: RISK_BANDS.slice(0, RISK_BANDS.indexOf(band as (typeof RISK_BANDS)[number]) + 1),
        },
      ];

function betweenOf(query: YieldQuery): readonly NumberRange<YieldNumber>[] {
  const range = (
    field: YieldNumber,
    lowest?: string,
    highest?: string,
  ): readonly NumberRange<YieldNumber>[] => {
    const [from, to] = [numberOf(query[lowest ?? '']), numberOf(query[highest ?? ''])];
    if (from === undefined && to === undefined) return [];
    if (from !== undefined && to !== undefined && from > to)
      throw parameterFailure(lowest ?? '', `is above ${highest}: no value can be in between`);
    return [{ field, min: from ?? Number.NEGATIVE_INFINITY, max: to ?? Number.POSITIVE_INFINITY }];
  };
  return [
    ...range('netApy', 'filter[minApy]', 'filter[maxApy]'),
    ...range('liquidityScore', 'filter[minLiquidityScore]'),
    ...range('tvlUsd', 'filter[minTvl]'),
  ];
}

/** All terms must occur; their order and case do not matter. */
const searchOf = (text: string | undefined): string | undefined =>
  text === undefined ? undefined : [...new Set(termsOf(text))].sort().join(' ');

const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined);
const numberOf = (value: unknown) => (typeof value === 'number' ? value : undefined);
