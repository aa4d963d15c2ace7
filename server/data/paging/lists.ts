// The published lists with paging, and the fields that each can be filtered and sorted by.
import { YIELD_FACETS, YIELD_NUMBERS, YIELD_TEXTS, type YieldFacet } from '../../../schemas/yields.ts';
import { foldAddresses } from '../../define/parameters.ts';
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

const lower = (fields: Fields, name: string): readonly string[] => {
  const value = fields[name];
  return value === null || value === undefined ? [] : [String(value).toLowerCase()];
};

/** A list in key order, filtered by the values of columns. */
const filteredBy = (dataset: string, ...names: readonly string[]): TableShape => ({
  dataset,
  facets: Object.fromEntries(names.map((name) => [name, (fields: Fields) => lower(fields, name)])),
  numbers: [],
  texts: [],
});

export const PEG_LIST = filteredBy('pegs', 'chain', 'symbol', 'kind', 'state');
export const FEED_LIST = filteredBy('feeds', 'chain', 'pair', 'provider', 'status', 'feed_address');

export const NETWORK_LIST = filteredBy('networks', 'kind');

const MARKETS = filteredBy(
  'lending-markets',
  ...['chain', 'protocol', 'market_id', 'oracle_status', 'state_status', 'risk_level', 'is_classified'],
);

export const LENDING_LIST: TableShape = {
  ...MARKETS,
  facets: {
    ...MARKETS.facets,
    asset: (fields) => [...lower(fields, 'loan_symbol'), ...lower(fields, 'collateral_symbol')],
  },
};

export const LISTS: readonly TableShape[] = [
  COVERAGE_LIST,
  CORRECTION_LIST,
  YIELD_LIST,
  PEG_LIST,
  FEED_LIST,
  LENDING_LIST,
  NETWORK_LIST,
];

function yieldValues(fields: Fields, facet: YieldFacet): readonly string[] {
  const values = facet === 'asset' ? [fields[facet], ...symbolsOf(fields)] : [fields[facet]];
  const known = values.filter((value) => value !== null && value !== undefined);
  return known.map((value) => String(value).toLowerCase());
}

const symbolsOf = ({ assets }: Fields): readonly unknown[] => (Array.isArray(assets) ? assets : []);
