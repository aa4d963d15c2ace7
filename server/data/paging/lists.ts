// The published lists with paging: the fields that each can be filtered and sorted by.
import { YIELD_FACETS, YIELD_NUMBERS, YIELD_TEXTS, type YieldFacet } from '../../../schemas/yields.ts';
import { foldAddresses } from '../../define/fold-addresses.ts';
import type { Fields, TableShape } from './table-shape.ts';

/** Worst covered first. */
export const COVERAGE_LIST: TableShape = {
  dataset: 'coverage',
  order: { by: 'history_completeness_pct' },
  facets: {
    scope: ({ scope }) => [String(scope)],
    scope_id: ({ scope_id }) => [foldAddresses(String(scope_id))],
  },
  numbers: ['history_completeness_pct'],
  texts: [],
};

export const CORRECTION_LIST: TableShape = {
  dataset: 'corrections',
  order: { isNewestFirst: true },
  facets: { dataset: ({ dataset }) => [String(dataset)] },
  numbers: [],
  texts: [],
};

export const YIELD_LIST: TableShape = {
  dataset: 'yield-opportunities',
  facets: Object.fromEntries(
    YIELD_FACETS.map((facet) => [facet, (fields: Fields) => yieldValues(fields, facet)]),
  ),
  numbers: YIELD_NUMBERS,
  texts: YIELD_TEXTS,
  searched: (fields) => [fields['name'], fields['asset'], ...symbolsOf(fields)].join(' '),
};

export const LISTS: readonly TableShape[] = [COVERAGE_LIST, CORRECTION_LIST, YIELD_LIST];

function yieldValues(fields: Fields, facet: YieldFacet): readonly string[] {
  const values = facet === 'asset' ? [fields[facet], ...symbolsOf(fields)] : [fields[facet]];
  const known = values.filter((value) => value !== null && value !== undefined);
  return known.map((value) => String(value).toLowerCase());
}

const symbolsOf = ({ assets }: Fields): readonly unknown[] => (Array.isArray(assets) ? assets : []);
