// A fact has one time. For every raw table whose key does not say it: what is delivered again with another time is refused, however far
// apart the times are, and whatever has become of the first delivery since. A second landing of the second delivery alone is the model.
import { writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { deliveredFields, type RawTable } from '../../../../jobs/define/raw-table.ts';
import type { FileDelivery, SourceFacts } from '../../../../jobs/define/source.ts';
import { CONFLICT_BATCH, CONFLICT_STORED } from '../../../../jobs/ingest/check/dedupe.ts';
import type { Ingest } from '../../../../jobs/ingest/land.ts';
import { openScratchEngine } from '../../../support/case-duckdb.ts';
import { type FileRow, linesOf } from '../../../support/file-world.ts';
import { rawTables, SECOND_RUN, soundDeliveries } from '../../pipeline/held/demo-deliveries.ts';
import { landedRows, openScratch, quarantined, type Scratch, SOURCE } from '../scratch.ts';

vi.setConfig({ testTimeout: 60_000 });

const DAY_S = 86_400;
const CONTEXT = {
  interval: { from: SECOND_RUN - 300, to: SECOND_RUN },
  // Whatever is moved is not later than the fetch.
  fetchedAt: SECOND_RUN + 100 * DAY_S,
};
const KEY = new Uint8Array(32).fill(7);
const SHIFTS = {
  'a second later': 1,
  'hours earlier': -5 * 3_600,
  'days later': 3 * DAY_S,
  'months earlier': -70 * DAY_S,
};
const OTHER_SOURCE = { ...SOURCE, id: 'others' };

const isUntimed = ({ key, time, isAboutSources }: RawTable) => !key.includes(time) && isAboutSources !== true;
const untimed = rawTables.filter(isUntimed);

/** Part of the key follows from the same field as the time, so another time of another day is another fact. */
const OTHER_FACT = new Set(['network_a_daily']);

let scratch: Scratch;
beforeEach(async () => {
  scratch = await openScratch({ key: KEY });
});
afterEach(() => scratch.close());

let files = 0;
async function land(
  table: RawTable,
  rows: readonly FileRow[],
  { ingest = scratch.ingest, source = SOURCE }: { ingest?: Ingest; source?: SourceFacts } = {},
) {
  files += 1;
  const path = await scratch.file(`${table.name}-${files}.ndjson`, linesOf(rows));
  const fields = Object.fromEntries(deliveredFields(table).map(({ name }) => [name, { from: name }]));
  const delivery: FileDelivery = { kind: 'file', path, format: 'ndjson', fields };
  return ingest.land(table, source, delivery, CONTEXT);
}

async function soundRow(table: RawTable): Promise<FileRow> {
  const rows = (await soundDeliveries())
    .filter((one) => one.table === table)
    .flatMap(({ earlier }) => earlier);
  const row = rows.at(-1);
  if (row === undefined) throw new Error(`${table.name} has no row`);
  return row;
}

/** The row with another time. A computed time follows the fields that it is computed from. */
function moved(row: FileRow, { fields, time, key }: RawTable, seconds: number): FileRow {
  const { computed } = fields.find(({ name }) => name === time) ?? {};
  const names =
    computed === undefined
      ? [time]
      : Object.keys(row).filter((name) => /_(at|time)$/.test(name) && computed.includes(name));
  const later = names
    .filter((name) => !key.includes(name))
    .map((name) => [name, movedValue(row[name], seconds)]);
  return { ...row, ...Object.fromEntries(later) };
}

function movedValue(value: FileRow[string] | undefined, seconds: number): FileRow[string] {
  if (typeof value === 'number') return value === 0 ? 0 : value + seconds;
  if (typeof value !== 'string') return value ?? null;
  if (/^[0-9]{19}$/.test(value)) return String(BigInt(value) + BigInt(seconds) * 1_000_000_000n);
  return new Date(Date.parse(value) + seconds * 1_000).toISOString();
}

test('the tables are those whose key leaves the time out', () => {
  expect(untimed.length).toBeGreaterThan(15);
  expect(untimed.map(({ name }) => name)).toEqual(
    expect.arrayContaining([
      'vault_log',
      'mev_swap',
      'relay_payment',
      'governance_vote',
      'development_commit',
    ]),
  );
});

/** Lands a row, and then the same fact with another time from another source. */
async function checkOtherTime(table: RawTable, [about, seconds]: readonly [string, number]): Promise<void> {
  const row = await soundRow(table);
  const other = moved(row, table, seconds);
  const alone = await scratch.reopen({ dir: `${scratch.dir} ${about} alone` });
  await land(table, [other], { ingest: alone });
  const [own = {}] = await landedRows({ engine: scratch.engine, ingest: alone }, table);
  const ingest = await scratch.reopen({ dir: `${scratch.dir} ${about}` });
  const landed = () => landedRows({ engine: scratch.engine, ingest }, table);
  expect(await land(table, [row], { ingest }), about).toMatchObject({ rows_landed: 1 });
  const [first = {}] = await landed();
  const receipt = await land(table, [other], { ingest, source: OTHER_SOURCE });
  const isOneFact = table.key.every((field) => own[field] === first[field]);
  const isOneTime = own[table.time] === first[table.time];
  if (!OTHER_FACT.has(table.name)) expect([isOneFact, isOneTime], about).toEqual([true, false]);
  if (!isOneFact) expect(receipt, about).toMatchObject({ rows_landed: 1 });
  else if (isOneTime) expect(receipt, about).toMatchObject({ rows_landed: 0, rows_deduplicated: 1 });
  else {
    expect(receipt, about).toMatchObject({ rows_landed: 0, reasons: { [CONFLICT_STORED]: 1 } });
    expect(await landed(), about).toEqual([first]);
    expect(await quarantined(ingest), about).toMatchObject([{ reason: CONFLICT_STORED, source: 'others' }]);
  }
  // Delivered again with the time that has landed, it is a repetition.
  const again = await land(table, [row, row], { ingest });
  expect(again, about).toMatchObject({ rows_landed: 0, rows_deduplicated: 2 });
}

describe.each(untimed.map((table) => [table.name, table] as const))('%s', (name, table) => {
  test('the same fact with another time', async () => {
    for (const shift of Object.entries(SHIFTS)) await checkOtherTime(table, shift);
  });

  test('in one batch', async () => {
    if (OTHER_FACT.has(name)) return;
    const row = await soundRow(table);
    expect(await land(table, [moved(row, table, 2 * DAY_S), row, row])).toMatchObject({
      rows_landed: 1,
      rows_deduplicated: 1,
      reasons: { [CONFLICT_BATCH]: 1 },
    });
  });
});

describe('whatever has become of the first delivery', () => {
  const table = untimed.find(({ name }) => name === 'mev_swap');
  if (table === undefined) throw new Error('there is no such table');
  const refused = async (ingest: Ingest) => {
    const row = await soundRow(table);
    expect(await land(table, [moved(row, table, 40 * DAY_S)], { ingest })).toMatchObject({
      rows_landed: 0,
      reasons: { [CONFLICT_STORED]: 1 },
    });
    // A fact that has not landed lands.
    const other = { ...row, block_number: Number(row['block_number']) + 1 };
    expect(await land(table, [other], { ingest })).toMatchObject({ rows_landed: 1 });
  };

  test('it was compacted', async () => {
    const row = await soundRow(table);
    await land(table, [row]);
    await land(table, [{ ...row, swap_index: 90 }]);
    await land(table, [{ ...row, swap_index: 91 }]);
    const day = new Date(CONTEXT.interval.to * 1000).toISOString().slice(0, 10);
    expect(await scratch.ingest.compact(table, day)).toHaveLength(1);
    await refused(scratch.ingest);
  });

  test('the warehouse was removed', async () => {
    await land(table, [await soundRow(table)]);
    const engine = await openScratchEngine();
    try {
      await refused(await scratch.reopen({ db: engine }));
    } finally {
      await engine.close();
    }
  });

  test('its row still contradicts when it is taken from quarantine again', async () => {
    const row = await soundRow(table);
    await land(table, [row]);
    await land(table, [moved(row, table, 40 * DAY_S)]);
    const refusedAgain: unknown[] = [];
    const receipts = await scratch.ingest.redrive({
      table,
      context: CONTEXT,
      onRefused: (one) => refusedAgain.push(one),
    });
    expect(receipts).toEqual([]);
    expect(refusedAgain).toMatchObject([{ reason: CONFLICT_STORED }]);
    expect(await landedRows(scratch, table)).toHaveLength(1);
  });

  test('its file was altered', async () => {
    await land(table, [await soundRow(table)]);
    const [file = ''] = scratch.ingest.files(table.name);
    await writeFile(file, 'something else');
    await expect(land(table, [{ ...(await soundRow(table)), swap_index: 92 }])).rejects.toThrow(
      'it is not the file that was written',
    );
  });
});
