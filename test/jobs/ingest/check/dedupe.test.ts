import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { defineRawTable } from '../../../../jobs/define/raw-table.ts';
import { landedSql } from '../../../../jobs/engine/duckdb/landed-sql.ts';
import { CONFLICT_BATCH, CONFLICT_STORED } from '../../../../jobs/ingest/check/dedupe.ts';
import { feedRound } from '../../../../jobs/families/oracles/raw.ts';
import { CONTEXT, csv, landedRows, openScratch, roundsCsv, type Scratch, SOURCE } from '../scratch.ts';

let scratch: Scratch;
beforeEach(async () => {
  scratch = await openScratch();
});
afterEach(() => scratch.close());

type Round = readonly [round: number, answer: number, at: number];
let files = 0;
const land = async (rounds: readonly Round[], ingest = scratch.ingest) => {
  files += 1;
  return ingest.land(feedRound, SOURCE, csv(await scratch.file(`${files}.csv`, roundsCsv(rounds))), CONTEXT);
};
/** Does what the append model does between two batches. */
const keep = () =>
  scratch.engine.execute(
    `create or replace table obs.feed_round as select *, updated_at as observed_at from (${landedSql(feedRound, scratch.ingest.files('feed_round'))})`,
  );

const T = 1_600_000_000;

describe('inside a batch', () => {
  test('a repeated row is dropped and counted', async () => {
    expect(
      await land([
        [1, 10, T],
        [2, 20, T + 1],
        [1, 10, T],
      ]),
    ).toMatchObject({ rows_in: 3, rows_landed: 2, rows_deduplicated: 1, rows_quarantined: 0 });
  });

  test('a key with two contents lands the earlier one and quarantines the other', async () => {
    const receipt = await land([
      [1, 11, T + 5],
      [1, 10, T],
      [1, 11, T + 5],
      [1, 10, T],
    ]);
    expect(receipt).toMatchObject({
      rows_in: 4,
      rows_landed: 1,
      rows_deduplicated: 1,
      reasons: { [CONFLICT_BATCH]: 2 },
    });
    expect(await landedRows(scratch)).toMatchObject([{ answer: '10', updated_at: T }]);
  });

  test('a table that counts copies records how often each fact occurs in the batch', async () => {
    const table = defineRawTable({
      ...feedRound,
      fields: [
        ...feedRound.fields,
        { name: 'copies', type: 'BIGINT', computed: '1', description: 'How often the batch said it' },
      ],
      copies: 'copies',
    });
    const text = roundsCsv([
      [1, 10, T],
      [2, 20, T + 1],
      [1, 10, T],
      [3, 30, T],
      [1, 10, T],
      [3, 31, T + 1],
    ]);
    const { ingest } = scratch;
    const receipt = await ingest.land(table, SOURCE, csv(await scratch.file('c.csv', text)), CONTEXT);
    expect(receipt).toMatchObject({ rows_landed: 3, rows_deduplicated: 2, rows_quarantined: 1 });
    const rows = await landedRows(scratch, table);
    expect(rows.map((row) => [row['round_id'], row['copies']])).toEqual([
      ['1', 3],
      ['2', 1],
      ['3', 1],
    ]);
  });

  test('what lands does not depend on the order of the rows', async () => {
    const round = fc.tuple(
      fc.integer({ min: 1, max: 4 }),
      fc.integer({ min: 1, max: 3 }),
      fc.integer({ min: T, max: T + 2 }),
    );
    const shuffled = fc
      .array(round, { minLength: 1, maxLength: 12 })
      .chain((rounds) =>
        fc.tuple(
          fc.constant(rounds),
          fc.shuffledSubarray(rounds, { minLength: rounds.length, maxLength: rounds.length }),
        ),
      );
    let run = 0;
    const outcome = async (rounds: readonly Round[]) => {
      run += 1;
      const ingest = await scratch.reopen({ dir: `${scratch.dir}-${run}` });
      const { rows_in, rows_landed, rows_deduplicated, reasons } = await land(rounds, ingest);
      return {
        rows_in,
        rows_landed,
        rows_deduplicated,
        reasons,
        rows: await landedRows({ engine: scratch.engine, ingest }),
      };
    };
    await fc.assert(
      fc.asyncProperty(shuffled, async ([one, other]) => {
        expect(await outcome(one)).toEqual(await outcome(other));
      }),
      { numRuns: 15 },
    );
  });
});

describe('against kept rows', () => {
  test('a grown file lands only its new rows', async () => {
    await land([
      [1, 10, T],
      [2, 20, T + 60],
    ]);
    await keep();
    expect(
      await land([
        [1, 10, T],
        [2, 20, T + 60],
        [3, 30, T + 120],
      ]),
    ).toMatchObject({ rows_in: 3, rows_landed: 1, rows_deduplicated: 2 });
  });

  test('another answer, or another time, for a kept round is a conflict', async () => {
    await land([
      [1, 10, T],
      [2, 20, T + 60],
    ]);
    await keep();
    expect(
      await land([
        [1, 99, T],
        [2, 20, T + 61],
      ]),
    ).toMatchObject({ rows_landed: 0, file: null, reasons: { [CONFLICT_STORED]: 2 } });
  });

  test('a round that was never answered is recognised whatever time it was given', async () => {
    await land([
      [1, 10, T],
      [2, 0, 0],
    ]);
    await scratch.engine.execute(`create or replace table obs.feed_round as select *, case when updated_at = 0 then ${T - 10 * 86_400} else updated_at end as observed_at
      from (${landedSql(feedRound, scratch.ingest.files('feed_round'))})`);
    expect(
      await land([
        [2, 0, 0],
        [3, 30, T + 10 * 86_400],
      ]),
    ).toMatchObject({ rows_landed: 1, rows_deduplicated: 1 });
  });

  test('before anything is kept, batches land unchanged', async () => {
    await land([[1, 10, T]]);
    expect(await land([[2, 20, T]])).toMatchObject({ rows_landed: 1 });
  });

  test('a kept table without the key is an error that names the missing column', async () => {
    const table = { ...feedRound, key: [...feedRound.key, 'updated_at'] };
    const { ingest } = scratch;
    const delivery = async (rows: readonly Round[]) => csv(await scratch.file('k.csv', roundsCsv(rows)));
    await ingest.land(table, SOURCE, await delivery([[1, 10, T]]), CONTEXT);
    await scratch.engine.execute('create or replace table obs.feed_round as select 1 as chain');
    await expect(ingest.land(table, SOURCE, await delivery([[2, 20, T]]), CONTEXT)).rejects.toThrow(
      'obs.feed_round has no column "feed_address"',
    );
  });

  test('what is in another warehouse, or not absorbed yet, is looked up in landed files', async () => {
    const table = { ...feedRound, key: [...feedRound.key, 'updated_at'] };
    const { ingest } = scratch;
    const rows = (more: readonly Round[]): readonly Round[] => [[1, 10, T], [2, 20, T + 60], ...more];
    const delivery = async (more: readonly Round[]) =>
      csv(await scratch.file('grown.csv', roundsCsv(rows(more))));
    const first = await ingest.land(table, SOURCE, await delivery([]), CONTEXT);
    expect(first).toMatchObject({ rows_landed: 2 });
    const grown = await ingest.land(table, SOURCE, await delivery([[3, 30, T + 120]]), CONTEXT);
    expect(grown).toMatchObject({ rows_landed: 1, rows_deduplicated: 2 });
  });
});
