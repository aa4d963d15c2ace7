import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { FileDelivery } from '../../../../jobs/define/source.ts';
import type { Receipt } from '../../../../jobs/ingest/receipts/receipt.ts';
import { feedRound } from '../../../../jobs/families/oracles/raw.ts';
import { CONTEXT, csv, landedRows, openScratch, ROUND_FIELDS, type Scratch, SOURCE } from '../scratch.ts';

let scratch: Scratch;
beforeEach(async () => {
  scratch = await openScratch({ quarantineLimitPct: 30 });
});
afterEach(() => scratch.close());

const land = (delivery: FileDelivery) => scratch.ingest.land(feedRound, SOURCE, delivery, CONTEXT);
const counts = ({
  rows_in,
  rows_landed,
  rows_quarantined,
  rows_deduplicated,
  rows_filtered = -1,
}: Receipt) => [rows_in, rows_landed, rows_quarantined, rows_deduplicated, rows_filtered];
const rounds = async () =>
  (await landedRows(scratch, feedRound)).map(({ round_id, answer }) => `${round_id}=${answer}`).toSorted();
const quarantined = async () => {
  const rows: string[] = [];
  for await (const { record, reason } of scratch.ingest.listQuarantine()) rows.push(`${record} ${reason}`);
  return rows;
};

const ROUNDS = `round,answer,at,status,kind
1,10,1600000000,ok,a
2,20,1600000060, ok ,b
2,20,1600000060,ok,b
3,x,1600000120,failed,a
4,x,1600000180,ok,a
5,50,1600000240,,c
`;

