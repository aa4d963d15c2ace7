// An event log of any length in full segments, published as a version that a server can follow, for the benchmarks of replay and growth.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sha256Hex } from '../../platform/storage/canonical.ts';
import { type SegmentEntry, segmentName, segmentPath } from '../../snapshots/layout.ts';
import { eventLine } from '../../snapshots/segment.ts';
import { addIndex } from '../../snapshots/segment-index/index-files.ts';
import { nextUlid } from '../../platform/base/ulid.ts';
import { publishVersion } from '../../snapshots/write.ts';
import { AS_OF, AS_OF_MS, eventCandidate, fixtureDatasets } from '../server/server-fixture.ts';
import { inFolder } from '../support/in-folder.ts';

const EVENTS_PER_SEGMENT = 100_000;
const SUBJECTS = 1_000;
const EVENTS_A_CURSOR = 1_000;
/** All events are within this time before the snapshot, so that every cursor is inside the window. */
const SPAN_MS = 20 * 86_400_000;

export interface EventLog {
  readonly segments: SegmentEntry[];
  /** Every thousandth id, used as the cursors of page requests. */
  readonly cursors: string[];
}

interface LoggedRow {
  readonly id: string;
  readonly key: string;
  readonly type: string;
  readonly subject: string;
  readonly envelope: string;
}

function* logged(count: number): Generator<LoggedRow> {
  let last: string | null = null;
  for (let n = 0; n < count; n++) {
    const { envelope } = eventCandidate(n);
    const key = `bench|${n}`;
    const subject = `oracle:ethereum:0xfeed${n % SUBJECTS}:market`;
    const id: string = nextUlid(last, Math.floor(AS_OF_MS - SPAN_MS + (SPAN_MS * n) / count), key);
    last = id;
    const { chain, data, meta, severity, ts, type } = envelope;
    const padded = { ...(data as object), note: 'x'.repeat(250) };
    const rest = JSON.stringify({ chain, data: padded, meta, severity, subject_id: subject, ts, type });
    yield { id, key, type: String(type), subject, envelope: `{"event_id":"${id}",${rest.slice(1)}` };
  }
}

/** Writes `count` events of about 600 bytes; each is also passed to `onRow`. */
export async function writeEventLog(
  dir: string,
  count: number,
  onRow?: (row: LoggedRow) => Promise<void>,
): Promise<EventLog> {
  await mkdir(join(dir, 'events'), { recursive: true });
  const log: EventLog = { segments: [], cursors: [] };
  let lines: string[] = [];
  let [first, n] = ['', 0];
  for (const row of logged(count)) {
    first ||= row.id;
    lines.push(eventLine(row.key, row.envelope));
    await onRow?.(row);
    if (n % EVENTS_A_CURSOR === 0) log.cursors.push(row.id);
    if (++n % EVENTS_PER_SEGMENT === 0 || n === count) {
      log.segments.push(await writeSegment(dir, lines, [first, row.id]));
      [lines, first] = [[], ''];
    }
  }
  return log;
}

async function writeSegment(
  dir: string,
  lines: readonly string[],
  [first, last]: [string, string],
): Promise<SegmentEntry> {
  const bytes = Buffer.from(lines.join(''));
  const name = segmentName(first, last);
  await writeFile(join(dir, segmentPath(name)), bytes);
  const times = { from_ts: AS_OF, to_ts: AS_OF };
  const facts = { count: lines.length, bytes: bytes.length, sha256: sha256Hex(bytes) };
  return await addIndex(inFolder(dir), { name, first, last, ...facts, ...times }, bytes);
}

/** The manifest of a version with this log. */
export async function publishEventLog(dir: string, { segments }: EventLog) {
  const { manifest } = await publishVersion(inFolder(dir), {
    as_of: AS_OF,
    generated_at: AS_OF,
    engine_version: 'bench',
    methodology_version: '1.0.0',
    policy_version: '1.0.0',
    datasets: fixtureDatasets(),
    segments,
  });
  return manifest;
}

export async function untilIndexed(url: string, count: number): Promise<void> {
  for (;;) {
    const { events } = (await (await fetch(`${url}/v1/status`)).json()) as { events: { indexed: number } };
    if (events.indexed === count) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
