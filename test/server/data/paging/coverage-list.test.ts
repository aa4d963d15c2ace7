import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Documents } from '../../../../server/data/documents.ts';
import { COVERAGE_LIST } from '../../../../server/routes/manifest.ts';
import { PagedTable } from '../../../../server/data/paging/paged-table.ts';
import { foldAddresses } from '../../../../platform/base/fold-addresses.ts';

interface Row {
  readonly id: string;
  readonly scope: string;
  readonly scope_id: string;
  readonly history_completeness_pct: number | null;
}

const rows = fc.uniqueArray(
  fc.record({
    id: fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 1, maxLength: 4 }),
    scope: fc.constantFrom('oracle_feed', 'lending_vault'),
    scope_id: fc.constantFrom('0xaB', '0xab', '0xc', 'usdc'),
    history_completeness_pct: fc.constantFrom(null, 0, 12.5, 40, 40, 99, 100),
  }),
  { selector: ({ id }) => id, maxLength: 40 },
);
const filters = fc.record({
  scope: fc.constantFrom(undefined, 'oracle_feed', 'lending_vault', 'none'),
  scope_id: fc.constantFrom(undefined, '0xab', '0xc', 'usdc', 'none'),
  min: fc.constantFrom(undefined, 12.5, 40, 41, 101),
});

const tableOf = (all: readonly Row[]): Promise<PagedTable> => {
  const lines = all.map(({ id, ...value }) => JSON.stringify({ key: id, value: { id, ...value } }));
  return PagedTable.from(COVERAGE_LIST, new Documents('coverage', all.length, Buffer.from(lines.join('\n'))));
};

const unknownFirst = (row: Row) => row.history_completeness_pct ?? -1;

/** The result of plain loops. */
function expected(all: readonly Row[], { scope, scope_id, min }: Filter): readonly string[] {
  return all
    .filter((row) => scope === undefined || row.scope === scope)
    .filter((row) => scope_id === undefined || foldAddresses(row.scope_id) === scope_id)
    .filter((row) => min === undefined || (row.history_completeness_pct ?? -1) >= min)
    .toSorted((a, b) => unknownFirst(a) - unknownFirst(b) || (a.id < b.id ? -1 : 1))
    .map(({ id }) => id);
}

interface Filter {
  readonly scope: string | undefined;
  readonly scope_id: string | undefined;
  readonly min: number | undefined;
}

test('with any filters, pages are worst covered first and equal to the result of plain loops', async () => {
  await fc.assert(
    fc.asyncProperty(
      rows,
      fc.array(filters, { minLength: 1, maxLength: 4 }),
      fc.integer({ min: 1, max: 9 }),
      async (all, wanted, limit) => {
        const table = await tableOf(all);
        for (const filter of wanted) {
          const any = (['scope', 'scope_id'] as const).flatMap((facet) =>
            filter[facet] === undefined ? [] : [{ facet, values: [filter[facet]] }],
          );
          const range = { field: 'history_completeness_pct', max: Number.POSITIVE_INFINITY };
          const between = filter.min === undefined ? [] : [{ ...range, min: filter.min }];
          const seen: string[] = [];
          for (let hasMore = true; hasMore; ) {
            const page = table.page({ any, between }, seen.length, limit);
            seen.push(...(JSON.parse(String(page.rows)) as Row[]).map(({ id }) => id));
            hasMore = page.hasMore;
            expect(page.total).toBe(expected(all, filter).length);
          }
          expect(seen).toEqual(expected(all, filter));
        }
      },
    ),
    { numRuns: 300 },
  );
});