describe('a filter', () => {
  test.each<[string, FileDelivery['where'], readonly number[], readonly string[]]>([
    ['a value', { status: 'ok' }, [6, 2, 1, 1, 2], ['1=10', '2=20']],
    ['several values', { kind: ['b', 'c'] }, [6, 2, 0, 1, 3], ['2=20', '5=50']],
    ['none of several', { kind: { not: ['b', 'c'] } }, [6, 1, 2, 0, 3], ['1=10']],
    ['an empty cell', { status: '' }, [6, 1, 0, 0, 5], ['5=50']],
    ['a non-empty cell', { status: { not: '' }, kind: 'b' }, [6, 1, 0, 1, 4], ['2=20']],
    ['a number', { round: 5 }, [6, 1, 0, 0, 5], ['5=50']],
    ['a value that does not occur', { kind: 'z' }, [6, 0, 0, 0, 6], []],
  ])('by %s lands the matching records and counts the others', async (_what, where, expected, landed) => {
    const path = await scratch.file('rounds.csv', ROUNDS);
    const receipt = await land(csv(path, where === undefined ? {} : { where }));
    expect(counts(receipt)).toEqual(expected);
    expect(await rounds()).toEqual(landed);
  });

  test('works in every format', async () => {
    const lines = [1, 2, 3].map((n) => ({
      round: n,
      answer: n * 10,
      at: 1_600_000_000 + n,
      tx: { ok: n < 3 },
    }));
    const where = { 'tx.ok': true };
    const fields = { ...ROUND_FIELDS };
    const ndjson = await scratch.file('r.ndjson', lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    expect(counts(await land({ kind: 'file', path: ndjson, format: 'ndjson', fields, where }))).toEqual([
      3, 2, 0, 0, 1,
    ]);
    const json = await scratch.file('r.json', JSON.stringify({ rows: lines }));
    const document = { kind: 'file', path: json, format: 'json', records: 'rows', fields, where } as const;
    expect(counts(await land(document))).toEqual([3, 0, 0, 2, 1]);
    const parquet = `${scratch.dir}.parquet`;
    await scratch.engine.execute(
      `copy (select 9 as round, 90 as answer, 1600000009 as at, true as ok union all select 8, 80, 1600000008, false) to '${parquet}' (format parquet)`,
    );
    expect(
      counts(await land({ kind: 'file', path: parquet, format: 'parquet', fields, where: { ok: true } })),
    ).toEqual([2, 1, 0, 0, 1]);
    expect(await rounds()).toEqual(['1=10', '2=20', '9=90']);
  });

  test('by an unknown column is rejected with the nearest name, and nothing lands', async () => {
    const path = await scratch.file('rounds.csv', ROUNDS);
    await expect(land(csv(path, { where: { statu: 'ok' } }))).rejects.toThrow(
      /where\.statu.*no column "statu", did you mean "status"/s,
    );
    expect(await rounds()).toEqual([]);
  });

  test('leaves a broken record in quarantine: whether it matches is unknown', async () => {
    const path = await scratch.file('rounds.csv', `${ROUNDS}6,60\n`);
    expect(counts(await land(csv(path, { where: { kind: 'c' } })))).toEqual([7, 1, 1, 0, 5]);
    expect(await quarantined()).toEqual(['7 record: too few columns']);
  });

  test('that changes causes the file to be read again; the same one does not', async () => {
    const path = await scratch.file('rounds.csv', ROUNDS);
    await land(csv(path, { where: { kind: 'c' } }));
    expect((await land(csv(path, { where: { kind: 'c' } }))).repeated).toBe(true);
    expect(counts(await land(csv(path, { where: { kind: ['b', 'c'] } })))).toEqual([6, 1, 0, 2, 3]);
  });
});

const OWN = `round,block
1,100
2,200
3,300
4,400
5,
`;
const BLOCKS = `number,answer,at
100,10,1600000000
200,20,1600000060
200,20,1600000060
300,30,1600000120
300,31,1600000120
900,90,1600000900
`;
const JOINED = {
  ...ROUND_FIELDS,
  answer: { from: 'blocks.answer' },
  updated_at: { from: 'blocks.at' },
} as const;

describe('a join', () => {
  const files = async (own: string | Buffer, blocks: string | Buffer, more: object = {}) => {
    const path = await scratch.file('own.csv', own);
    const join = {
      path: await scratch.file('blocks.csv', blocks),
      format: 'csv',
      as: 'blocks',
      on: { block: 'number' },
      ...more,
    };
    return csv(path, { fields: JOINED, join } as Partial<FileDelivery>);
  };

  test('lands records once with their counterpart, however often that is repeated, and gives the reason for the others', async () => {
    const receipt = await land(await files(OWN, BLOCKS));
    expect(counts(receipt)).toEqual([5, 2, 3, 0, -1]);
    expect(receipt.joined).toMatchObject({ rows: 6, unused: 1 });
    expect(await rounds()).toEqual(['1=10', '2=20']);
    expect(await quarantined()).toEqual([
      '3 join: several records of blocks have its key, and they differ',
      '4 join: no record of blocks has its key',
      '5 join: its key is empty',
    ]);
  });

  test('can leave out records without a counterpart, or keep them with empty columns', async () => {
    expect(counts(await land(await files(OWN, BLOCKS, { missing: 'filter' })))).toEqual([5, 2, 1, 0, 2]);
    expect(counts(await land(await files(OWN, BLOCKS, { missing: 'keep' })))).toEqual([5, 0, 3, 2, -1]);
    expect((await quarantined()).filter((row) => row.includes('answer: missing'))).toHaveLength(2);
  });

  test('a record whose counterpart comes later lands with the next delivery of the files, not by a redrive', async () => {
    await land(await files(OWN, BLOCKS));
    const reasons: string[] = [];
    const onRefused = ({ reason }: { readonly reason: string }) => reasons.push(reason);
    expect(await scratch.ingest.redrive({ table: feedRound, context: CONTEXT, onRefused })).toEqual([]);
    expect(reasons).toHaveLength(3);
    expect(reasons.every((reason) => reason.startsWith('join: '))).toBe(true);
    const again = await land(await files(OWN, `${BLOCKS}400,40,1600000180\n`));
    expect(counts(again)).toEqual([5, 1, 2, 2, -1]);
    expect(await rounds()).toEqual(['1=10', '2=20', '4=40']);
  });

  test('is identified by both files: unchanged files do nothing', async () => {
    const delivery = await files(OWN, BLOCKS);
    await land(delivery);
    expect((await land(delivery)).repeated).toBe(true);
  });

  test('works between formats, gzipped too, with a filter on either side', async () => {
    const blocks = [100, 200]
      .map((number) =>
        JSON.stringify({ number, head: { answer: `${number / 10}`, at: 1_600_000_000 + number } }),
      )
      .join('\n');
    const delivery = await files(gzipSync(OWN), gzipSync(blocks), { format: 'ndjson' });
    const fields = {
      ...JOINED,
      answer: { from: 'blocks.head.answer' },
      updated_at: { from: 'blocks.head.at' },
    };
    const receipt = await land({
      ...delivery,
      fields,
      where: { 'blocks.head.answer': { not: '20' }, round: ['1', '2', '4'] },
    });
    // Filtered: 3 and 5 by their own column, 2 by the joined one. 4 has no counterpart.
    expect(counts(receipt)).toEqual([5, 1, 1, 0, 3]);
    expect(await rounds()).toEqual(['1=10']);
  });

  test('a bad value of either file is in quarantine with both in its raw record', async () => {
    await land(
      await files(
        'round,block\nx y,100\n2,200\n',
        'number,answer,at\n100,10,1600000000\n200,abc,1600000060\n',
      ),
    );
    const raws: string[] = [];
    for await (const row of scratch.ingest.listQuarantine()) raws.push(`${row.reason} ${row.raw}`);
    expect(raws.join('\n')).toContain('blocks.answer');
  });

  test('a joined file that is missing, lacks a column or holds a broken record is rejected as a whole, and named', async () => {
    const delivery = await files(OWN, BLOCKS);
    const join = delivery.join;
    if (join === undefined) throw new Error('no join');
    await expect(land({ ...delivery, join: { ...join, path: `${join.path}.not` } })).rejects.toThrow(
      /blocks\.csv\.not.*does not exist/s,
    );
    await expect(land({ ...delivery, join: { ...join, on: { block: 'numbr' } } })).rejects.toThrow(
      /no column "numbr", did you mean "number"/,
    );
    await expect(land({ ...delivery, join: { ...join, on: { blok: 'number' } } })).rejects.toThrow(
      /no column "blok", did you mean "block"/,
    );
    await expect(land(await files(OWN, `${BLOCKS}7\n`))).rejects.toThrow(
      /1 of its records cannot be read.*record 7/s,
    );
    expect(await rounds()).toEqual([]);
  });
});

test('a prefix is added only to ids that are present', async () => {
  const path = await scratch.file('rounds.csv', 'round,answer,at\n7,10,1600000000\n');
  const fields = { ...ROUND_FIELDS, feed_address: { from: ['feed', 'round'], prefix: 'own:' } };
  await land(csv(path, { fields }));
  expect(await landedRows(scratch, feedRound)).toMatchObject([{ feed_address: 'own:7' }]);
  const empty = await scratch.file('empty.csv', 'round,feed,answer,at\n8,,10,1600000000\n');
  const receipt = await land(
    csv(empty, { fields: { ...ROUND_FIELDS, feed_address: { from: 'feed', prefix: 'own:' } } }),
  );
  expect(receipt.reasons).toEqual({ 'feed_address: missing': 1 });
});
