// P6: a replay page of 1,000 in N million events, against PostgreSQL returning the same page from an index. N is BENCH_EVENTS
// (default 5,000,000). Both sides return the page to this process as JSON; pages are drawn from all over the log, in turn. The same
// page over HTTP is a figure next to the ratio.
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { finished } from 'node:stream/promises';
import { ReplayLog } from '../../server/replay/replay-log.ts';
import { raw } from '../server/http/raw-http.ts';
import { ServerFixture } from '../server/server-fixture.ts';
import { inFolder } from '../support/in-folder.ts';
import { type EventLog, publishEventLog, untilIndexed, writeEventLog } from './event-log.ts';
import { type Child, startChild } from './load.ts';
import { type Postgres, startPostgres } from './postgres.ts';
import { type BenchReport, median } from './report.ts';

const EVENTS = Number(process.env['BENCH_EVENTS'] ?? 5_000_000);
const PAGES = Number(process.env['BENCH_PAGES'] ?? 60);
const LIMIT = 1_000;
const WARM_UP = 5;

/** Writes the log in full segments, and the same rows to PostgreSQL. */
async function writeLog(dir: string, postgres: Postgres | undefined): Promise<EventLog> {
  const copy = postgres && createWriteStream(postgres.copyFile);
  const written = await writeEventLog(dir, EVENTS, async ({ id, type, subject, envelope }) => {
    if (copy?.write(`${id}\t${type}\t${subject}\t${envelope}\n`) === false) await once(copy, 'drain');
  });
  copy?.end();
  if (copy) await finished(copy);
  return written;
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
    if (answer.status !== 200) throw new Error(`a page has status ${answer.status}`);
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
        : [{ label, value: theirs / ours, goal: filter.name === 'subject' ? '≥ 2' : '≥ 10' }],
  };
}

async function measureLog(
  fixture: ServerFixture,
  written: EventLog,
  postgres: Postgres | undefined,
): Promise<BenchReport> {
  const { cursors } = written;
  const manifest = await publishEventLog(fixture.dir, written);
  const empty_server_rss_mb = await emptyServerMegabytes();
  const log = new ReplayLog(inFolder(fixture.dir), { steadyMs: () => performance.now() });
  const open_seconds = await secondsOf(() => log.follow(manifest));
  const server = await startChild('ours', fixture.dir);
  await untilIndexed(server.url, EVENTS);
  const server_rss_mb = await megabytesOf(server);
  const first_page_ms = 1_000 * (await secondsOf(() => log.page({ fromMs: 0, limit: LIMIT })));
  const check_seconds = await secondsOf(() => log.check());
  const parts: BenchReport[] = [];
  for (const filter of FILTERS) parts.push(await compareFilter({ log, server, postgres }, cursors, filter));
  log.close();
  await server.stop();
  const figures = Object.assign(
    { events: EVENTS, open_seconds, check_seconds, first_page_ms, empty_server_rss_mb, server_rss_mb },
    ...parts.map((part) => part.figures),
  );
  const ratios = [
    { label: 'P6 seconds to open the log', value: open_seconds, goal: '≤ 2' },
    {
      label: 'P6 megabytes more than an empty server',
      value: server_rss_mb - empty_server_rss_mb,
      goal: '≤ 150',
    },
    ...parts.flatMap((part) => part.ratios),
  ];
  return { name: 'replay', figures, ratios };
}

async function secondsOf(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1_000;
}

const megabytesOf = async (server: Child): Promise<number> => (await server.usage()).rss_bytes / 2 ** 20;

/** A server of the same datasets without an event. */
async function emptyServerMegabytes(): Promise<number> {
  const fixture = await ServerFixture.create();
  try {
    await publishEventLog(fixture.dir, { segments: [], cursors: [] });
    const server = await startChild('ours', fixture.dir);
    await untilIndexed(server.url, 0);
    const megabytes = await megabytesOf(server);
    await server.stop();
    return megabytes;
  } finally {
    await rm(fixture.dir, { recursive: true, force: true });
  }
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
