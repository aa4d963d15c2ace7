// Growth on the server: a log with more events, and a stream with more subscribers.
import { rm } from 'node:fs/promises';
import { ServerFixture } from '../server/server-fixture.ts';
import { publishEventLog, untilIndexed, writeEventLog } from './event-log.ts';
import { latencies, startChild } from './load.ts';
import { median } from './report.ts';
import { closeSide, openSide, sendFrames } from './stream-side.ts';

export interface LogFigures {
  /** From the server's start until it knows every event. */
  readonly index_cpu_ms: number;
  /** A page of 1,000 events, over HTTP. */
  readonly page_cpu_ms: number;
  readonly server_rss_mb: number;
  readonly log_mb: number;
}

export interface StreamFigures {
  /** One event to every subscriber. */
  readonly event_cpu_ms: number;
}

const PAGES = 60;
const PAGE_EVENTS = 1_000;
const FRAMES_A_ROUND = 50_000;
const ROUNDS = 7;
const MEGABYTE = 2 ** 20;

export async function measureLog(events: number): Promise<LogFigures> {
  const fixture = await ServerFixture.create();
  try {
    const log = await writeEventLog(fixture.dir, events);
    await publishEventLog(fixture.dir, log);
    const server = await startChild('ours', fixture.dir);
    try {
      await untilIndexed(server.url, events);
      const indexed = await server.usage();
      const usable = log.cursors.slice(0, Math.max(1, Math.floor(log.cursors.length * 0.7)));
      for (let page = 0; page < PAGES; page++) {
        const cursor = usable[(page * 7_919) % usable.length];
        const path = `/v2/events/replay?limit=${PAGE_EVENTS}&since_event_id=${cursor}`;
        await latencies(server, { path, connections: 1, answers: 1 });
      }
      const read = await server.usage();
      return {
        index_cpu_ms: indexed.cpu_seconds * 1_000,
        page_cpu_ms: ((read.cpu_seconds - indexed.cpu_seconds) * 1_000) / PAGES,
        server_rss_mb: read.rss_bytes / MEGABYTE,
        log_mb: log.segments.reduce((sum, { bytes }) => sum + bytes, 0) / MEGABYTE,
      };
    } finally {
      await server.stop();
    }
  } finally {
    await rm(fixture.dir, { recursive: true, force: true });
  }
}

export async function measureStream(subscribers: number): Promise<StreamFigures> {
  const side = await openSide('hub', subscribers);
  try {
    const order = { clients: subscribers, frames: FRAMES_A_ROUND };
    await sendFrames(side, order);
    const speeds: number[] = [];
    for (let round = 0; round < ROUNDS; round++)
      speeds.push((await sendFrames(side, order)).framesPerCpuSecond);
    return { event_cpu_ms: (subscribers / median(speeds)) * 1_000 };
  } finally {
    await closeSide(side);
  }
}
