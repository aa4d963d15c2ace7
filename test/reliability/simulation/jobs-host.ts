// A job host of the simulation: leads in its turn, lands what the feeds deliver, appends events and publishes, with the code of the product.
// Landing is one object a row, because Parquet is written by DuckDB, which is outside the simulation.

import { check } from '../../../jobs/pipeline/gate/input-checks.ts';
import { confidenceOf, gateOf } from '../../../jobs/pipeline/gate/quality.ts';
import { type Disk, isMissing, systemCode } from '../../../platform/storage/disk.ts';
import { WriteFailedError } from '../../../platform/storage/errors.ts';
import { enterTerm, fencedDisk, StaleTermError } from '../../../platform/storage/fence.ts';
import { FolderObjectStore } from '../../../platform/storage/folder-store.ts';
import type { ObjectStore } from '../../../platform/storage/object-store.ts';
import { openEventLog } from '../../../snapshots/events.ts';
import { collectGarbage } from '../../../snapshots/gc.ts';
import { openHistory } from '../../../snapshots/history.ts';
import { IntactFiles } from '../../../snapshots/intact.ts';
import { datasetsAsOf } from '../../../snapshots/layout.ts';
import type { Successor } from '../../../snapshots/upload-version.ts';
import { type PublishInput, publishEvents, publishVersion } from '../../../snapshots/write.ts';
import type { Lease } from './leases.ts';
import type { Life } from './scheduler.ts';
import { asOfMs, FEEDS, isoAt, nameOf, type Row, type Script, tickAt } from './script.ts';

export const DATA = '/data';
export const SNAPSHOTS = `${DATA}/snapshots`;
const LANDING = 'landing/';
const PAUSE_MS = 1_500;

/** Deliberate mistakes in the program; for tests of the simulation. */
export interface JobsFlaws {
  readonly ignoresTerms?: boolean;
  readonly numbersByClock?: boolean;
  readonly pointsFirst?: boolean;
  readonly claimsCompleteness?: boolean;
}

export interface JobsWorld {
  readonly script: Script;
  readonly disk: Disk;
  readonly lease: (life: Life) => Promise<Lease | null>;
  readonly wait: (ms: number) => Promise<void>;
  readonly wallMs: () => number;
  /** Asks a feed; rejects if the connection is cut. */
  readonly fetchRow: (feed: string, tick: number) => Promise<Row>;
  /** Whether an optional step is taken now. */
  readonly chance: (share: number) => boolean;
  readonly landed: (row: string) => void;
  readonly appended: (ids: readonly string[]) => void;
  readonly published: (tick: number) => void;
  /** Rows that this leader finds landed, and the last event that it finds in the log. */
  readonly found: (rows: ReadonlySet<string>) => void;
  readonly opened: (lastEventId: string) => void;
  /** All ticks are published, and nothing is missing. */
  readonly completed: () => void;
  /** An error that no fault of the simulation explains. */
  readonly failed: (error: unknown) => void;
  readonly flaws: JobsFlaws;
}

export async function runJobs(life: Life, world: JobsWorld): Promise<void> {
  for (;;) {
    const lease = await world.lease(life);
    if (lease !== null) await lead(world, lease);
    await world.wait(PAUSE_MS);
  }
}

async function lead(world: JobsWorld, lease: Lease): Promise<void> {
  try {
    const own = { installation: 'sim', number: lease.term };
    const folder = { disk: world.disk, dir: DATA };
    await enterTerm(folder, own);
    const disk = world.flaws.ignoresTerms ? world.disk : fencedDisk({ ...folder, own, isHeld: lease.isHeld });
    const intact = new IntactFiles();
    const landing = new FolderObjectStore(disk, DATA);
    const snapshots = storeIn(disk, world.flaws);
    while (lease.isHeld()) {
      await runTick(world, { landing, snapshots, intact, isLeading: lease.isHeldNow });
      await world.wait(PAUSE_MS);
      await lease.renew();
    }
  } catch (error) {
    if (!isExplained(error) && lease.isHeldNow()) world.failed(error);
  }
}

function storeIn(disk: Disk, { pointsFirst = false }: JobsFlaws): ObjectStore {
  const store = new FolderObjectStore(disk, SNAPSHOTS);
  if (!pointsFirst) return store;
  const commit: ObjectStore['commit'] = async (objects, swap) => {
    const result = await FolderObjectStore.prototype.commit.call(store, [], swap);
    for (const { path, chunks } of objects) await store.put(path, chunks);
    return result;
  };
  return Object.assign(store, { commit });
}

