// P6: a replay page of 1,000 in N million events, against PostgreSQL answering the same page from an index. N is BENCH_EVENTS
// (default 5,000,000). Both sides give this process the page as JSON; pages are drawn all over the log, in turn. The same page over
// HTTP is a figure next to it.
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { ReplayLog } from '../../server/replay/replay-log.ts';
import { sha256Hex } from '../../snapshots/canonical.ts';
import { type SegmentEntry, segmentName, segmentPath } from '../../snapshots/layout.ts';
import { eventLine } from '../../snapshots/segment.ts';
import { nextUlid } from '../../snapshots/ulid.ts';
import { publishVersion } from '../../snapshots/write.ts';
import { raw } from '../server/http/raw-http.ts';
import { AS_OF, AS_OF_MS, eventCandidate, fixtureDatasets, ServerFixture } from '../server/server-fixture.ts';
import { inFolder } from '../support/in-folder.ts';
import { type Child, startChild } from './load.ts';
import { type Postgres, startPostgres } from './postgres.ts';
import { type BenchReport, median } from './report.ts';

const EVENTS = Number(process.env['BENCH_EVENTS'] ?? 5_000_000);
const PAGES = Number(process.env['BENCH_PAGES'] ?? 60);
const LIMIT = 1_000;
const EVENTS_PER_SEGMENT = 100_000;
const WARM_UP = 5;
const SUBJECTS = 1_000;
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

interface Filter {
  readonly name: string;
  readonly type?: string;
  readonly subject?: string;
}

const FILTERS: readonly Filter[] = [
  { name: 'all' },
  { name: 'type', type: 'oracle.stale' },
  { name: 'subject', subject: 'oracle:ethereum:0xfeed7:market' },
];

type ReadPage = (cursor: string, filter: Filter) => Promise<Buffer>;

const overHttp =
  ({ url, headers }: Pick<Child, 'url' | 'headers'>): ReadPage =>
  async (cursor, { type, subject }) => {
    const search = new URLSearchParams({ limit: String(LIMIT), since_event_id: cursor });
    if (type !== undefined) search.set('type', type);
    if (subject !== undefined) search.set('subject_id', subject);
    const answer = await raw(url, `/v2/events/replay?${search}`, headers);
    if (answer.status !== 200) throw new Error(`a page was answered ${answer.status}`);
    return answer.body;
  };

const fromLog =
  (log: ReplayLog): ReadPage =>
  async (after, filter) =>
    (await log.page({ after, fromMs: 0, limit: LIMIT, ...filter })).events;

async function timed(read: ReadPage, cursor: string, filter: Filter): Promise<number> {
  const start = performance.now();
  const page = await read(cursor, filter);
  const ms = performance.now() - start;
  if (page.length < 1_000) throw new Error('a page is empty');
  return ms;
}

/** Median milliseconds of each reader. */
async function compare(
  readers: readonly ReadPage[],
  cursors: readonly string[],
  filter: Filter,
): Promise<number[]> {
  const times: number[][] = readers.map(() => []);
  const usable = cursors.slice(0, Math.floor(cursors.length * 0.7));
  for (let page = 0; page < PAGES + WARM_UP; page++) {
    const cursor = usable[(page * 7_919) % usable.length] ?? '';
    for (const [side, read] of readers.entries()) {
      const ms = await timed(read, cursor, filter);
      if (page >= WARM_UP) times[side]?.push(ms);
    }
  }
  return times.map(median);
}

async function compareFilter(
  sides: { readonly log: ReplayLog; readonly server: Child; readonly postgres: Postgres | undefined },
  cursors: readonly string[],
  filter: Filter,
): Promise<BenchReport> {
  const { log, server, postgres } = sides;
  const readers = [fromLog(log), overHttp(server), ...(postgres ? [postgres.page] : [])];
  const [ours = 0, http = 0, theirs] = await compare(readers, cursors, filter);
  const label = `P6 page of ${LIMIT}, ${filter.name}: PostgreSQL p50 / ours`;
  return {
    name: filter.name,
    figures: {
      [`page_p50_ms_${filter.name}`]: ours,
      [`page_over_http_p50_ms_${filter.name}`]: http,
      [`postgres_page_p50_ms_${filter.name}`]: theirs ?? 'not measured: PostgreSQL is not installed',
    },
    ratios:
      theirs === undefined
        ? []
        : [{ label, value: theirs / ours, goal: filter.name === 'all' ? '≥ 10' : '' }],
  };
}

async function measureLog(
  fixture: ServerFixture,
  written: Written,
  postgres: Postgres | undefined,
): Promise<BenchReport> {
  const { segments, cursors } = written;
  const { manifest } = await publishVersion(inFolder(fixture.dir), {
    ...PUBLICATION,
    datasets: fixtureDatasets(),
    segments,
  });
  const start = performance.now();
  const log = new ReplayLog(inFolder(fixture.dir));
  await log.follow(manifest);
  const index_seconds = (performance.now() - start) / 1000;
  const server = await startChild('ours', fixture.dir);
  await untilIndexed(server.url, EVENTS);
  const server_rss_mb = (await server.usage()).rss_bytes / 2 ** 20;
  const parts: BenchReport[] = [];
  for (const filter of FILTERS) parts.push(await compareFilter({ log, server, postgres }, cursors, filter));
  log.close();
  await server.stop();
  const figures = Object.assign(
    { events: EVENTS, index_seconds, server_rss_mb },
    ...parts.map((part) => part.figures),
  );
  return { name: 'replay', figures, ratios: parts.flatMap((part) => part.ratios) };
}

export async function bench(): Promise<BenchReport> {
  const fixture = await ServerFixture.create();
  const postgres = await startPostgres();
  try {
    const written = await writeLog(fixture.dir, postgres);
    await postgres?.load();
    return await measureLog(fixture, written, postgres);
  } finally {
    await postgres?.stop();
    await rm(fixture.dir, { recursive: true, force: true });
  }
}

const PUBLICATION = {
  as_of: AS_OF,
  generated_at: AS_OF,
  engine_version: 'bench',
  methodology_version: '1.0.0',
  policy_version: '1.0.0',
};
