// Refused rows that are still missing (decision 60): neither redriven, nor delivered again with the same key, nor from a file that was
// later delivered again as a whole.

import type { RawTable } from '../../define/raw-table.ts';
import { literal, quoted } from '../../engine/sql-text.ts';
import type { ListedRow } from '../../ingest/quarantine/quarantine.ts';
import type { Receipt, Refusal } from '../../ingest/receipts/receipt.ts';
import type { PipelineContext } from '../context.ts';

/** The rows of one subject in one batch. */
export interface RefusedBatchRows {
  readonly table: string;
  readonly source: string;
  readonly batch: string;
  /** Values of the raw table's subject; null if it could not be read. */
  readonly subject: readonly string[] | null;
  readonly bad: number;
  /** Rows of the subject in the batch; for an unknown subject, all rows of the batch. */
  readonly rows: number;
  /** Rows of the batch. */
  readonly sample: number;
  /** The most frequent reason. */
  readonly reason: string;
}

type GateContext = Pick<PipelineContext, 'warehouse' | 'domains'> & {
  readonly ingest: Pick<PipelineContext['ingest'], 'receipts' | 'listQuarantine'>;
};

export interface OfferedBatches {
  /** Logical time, Unix seconds. */
  readonly now: number;
  /** Batches that the sources offered in this run. */
  readonly batches: ReadonlySet<string>;
}

/** All missing rows as of now, by table, source and subject. */
export async function stillRefused(
  bench: GateContext,
  offered: OfferedBatches,
): Promise<readonly RefusedBatchRows[]> {
  const found: RefusedBatchRows[] = [];
  for (const table of bench.domains.flatMap(({ raw }) => raw)) {
    const receipts = bench.ingest.receipts(table.name);
    const open = openRefusals(receipts, table, offered);
    if (open.length > 0) found.push(...(await countMissing(bench, table, open)));
  }
  return found;
}

interface OpenRefusal {
  readonly refusal: Refusal;
  readonly source: string;
}

/** Refusals within reach that no later delivery of the same file replaces. */
function openRefusals(
  receipts: readonly Receipt[],
  { reach }: RawTable,
  { now, batches }: OfferedBatches,
): readonly OpenRefusal[] {
  const since = reach === undefined ? Number.NEGATIVE_INFINITY : now - reach;
  return receipts.flatMap((receipt) =>
    refusalsOf(receipt)
      .filter(() => (receipt.last_time ?? receipt.fetched_at) >= since)
      .filter((refusal) => !receipts.some((other) => isDeliveredAgain(refusal, { receipt, other, batches })))
      .map((refusal) => ({ refusal, source: receipt.source.id })),
  );
}

/** Older receipts do not record subjects, so it is unknown which subjects their rows are about. */
function refusalsOf({ batch, rows_in, rows_quarantined, refusals, replaces }: Receipt): readonly Refusal[] {
  if (refusals !== undefined || rows_quarantined === 0) return refusals ?? [];
  const subjects = [{ subject: null, rows: rows_in, bad: rows_quarantined }];
  return [batch, ...(replaces ?? [])].map((one) => ({ batch: one, rows_in, subjects }));
}

/** Whether the same file was delivered again with at least as many rows: then the later receipt records what is still wrong. */
function isDeliveredAgain(
  refusal: Refusal,
  {
    receipt,
    other,
    batches,
  }: { readonly receipt: Receipt; readonly other: Receipt; readonly batches: ReadonlySet<string> },
): boolean {
  const path = (receipt.origins?.[refusal.batch] ?? receipt.origin).path;
  if (other.batch === receipt.batch || path === null || other.origin.path !== path) return false;
  if (other.source.id !== receipt.source.id || other.rows_in < refusal.rows_in) return false;
  if (other.origin.kind === 'redrive') return false;
  const isNow = batches.has(other.batch) && !batches.has(receipt.batch);
  return other.fetched_at > receipt.fetched_at || (other.fetched_at === receipt.fetched_at && isNow);
}

async function countMissing(
  { warehouse, ingest }: Pick<GateContext, 'warehouse' | 'ingest'>,
  table: RawTable,
  open: readonly OpenRefusal[],
): Promise<RefusedBatchRows[]> {
  const rows: ListedRow[] = [];
  for (const { refusal } of open)
    for await (const row of ingest.listQuarantine({ table: table.name, batch: refusal.batch }))
      if (row.redriven_by === null) rows.push(row);
  const landed = await landedKeys(
    warehouse,
    table,
    rows.flatMap(({ key }) => key ?? []),
  );
  const missing = Map.groupBy(
    rows.filter(({ key }) => key === null || key === undefined || !landed.has(key)),
    ({ batch }) => batch,
  );
  return open.flatMap(({ refusal, source }) =>
    missingOf(refusal, missing.get(refusal.batch) ?? []).map((one) => ({
      ...one,
      table: table.name,
      source,
    })),
  );
}

function missingOf({ batch, rows_in, subjects }: Refusal, rows: readonly ListedRow[]) {
  const listed = new Map(subjects.map((one) => [one.subject, one.rows]));
  const known = (subject: string | null | undefined) =>
    subject === null || subject === undefined || !listed.has(subject) ? null : subject;
  return [...Map.groupBy(rows, (row) => known(row.subject))].map(([subject, bad]) => ({
    batch,
    subject: subject === null ? null : (JSON.parse(subject) as readonly string[]),
    bad: bad.length,
    rows: listed.get(subject) ?? rows_in,
    sample: rows_in,
    reason: mostFrequent(bad.map(({ reason }) => reason)),
  }));
}

function mostFrequent(reasons: readonly string[]): string {
  const counts = [...Map.groupBy(reasons, (reason) => reason)].map(([reason, all]) => ({
    reason,
    n: all.length,
  }));
  const [first] = counts.sort((a, b) => b.n - a.n || (a.reason < b.reason ? -1 : 1));
  return first?.reason ?? '';
}

const CHUNK = 5_000;

/** The keys that have landed in the meantime. */
async function landedKeys(
  warehouse: PipelineContext['warehouse'],
  { observations, key, fields }: RawTable,
  keys: readonly string[],
): Promise<ReadonlySet<string>> {
  const landed = new Set<string>();
  const wanted = [...new Set(keys)];
  const same = key.map((name, index) => {
    const type = fields.find((field) => field.name === name)?.type ?? 'VARCHAR';
    return `k.${quoted(name)} = try_cast(v.k${index} as ${type})`;
  });
  for (let from = 0; from < wanted.length; from += CHUNK) {
    const chunk = wanted.slice(from, from + CHUNK);
    const values = chunk.map(
      (one, index) => `(${index}, ${(JSON.parse(one) as string[]).map(literal).join(', ')})`,
    );
    const rows = await warehouse.rows(
      `select distinct v.place from (values ${values.join(', ')}) v(place, ${key.map((_, index) => `k${index}`).join(', ')})
       join ${observations.model} k on ${same.join(' and ')}`,
    );
    for (const { place: location } of rows) landed.add(chunk[Number(location)] ?? '');
  }
  return landed;
}
