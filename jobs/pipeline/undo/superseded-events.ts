// Events that rest on superseded rows. Before a supersession is committed, the logged events that are found with the old rows are recorded
// in it. Those that are not found without the old rows are retracted by the next run, each once. An event is therefore never retracted only
// because the rules have changed, its inputs are older than a window reaches, or its source is silent: it would not be found before either.

import { isoOf } from '../../../platform/base/time.ts';
import type { EventLog } from '../../../snapshots/events.ts';
import type { LoggedKey, SupersedingReceipt } from '../../ingest/receipts/receipt.ts';
import type { PipelineContext } from '../context.ts';
import { detectInWindow } from '../events/detection.ts';
import type { Candidate } from '../events/emit.ts';
import { lineage } from '../models/lineage.ts';
import {
  againKey,
  type Envelope,
  type LoggedEvent,
  readLoggedEvents,
  retractionKey,
} from './logged-events.ts';

/** Event types whose queries read one of these raw tables, also through models. */
export function typesOn(
  { models }: Pick<PipelineContext, 'models'>,
  tables: readonly string[],
): ReadonlySet<string> {
  const landed = tables.map((table) => `landing.${table}`);
  const reads = (name: string) => landed.some((table) => lineage(models, name).has(table));
  return new Set(models.events.filter((query) => query.reads.some(reads)).map(({ type }) => type));
}

interface Reach {
  readonly tables: readonly string[];
  /** Earliest instant that may be affected, and the logical time; Unix seconds. */
  readonly from: number;
  readonly now: number;
}

/** Logged events that stand and that are found with the rows that count now. Everything must have been computed up to `now`. */
export async function eventsFound(
  context: PipelineContext,
  log: Pick<EventLog, 'segments'>,
  { tables, from, now }: Reach,
): Promise<readonly LoggedKey[]> {
  const types = typesOn(context, tables);
  const { standing } = await readLoggedEvents(context.snapshots, log.segments(), types);
  if (standing.size === 0) return [];
  const keys = await keysFound(context, types, { from, now });
  return [...standing].flatMap(([key, { second }]) => (keys.has(key) ? [{ key, second }] : []));
}

async function keysFound(
  context: PipelineContext,
  types: ReadonlySet<string>,
  { from, now }: Pick<Reach, 'from' | 'now'>,
): Promise<ReadonlySet<string>> {
  const window = { start: Math.max(0, from), end: now + 1, now };
  const found = await detectInWindow(context, window, types);
  return new Set(found.map(({ key }) => key));
}

/** Supersessions whose events have not been settled yet, oldest first. */
export function openSupersessions({
  ingest,
  ledger,
}: Pick<PipelineContext, 'ingest' | 'ledger'>): readonly SupersedingReceipt[] {
  const all = ingest.supersessions();
  if (all.length === 0) return [];
  const settled = new Set(ledger.entries.flatMap(({ run, state }) => (state === 'succeeded' ? [run] : [])));
  return all.filter((one) => !settled.has(runOf(one)));
}

const runOf = ({ batch, supersession: { kind } }: SupersedingReceipt) => `${kind}:${batch}`;

interface Settlement {
  readonly log: Pick<EventLog, 'segments'>;
  readonly open: readonly SupersedingReceipt[];
  /** What the detectors find in the time that is computed again, and may be appended. */
  readonly found: readonly Candidate[];
  readonly now: number;
}

/** The events that settle these supersessions: retractions, and events that stand again. */
export async function settlingEvents(
  context: PipelineContext,
  { log, open, found, now }: Settlement,
): Promise<readonly Candidate[]> {
  const made: Candidate[] = [];
  for (const one of open) {
    const types = typesOn(context, tablesOf(context, one));
    const { standing, retracted } = await readLoggedEvents(context.snapshots, log.segments(), types);
    const { events } = one.supersession;
    const from = Math.min(
      now,
      ...events.map(({ second }) => second),
      ...found.map(({ event_at }) => event_at),
    );
    const keys = events.length === 0 ? new Set() : await keysFound(context, types, { from, now });
    for (const { key } of events) {
      const event = standing.get(key);
      if (event !== undefined && !keys.has(key)) made.push(retractionOf(one, { found: key, ...event }));
    }
    for (const candidate of found)
      if (retracted.has(candidate.key)) made.push({ ...candidate, key: againKey(candidate.key, one.batch) });
  }
  return made;
}

/** Tables of the rows that a supersession removed or added. */
export function tablesOf(
  { ingest, domains }: Pick<PipelineContext, 'ingest' | 'domains'>,
  { table, supersession }: SupersedingReceipt,
): readonly string[] {
  const gone = new Set(supersession.batches);
  const tables = domains.flatMap(({ raw }) => raw).map(({ name }) => name);
  const touched = tables.filter((name) => ingest.superseded(name).some(({ batch }) => gone.has(batch)));
  return [...new Set([table, ...touched])];
}

function retractionOf(
  { batch, source, fetched_at, supersession }: SupersedingReceipt,
  {
    found,
    key,
    second,
    envelope,
  }: LoggedEvent & {
    /** The key with which it was found. */
    readonly found: string;
  },
): Candidate {
  const retraction = { reason: 'superseded', source_id: source.id, change: supersession.kind };
  return {
    key: retractionKey(found, batch),
    event_at: fetched_at,
    type: String(envelope['type']),
    envelope: {
      ...envelope,
      ts: isoOf(fetched_at),
      data: { ...(envelope['data'] as Envelope), retraction },
    },
    retracts: { key, second },
  };
}

/** Records that the events of these supersessions are settled. */
export async function noteSettled(
  { ledger, nowMs }: Pick<PipelineContext, 'ledger' | 'nowMs'>,
  settled: readonly SupersedingReceipt[],
): Promise<void> {
  for (const one of settled) {
    const { supersession, source, fetched_at } = one;
    await ledger.append({
      run: runOf(one),
      job: supersession.kind,
      interval: { from: fetched_at, to: fetched_at },
      attempt: 1,
      state: 'succeeded',
      at: new Date(nowMs()).toISOString(),
      reasons: [`${supersession.kind} of ${source.id}`],
    });
  }
}
