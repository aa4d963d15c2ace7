// `events`: prints the published event log, or the requested part of it, in the order of the log.
import { UsageError } from '../../platform/command-line/usage-error.ts';
import type { ObjectStore } from '../../platform/storage/object-store.ts';
import { openLastGood } from '../../snapshots/last-good.ts';
import { eventsAfter } from '../../snapshots/segment.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import type { EventsRequest } from './parse.ts';

interface Envelope {
  readonly event_id: string;
  readonly type: string;
  readonly severity?: string;
  readonly subject_id: string;
  readonly ts: string;
  readonly retracts_event_id?: string;
}

/** @throws UsageError when nothing is published in the folder, DamagedFileError when part of the log cannot be read. */
export async function printEvents(
  { snapshots, print }: { readonly snapshots: ObjectStore; readonly print: (line: string) => void },
  request: EventsRequest,
): Promise<ExitCode> {
  const { reader, damage } = await openLastGood(snapshots);
  const [first] = damage;
  if (first !== undefined) throw first;
  if (reader === null)
    throw new UsageError(`events: nothing is published in ${snapshots.nameOf('')}. Check --data-dir.`);
  const { segments } = reader.manifest.events;
  for await (const { envelope } of eventsAfter(reader.store, segments, null)) {
    const text = envelope.toString('utf8');
    const event = JSON.parse(text) as Envelope;
    if (isWanted(event, request)) print(request.json ? text : describe(event));
  }
  return EXIT.done;
}

function isWanted(event: Envelope, { type, subject, from, to }: EventsRequest): boolean {
  const at = Date.parse(event.ts) / 1000;
  return (
    (type === null || event.type === type) &&
    (subject === null || event.subject_id.toLowerCase() === subject.toLowerCase()) &&
    (from === null || at >= from) &&
    (to === null || at < to)
  );
}

const describe = ({
  event_id,
  type,
  severity = '',
  subject_id,
  ts,
  retracts_event_id: retracted,
}: Envelope) =>
  `${event_id}  ${ts}  ${severity.padEnd(8)}  ${type}  ${subject_id}${retracted === undefined ? '' : `  retracts ${retracted}`}`;
