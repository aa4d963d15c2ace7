// P6: a replay page of 1,000 in N million events over HTTP, against PostgreSQL answering the same page from an index. N is
// BENCH_EVENTS (default 5,000,000). Both sides give the page's JSON to this process; pages are drawn at random, in turn.
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { sha256Hex } from '../../snapshots/canonical.ts';
import { nodeDisk } from '../../snapshots/disk.ts';
import { type SegmentEntry, segmentName, segmentPath } from '../../snapshots/layout.ts';
import { eventLine } from '../../snapshots/segment.ts';
import { nextUlid } from '../../snapshots/ulid.ts';
import { publishVersion } from '../../snapshots/write.ts';
import { AS_OF, AS_OF_MS, eventCandidate, World, worldDatasets } from '../server/published-world.ts';
import { startChild } from './load.ts';
import { type Postgres, startPostgres } from './postgres.ts';
import { type BenchRatio, type BenchReport, median } from './report.ts';

const EVENTS = Number(process.env['BENCH_EVENTS'] ?? 5_000_000);
const PAGES = Number(process.env['BENCH_PAGES'] ?? 60);
const LIMIT = 1_000;
const EVENTS_PER_SEGMENT = 100_000;
const SUBJECTS = 5_000;
/** All events lie within this time before the snapshot, so that every cursor is inside the window. */
const SPAN_MS = 20 * 86_400_000;

interface Written {
  readonly segments: SegmentEntry[];
  /** Every thousandth id: the cursors that pages are asked with. */
  readonly cursors: string[];
}

function* envelopes(
  count: number,
): Generator<{ id: string; key: string; type: string; subject: string; envelope: string }> {
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

/** Writes the log in full segments, and the same rows to PostgreSQL. */
async function writeLog(dir: string, postgres: Postgres | undefined): Promise<Written> {
  await mkdir(join(dir, 'events'), { recursive: true });
  const written: Written = { segments: [], cursors: [] };
  const copy = postgres && createWriteStream(postgres.copyFile);
  let lines: string[] = [];
  let [first, n] = ['', 0];
  for (const { id, key, type, subject, envelope } of envelopes(EVENTS)) {
    first ||= id;
    lines.push(eventLine(key, envelope));
    if (copy?.write(`${id}\t${type}\t${subject}\t${envelope}\n`) === false) await once(copy, 'drain');
    if (n % LIMIT === 0) written.cursors.push(id);
    if (++n % EVENTS_PER_SEGMENT === 0 || n === EVENTS) {
      written.segments.push(await writeSegment(dir, lines, [first, id]));
      [lines, first] = [[], ''];
    }
  }
  copy?.end();
  if (copy) await finished(copy);
  return written;
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
  return { name, first, last, count: lines.length, bytes: bytes.length, sha256: sha256Hex(bytes), ...times };
}

async function untilIndexed(url: string, count: number): Promise<void> {
  for (;;) {
    const { events } = (await (await fetch(`${url}/v1/status`)).json()) as { events: { indexed: number } };
    if (events.indexed === count) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function timed(work: () => Promise<number>): Promise<number> {
  const start = performance.now();
  const events = await work();
  const ms = performance.now() - start;
  if (events !== LIMIT) throw new Error(`a page of ${LIMIT} was asked for, ${events} events came`);
  return ms;
}

interface Filter {
  readonly name: string;
  readonly query: string;
  readonly where: string;
}

const FILTERS: readonly Filter[] = [
  { name: 'all', query: '', where: '' },
  { name: 'type', query: '&type=oracle.stale', where: " and type = 'oracle.stale'" },
];

const countEvents = (json: string) => json.split('"event_id"').length - 1;

async function compare(
  url: string,
  postgres: Postgres | undefined,
  cursors: readonly string[],
  filter: Filter,
) {
  const [ours, theirs]: [number[], number[]] = [[], []];
  const usable = cursors.slice(0, -4);
  for (let page = 0; page < PAGES + 5; page++) {
    const cursor = usable[(page * 7_919) % usable.length] ?? '';
    const target = `${url}/v2/events/replay?limit=${LIMIT}&since_event_id=${cursor}${filter.query}`;
    const our = await timed(async () =>
      countEvents(await (await fetch(target, { headers: { 'Accept-Encoding': 'identity' } })).text()),
    );
    const their =
      postgres && (await timed(async () => countEvents(await postgres.page(cursor, filter.where, LIMIT))));
    if (page < 5) continue;
    ours.push(our);
    if (their !== undefined) theirs.push(their);
  }
  return { ours: median(ours), theirs: theirs.length === 0 ? undefined : median(theirs) };
}

export async function bench(): Promise<BenchReport> {
  const world = await World.create();
  const postgres = await startPostgres();
  const figures: Record<string, number | string> = { events: EVENTS };
  const ratios: BenchRatio[] = [];
  try {
    const { segments, cursors } = await writeLog(world.dir, postgres);
    await publishVersion(nodeDisk, world.dir, { ...PUBLICATION, datasets: worldDatasets(), segments });
    await postgres?.load();
    const start = performance.now();
    const server = await startChild('ours', world.dir);
    await untilIndexed(server.url, EVENTS);
    figures['index_seconds'] = (performance.now() - start) / 1000;
    figures['server_rss_mb'] = (await server.usage()).rss_bytes / 2 ** 20;
    for (const filter of FILTERS) {
      const { ours, theirs } = await compare(server.url, postgres, cursors, filter);
      figures[`page_p50_ms_${filter.name}`] = ours;
      figures[`postgres_page_p50_ms_${filter.name}`] = theirs ?? 'not measured: PostgreSQL is not installed';
      if (theirs !== undefined)
        ratios.push({
          label: `P6 page of ${LIMIT}, ${filter.name}: PostgreSQL's p50 against ours`,
          value: theirs / ours,
          goal: '≥ 10',
        });
    }
    await server.stop();
  } finally {
    await postgres?.stop();
    await rm(world.dir, { recursive: true, force: true });
  }
  return { name: 'replay', figures, ratios };
}

const PUBLICATION = {
  as_of: AS_OF,
  generated_at: AS_OF,
  engine_version: 'bench',
  methodology_version: '1.0.0',
  policy_version: '1.0.0',
};
