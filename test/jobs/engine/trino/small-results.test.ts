// Comparing fetched rows.
import { expect, test } from 'vitest';
import type { FetchedRow } from '../../../../jobs/engine/trino/constants.ts';
import { differenceOf, fetchDifference } from '../../../../jobs/engine/trino/write-model.ts';
import { seededRandom } from '../../../support/seeded-random.ts';

const sorted = (rows: readonly FetchedRow[]) => rows.map((row) => JSON.stringify(row)).sort();

test('removing and adding the difference gives the new rows, and nothing is in both', () => {
  const random = seededRandom(7);
  const some = () =>
    Array.from({ length: Math.floor(random() * 9) }, () => [Math.floor(random() * 4), 'x'] as const);
  for (let trial = 0; trial < 500; trial++) {
    const [before, fresh] = [some(), some()];
    const { removed, added } = differenceOf(before, fresh);
    const kept = sorted(before);
    for (const text of sorted(removed)) kept.splice(kept.indexOf(text), 1);
    expect([...kept, ...sorted(added)].sort()).toEqual(sorted(fresh));
    expect(sorted(added).filter((text) => sorted(removed).includes(text))).toEqual([]);
  }
});

test('the same rows in another order do not differ', () => {
  const rows = [
    [1, null],
    [2, 'a'],
    [2, 'a'],
  ];
  expect(differenceOf(rows, rows.toReversed())).toMatchObject({ removed: [], added: [] });
  expect(differenceOf([[1, null]], [[1, 'null']])).toMatchObject({
    removed: [[1, null]],
    added: [[1, 'null']],
  });
});

test('a result that has become large is not fetched whole', async () => {
  const writing = {
    table: 't',
    columns: [{ name: 'n', type: 'BIGINT' }],
    rows: 'select 1 as n',
    old: () => 'true',
  };
  const ended: string[] = [];
  const clientOf = (pages: number) => ({
    async *pages(sql: string) {
      try {
        for (let page = 0; page < (sql.includes('from t ') ? 1 : pages); page++)
          yield { columns: [], rows: Array.from({ length: 1_000 }, (_, n) => [n]), updateCount: null };
      } finally {
        ended.push(sql);
      }
    },
  });
  expect(await fetchDifference(clientOf(1_000_000), writing)).toBeNull();
  expect(ended).toHaveLength(2);
  expect((await fetchDifference(clientOf(2), writing))?.added).toHaveLength(1_000);
});
