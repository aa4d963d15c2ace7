// Lands all recordings of a source in a scratch landing, as a run would, and counts the rows.
import type { RawTable } from '../../../../jobs/define/raw-table.ts';
import { landingSources } from '../../../../jobs/sources/live/fetch/landing-sources.ts';
import type { LiveSource } from '../../../../jobs/sources/live/fetch/live-source.ts';
import type { RecordingFolder } from '../../../../jobs/sources/live/fetch/recording-store.ts';
import { openScratch, type Scratch } from '../../ingest/scratch.ts';

export interface Landed {
  readonly in: number;
  readonly landed: number;
  readonly quarantined: number;
  readonly deduplicated: number;
  readonly reasons: object;
}

/** Lands what a run at time `to` would: the recordings made by then. */
export async function landUntil(
  scratch: Scratch,
  folder: RecordingFolder,
  {
    source,
    tables,
    to,
  }: { readonly source: LiveSource; readonly tables: readonly RawTable[]; readonly to: number },
): Promise<Landed> {
  const sums = { in: 0, landed: 0, quarantined: 0, deduplicated: 0, reasons: {} as object };
  for (const one of landingSources([source], folder, () => true)) {
    const table = tables.find(({ name }) => name === one.table);
    if (table === undefined) throw new Error(`there is no ${one.table}`);
    for await (const delivery of one.deliveries({ from: 0, to })) {
      const fetchedAt = delivery.kind === 'file' ? (delivery.fetched_at ?? to) : to;
      const context = { interval: { from: 0, to: fetchedAt }, fetchedAt };
      const receipt = await scratch.ingest.land(table, one.facts, delivery, context);
      sums.in += receipt.rows_in;
      sums.landed += receipt.rows_landed;
      sums.quarantined += receipt.rows_quarantined;
      sums.deduplicated += receipt.rows_deduplicated;
      Object.assign(sums.reasons, receipt.reasons);
    }
  }
  return sums;
}

interface LandAll {
  readonly tables: readonly RawTable[];
  readonly closing: (() => Promise<void>)[];
}

/** Lands every recording in a new scratch landing. */
export async function landRecordings(
  source: LiveSource,
  folder: RecordingFolder,
  { tables, closing }: LandAll,
): Promise<Landed> {
  const scratch = await openScratch({ key: new Uint8Array(32).fill(7) });
  closing.push(() => scratch.close());
  return landUntil(scratch, folder, { source, tables, to: 4_000_000_000 });
}
