// Which tables must have rows for a query to give any. A query without them need not be run: most families of a data folder are unused.

/** A table, or how several of them together decide. Nothing to need (`all` of none) is always met. */
export type RowNeeds = string | { readonly all: readonly RowNeeds[] } | { readonly any: readonly RowNeeds[] };

/** Of a query that may give rows whatever its tables hold. */
export const NO_NEEDS: RowNeeds = { all: [] };

/** Whether they are met whatever the tables hold. */
export const isAlwaysMet = (needs: RowNeeds): boolean =>
  typeof needs !== 'string' && ('all' in needs ? needs.all.every(isAlwaysMet) : needs.any.some(isAlwaysMet));

/** Whether the query may give rows. `hasRows`: whether a table has any, or may have. */
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
