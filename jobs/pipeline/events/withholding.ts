// Which events are withheld: those about a subject that is held back, by the same holds that decide what datasets publish. They are noted
// until the subject is released; then the time since the first of them is searched again, and the log leaves out what it has.

import { MAX_LISTED, type WithheldEvents } from '../../../snapshots/held.ts';
import type { Detector } from '../../define/detector.ts';
import type { EventSubject } from '../../define/subject.ts';
import type { StateTable, Warehouse } from '../../engine/warehouse.ts';
import { reachesOn } from '../gate/dataset-holds.ts';
import { isIdentified, type Reach } from '../gate/holds.ts';
import { SubjectIds } from '../gate/subjects.ts';
import { lineage } from '../models/lineage.ts';
import type { ModelSet } from '../models/model.ts';
import { isoOf } from '../../../platform/base/time.ts';
import type { Candidate } from './emit.ts';

/** Resolves a candidate to the reason why it is withheld; null if it is not. */
export type Withholding = (candidate: Candidate) => string | null;

export const NOTHING_WITHHELD: Withholding = () => null;

interface Rule {
  readonly applies: (subjectId: string) => boolean;
  readonly reason: string;
}

/** `reaches`: of the tables that event queries read. */
export function withholdingOf(
  { models, detectors }: { readonly models: ModelSet; readonly detectors: readonly Detector[] },
  reaches: readonly Reach[],
): Withholding {
  if (reaches.length === 0) return NOTHING_WITHHELD;
  const rules = new Map<string, readonly Rule[]>();
  for (const { type, subject } of detectors) {
    const query = models.events.find((event) => event.type === type);
    if (query === undefined) continue;
    const tables = new Set(query.reads.flatMap((table) => [...lineage(models, table)]));
    rules.set(
      type,
      reachesOn(tables, reaches).map((reach) => ruleOf(subject, reach)),
    );
  }
  return ({ type, envelope }) =>
    rules.get(type)?.find(({ applies }) => applies(String(envelope['subject_id'])))?.reason ?? null;
}

/** An event that rests on everything its query reads is withheld with any of it: an alert cannot be taken back. */
function ruleOf(subject: EventSubject, reach: Reach): Rule {
  const { reason } = reach.hold;
  if ('everything' in subject || reach.hold.subject === null || !isIdentified(subject, reach))
    return { applies: () => true, reason };
  const ids = new SubjectIds(subject, reach.subjects);
  return { applies: (id) => ids.has(id), reason };
}

/** The withheld events of one type about one subject. */
export interface WithheldNote {
  readonly type: string;
  readonly subject_id: string;
  readonly count: number;
  /** Event time of the first, Unix seconds. */
  readonly since: number;
  readonly reason: string;
}

export interface Division {
  readonly free: readonly Candidate[];
  readonly withheld: readonly WithheldNote[];
}

/** `logged`: natural keys of the log. A logged event is not withheld, whatever happened to its subject since. */
export function divide(
  candidates: readonly Candidate[],
  withholding: Withholding,
  logged: ReadonlySet<string>,
): Division {
  const free: Candidate[] = [];
  const notes = new Map<string, WithheldNote>();
  for (const one of candidates) {
    const reason = withholding(one);
    if (reason === null) free.push(one);
    if (reason === null || logged.has(one.key)) continue;
    const { type, event_at } = one;
    const subject_id = String(one.envelope['subject_id']);
    const known = notes.get(`${type} ${subject_id}`);
    notes.set(`${type} ${subject_id}`, {
      type,
      subject_id,
      count: (known?.count ?? 0) + 1,
      since: Math.min(known?.since ?? event_at, event_at),
      reason: known?.reason ?? reason,
    });
  }
  return { free, withheld: [...notes].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, note]) => note) };
}

const WITHHELD: StateTable = {
  name: 'meta.withheld_event',
  columns: [
    { name: 'type', type: 'VARCHAR' },
    { name: 'subject_id', type: 'VARCHAR' },
    { name: 'count', type: 'BIGINT' },
    { name: 'since', type: 'BIGINT' },
    { name: 'reason', type: 'VARCHAR' },
  ],
};

/** The notes of earlier runs. A rebuilt warehouse has none, so those of the last version count too. */
export async function readWithheld(
  { state }: Pick<Warehouse, 'state'>,
  published: WithheldEvents | undefined,
): Promise<readonly WithheldNote[]> {
  await state.prepare(WITHHELD);
  const rows = await state.rows(
    `select type, subject_id, "count", since, reason from ${WITHHELD.name} order by type, subject_id`,
  );
  const own = rows.map(
    (row): WithheldNote => ({
      type: String(row['type']),
      subject_id: String(row['subject_id']),
      count: Number(row['count']),
      since: Number(row['since']),
      reason: String(row['reason']),
    }),
  );
  const known = new Set(own.map(({ type, subject_id }) => `${type} ${subject_id}`));
  const others = (published?.list ?? []).filter(
    ({ type, subject_id }) => !known.has(`${type} ${subject_id}`),
  );
  return [...own, ...others.map((one) => ({ ...one, since: Date.parse(one.since) / 1000 }))];
}

/** Must be called only once the log has what was released. */
export async function noteWithheld(
  { state }: Pick<Warehouse, 'state'>,
  notes: readonly WithheldNote[],
): Promise<void> {
  await state.replace(
    WITHHELD,
    notes.map((note) => ({ ...note })),
  );
}

export function withheldEvents(notes: readonly WithheldNote[]): WithheldEvents | undefined {
  if (notes.length === 0) return undefined;
  return {
    total: notes.reduce((sum, { count }) => sum + count, 0),
    since: isoOf(Math.min(...notes.map(({ since }) => since))),
    list: notes.slice(0, MAX_LISTED).map((note) => ({ ...note, since: isoOf(note.since) })),
  };
}
