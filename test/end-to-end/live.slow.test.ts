// The profile `live` as a user starts it, against local stand-ins for all keyless sources: every one of them has rows in the warehouse,
// and published data names it.
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterEach, expect, test, vi } from 'vitest';
import { DAY_S } from '../../platform/base/time.ts';
import type { WindowSection } from '../../jobs/sources/live/fetch/section.ts';
import { SHIPPED_SOURCES } from '../../jobs/sources/live/shipped/shipped.ts';
import { parseDuration } from '../../jobs/pipeline/run/plan.ts';
import { KEYLESS_FAMILIES, publishedSources, standingOf, startLive } from '../support/live-start.ts';
import { openStandIns } from '../support/live-world/stand-ins.ts';
import { keylessMappings } from '../support/live-world/world.ts';
import { workingOn } from '../support/working-on.ts';

const MAX_MS = 240_000;
/** Two requests a turn stay below the limit of callers without a key. */
const POLL_MS = 2_000;
const STILL_MS = 500;
/** A tick that finds what the one before it missed comes at once. */
const EVERY_OTHER_SECOND = '*/2 * * * * *';

/** One step, or a day where a step is longer than what is read: the same kinds of window, and a quarter of the batches. */
const shortened = ({ history, step, ...rest }: WindowSection): WindowSection => {
  const short = parseDuration(step) < parseDuration(history) ? step : '1d';
  return { ...rest, step, history: parseDuration(history) > DAY_S ? short : history };
};

/** Proposals with several choices end every nine days. */
const LONGER: { readonly [id: string]: Pick<WindowSection, 'history'> } = {
  'snapshot-votes': { history: '14d' },
};

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** What is still missing, as soon as nothing is or the time is over. */
async function missing(address: string): Promise<readonly string[]> {
  const endMs = Date.now() + MAX_MS;
  for (;;) {
    const { filled, reading } = await standingOf(address);
    const published = await publishedSources(address);
    const lacking = [
      ...Object.values(KEYLESS_FAMILIES).filter((id) => !filled.has(id)),
      ...SOURCES.filter(({ id }) => !reading.has(id)).map(({ id }) => `${id} does not read`),
      ...PUBLISHED.filter(({ id }) => !published.has(id)).map(({ id }) => `${id} is not published`),
    ];
    if (lacking.length === 0 || Date.now() > endMs) return lacking;
    await wait(POLL_MS);
  }
}

const SOURCES = keylessMappings();
const SHORT_HISTORIES = Object.fromEntries(
  Object.entries(SHIPPED_SOURCES).flatMap(([id, { window }]) =>
    window === undefined ? [] : [[id, { window: { ...shortened(window), ...LONGER[id] } }]],
  ),
);
/** What others say of our figures is compared with them, and not passed on. */
const PUBLISHED = SOURCES.filter(({ is_redistributable }) => is_redistributable);

/** Sources without a row in the warehouse. */
async function withoutRows(dir: string): Promise<readonly string[]> {
  const instance = await DuckDBInstance.create(join(dir, 'warehouse.duckdb'), { access_mode: 'READ_ONLY' });
  const connection = await instance.connect();
  const empty: string[] = [];
  for (const { id, table } of SOURCES) {
    const sql = `select count(*) from obs.${table} where source_id = '${id}'`;
    const [[rows]] = (await connection.runAndReadAll(sql)).getRows() as [[bigint]];
    if (rows === 0n) empty.push(id);
  }
  connection.closeSync();
  instance.closeSync();
  return empty;
}

test('npm start with the profile live publishes what every source says, and stops fetching when it stops', {
  timeout: 2 * MAX_MS,
}, async () => {
  const world = await openStandIns({ nowMs: () => Date.now() });
  closing.push(world.close);
  const hosts = Object.entries(world.hosts).map(([host, one]) => [
    host,
    { ...one, requests_per_minute: 6_000 },
  ]);
  const live = startLive({
    hosts: Object.fromEntries(hosts),
    sources: { ...SHORT_HISTORIES, ...world.sources },
    tick_cron: EVERY_OTHER_SECOND,
  });
  closing.push(live.stop);
  expect(await missing(await live.address)).toEqual([]);
  expect(workingOn(dirname(live.dir)).length).toBeGreaterThan(1);
  await live.stop();
  // On a busy machine the jobs may be killed before their fetcher has ended; it ends by itself once it has lost them.
  await vi.waitFor(() => expect(workingOn(dirname(live.dir))).toEqual([]), {
    timeout: 10_000,
    interval: 200,
  });
  const asked = world.asked();
  await wait(STILL_MS);
  expect(world.asked()).toBe(asked);
  expect(await withoutRows(live.dir)).toEqual([]);
});
