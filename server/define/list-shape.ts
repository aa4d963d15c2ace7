// What a list of published rows can be filtered, searched and sorted by. A family declares it with the endpoint of its list.

/** A published row, parsed. */
export type Fields = Readonly<Record<string, unknown>>;

export interface ListShape {
  /** Id of the dataset whose documents are the rows. */
  readonly dataset: string;
  /** The table's own order. Ties, and all rows of a table without one, are ordered by id. */
  readonly order?: {
    /** A number: rows without it come first, the others ascend. Filtering by a range of it costs nothing. */
    readonly by?: string;
    readonly isNewestFirst?: boolean;
  };
  /** Values by which rows can be filtered. */
  readonly facets: Readonly<Record<string, (fields: Fields) => readonly string[]>>;
  /** Names of numbers by which rows can be sorted and filtered. */
  readonly numbers: readonly string[];
  /** Names of texts by which rows can be sorted. */
  readonly texts: readonly string[];
  /** The text that a search covers. */
  searched?(fields: Fields): string;
}

const lower = (fields: Fields, name: string): readonly string[] => {
  const value = fields[name];
  return value === null || value === undefined ? [] : [String(value).toLowerCase()];
};

/** The values of columns, lower case; null is no value. */
export const facetOf =
  (...names: readonly string[]) =>
  (fields: Fields): readonly string[] =>
    names.flatMap((name) => lower(fields, name));

/** A list in key order, filtered by the values of columns. */
export const filteredBy = (dataset: string, ...names: readonly string[]): ListShape => ({
  dataset,
  facets: Object.fromEntries(names.map((name) => [name, facetOf(name)])),
  numbers: [],
  texts: [],
});

/** The lists of these endpoints, each once. */
export const listsOf = (endpoints: readonly { readonly list?: ListShape }[]): readonly ListShape[] => [
  ...new Set(endpoints.flatMap(({ list }) => list ?? [])),
];