/** Caused by a failing disk, a cut connection or the end of a term. */
function isExplained(error: unknown): boolean {
  if (error instanceof StaleTermError) return true;
  if (error instanceof WriteFailedError) return isExplained(error.cause) || isMissing(error.cause);
  return ['EIO', 'ENOSPC', 'ECONNRESET'].includes(systemCode(error) ?? '');
}

export interface Stores {
  readonly landing: ObjectStore;
  readonly snapshots: ObjectStore;
  readonly intact: IntactFiles;
  /** In truth, whatever the host knows. */
  readonly isLeading: () => boolean;
}

/** Lands, appends and publishes for the next tick; does nothing once all ticks are published. */
export async function runTick(world: JobsWorld, stores: Stores): Promise<void> {
  const { snapshots, intact, isLeading } = stores;
  const { script, flaws } = world;
  const { head, isPointed } = await openHistory(snapshots);
  const done = head === null ? 0 : tickAt(datasetsAsOf(head));
  // Late rows of the last tick are published again.
  const tick = Math.min(done + 1, script.ticks);
  if (head !== null && isPointed && done === script.ticks && isComplete(head)) return world.completed();
  const rows = await landRows(world, stores, tick);
  const log = await openEventLog(snapshots, head?.events.segments ?? [], { intact, minIndexedBytes: 600 });
  if (isLeading()) world.opened(log.lastEventId() ?? '');
  const nowMs = flaws.numbersByClock ? world.wallMs() : asOfMs(tick);
  world.appended((await log.append(script.eventsOf(tick), nowMs)).map(({ id }) => id));
  const times = { as_of: isoAt(asOfMs(tick)), generated_at: isoAt(world.wallMs()), segments: log.segments() };
  if (world.chance(0.4)) await publishEvents(snapshots, times, { intact });
  await publishVersion(snapshots, inputOf(world, { tick, rows, times }), { intact });
  world.published(tick);
  if (!world.chance(0.3)) return;
  const nowWall = world.wallMs();
  await collectGarbage(snapshots, { nowMs: nowWall, keepMs: 5_000, keepDays: 1, leaseTtlMs: 600_000 });
}

const isComplete = ({ datasets }: { readonly datasets: object }) =>
  Object.values(datasets as Record<string, { quality_gate: { verdict: string } }>).every(
    ({ quality_gate }) => quality_gate.verdict === 'pass',
  );

/** Fetches what is not landed, and reads what is. A cut connection leaves a gap for the next tick. */
async function landRows(
  { script, fetchRow, landed, found }: JobsWorld,
  { landing, isLeading }: Stores,
  tick: number,
): Promise<readonly Row[]> {
  const there = new Set(await landing.list(LANDING));
  if (isLeading()) found(new Set([...there].map((key) => key.slice(LANDING.length, -'.json'.length))));
  for (const wanted of script.rowsUntil(tick)) {
    const key = `${LANDING}${nameOf(wanted)}.json`;
    if (there.has(key)) continue;
    const row = await fetchRow(wanted.feed, wanted.tick).catch(() => null);
    if (row === null) continue;
    await landing.put(key, [Buffer.from(JSON.stringify(row))]);
    landed(nameOf(row));
    there.add(key);
  }
  const rows: Row[] = [];
  for (const key of [...there].sort()) {
    const bytes = await landing.get(key);
    if (bytes !== null) rows.push(JSON.parse(bytes.toString()) as Row);
  }
  return rows;
}

interface Publication {
  readonly tick: number;
  readonly rows: readonly Row[];
  readonly times: Successor;
}

function inputOf({ script, flaws }: JobsWorld, { tick, rows, times }: Publication): PublishInput {
  const { as_of } = times;
  const versions = { engine_version: '1.0.0', methodology_version: '1.0.0', policy_version: '1.0.0' };
  const datasets = FEEDS.map((feed) => {
    const own = rows.filter((row) => row.feed === feed && row.tick <= tick);
    const missing = script
      .rowsUntil(tick)
      .filter((row) => row.feed === feed && !own.some((one) => one.tick === row.tick));
    const problems = flaws.claimsCompleteness ? [] : missing.map((row) => `${nameOf(row)} is missing`);
    const facts = {
      expected: tick,
      used: own.length,
      rows_in: own.length,
      rows_quarantined: 0,
      failures: problems,
    };
    return {
      id: `feed-${feed}`,
      documents: own
        .map((row) => ({ key: nameOf(row), value: { price: row.price } }))
        .concat([{ key: 'as-of', value: { price: as_of } }])
        .toSorted((a, b) => (a.key < b.key ? -1 : 1)),
      computed_at: as_of,
      update_cadence_seconds: 300,
      sources: [],
      confidence: confidenceOf(facts),
      quality_gate: gateOf([check('no row is missing', problems, 'warn')], as_of, '1.0.0'),
    };
  });
  return { ...times, ...versions, datasets };
}
