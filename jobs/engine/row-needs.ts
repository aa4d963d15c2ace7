// Which tables must have rows for a query to return any. Without them, the query need not run: most families of a data folder are unused.

/** A table, or a combination of needs. An empty `all` is always met. */
export type RowNeeds = string | { readonly all: readonly RowNeeds[] } | { readonly any: readonly RowNeeds[] };

/** Needs of a query that may return rows whatever its tables hold. */
export const NO_NEEDS: RowNeeds = { all: [] };

/** Whether the needs are met whatever the tables hold. */
export const isAlwaysMet = (needs: RowNeeds): boolean =>
  typeof needs !== 'string' && ('all' in needs ? needs.all.every(isAlwaysMet) : needs.any.some(isAlwaysMet));

/** Whether the query may return rows. `hasRows`: whether a table has, or may have, any rows. */
export async function areMet(
  needs: RowNeeds,
  hasRows: (table: string) => Promise<boolean>,
): Promise<boolean> {
  if (typeof needs === 'string') return hasRows(needs);
  const isAll = 'all' in needs;
  for (const part of isAll ? needs.all : needs.any)
    if ((await areMet(part, hasRows)) !== isAll) return !isAll;
  return isAll;
}
