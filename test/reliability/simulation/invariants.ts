// What must hold in the simulation: nothing acknowledged is lost, ids and order are those of a run without faults, readers see complete
// versions that only advance, gates name what is missing, and every event reaches every receiver and stream.
import { memoryDisk } from '../../snapshots/support/memory-disk.ts';
import { FolderObjectStore } from '../../../platform/storage/folder-store.ts';
import type { LoadedVersion } from '../../../server/services.ts';
import { openHistory } from '../../../snapshots/history.ts';
import { IntactFiles } from '../../../snapshots/intact.ts';
import { datasetsAsOf, segmentPath } from '../../../snapshots/layout.ts';
import { segmentEvents } from '../../../snapshots/segment.ts';
import { verifyFolder } from '../../../snapshots/verify.ts';
import type { ObjectStore } from '../../../platform/storage/object-store.ts';
import type { Media } from './disk.ts';
import { DATA, type JobsWorld, runTick, SNAPSHOTS } from './jobs-host.ts';
import type { Scheduler } from './scheduler.ts';
import { asOfMs, FEEDS, nameOf, Script, tickAt, WORLDS } from './script.ts';

/** A run without faults. */
export interface FaultlessRun {
  readonly ids: readonly string[];
  /** Hash of each dataset in the end. */
  readonly datasets: ReadonlyMap<string, string>;
}

const perfectRuns = new Map<string, Promise<FaultlessRun>>();

export function perfectOf(seed: number, ticks: number): Promise<FaultlessRun> {
  const name = `${seed % WORLDS} ${ticks}`;
  const known = perfectRuns.get(name) ?? walk(new Script(seed, ticks));
  perfectRuns.set(name, known);
  return known;
}

async function walk(script: Script): Promise<FaultlessRun> {
  const disk = memoryDisk();
  await disk.mkdir(DATA);
  const stores = {
    landing: new FolderObjectStore(disk, DATA),
    snapshots: new FolderObjectStore(disk, SNAPSHOTS),
  };
  const nothing = () => undefined;
  const world: JobsWorld = {
    script,
    disk,
    lease: async () => null,
    wait: async () => undefined,
    wallMs: () => asOfMs(script.ticks),
    fetchRow: async (feed, tick) => script.rowOf(feed, tick),
    chance: () => false,
    landed: nothing,
    appended: nothing,
    published: nothing,
    found: nothing,
    opened: nothing,
    completed: nothing,
    failed: nothing,
    flaws: {},
  };
  for (let tick = 1; tick <= script.ticks; tick++)
    await runTick(world, { ...stores, intact: new IntactFiles(), isLeading: () => true });
  return stateOf(stores.snapshots);
}

async function stateOf(snapshots: ObjectStore): Promise<FaultlessRun> {
  const { head } = await openHistory(snapshots);
  const ids: string[] = [];
  for (const { name } of head?.events.segments ?? []) {
    const bytes = await snapshots.get(segmentPath(name));
    for (const { id } of segmentEvents(bytes ?? Buffer.alloc(0), name, '')) ids.push(id);
  }
  const datasets = new Map(Object.entries(head?.datasets ?? {}).map(([id, { sha256 }]) => [id, sha256]));
  return { ids, datasets };
}

export interface EndState {
  readonly media: Media;
  readonly scheduler: Scheduler;
  /** How often each event was accepted, for each receiver. */
  readonly receivers: readonly ReadonlyMap<string, number>[];
  /** Ids that each stream client received. */
  readonly streams: readonly (readonly string[])[];
}

/** Remembers what was acknowledged, and checks every version that a reader sees. */
export class Ledger {
  readonly script: Script;
  readonly violation: (text: string) => void;
  readonly events = new Set<string>();
  readonly #rows = new Set<string>();
  #lastTick = 0;
  #lastEvent = '';
  #isComplete = false;
  readonly #ids: readonly string[];

  constructor(script: Script, { ids }: FaultlessRun, violation: (text: string) => void) {
    this.script = script;
    this.#ids = ids;
    this.violation = violation;
  }

  landed(row: string): void {
    this.#rows.add(row);
  }

  appended(ids: readonly string[]): void {
    for (const id of ids) this.events.add(id);
    this.#lastEvent = [this.#lastEvent, ...ids].sort().at(-1) ?? '';
  }

  published(tick: number): void {
    this.#lastTick = Math.max(this.#lastTick, tick);
  }

  found(rows: ReadonlySet<string>): void {
    for (const row of this.#rows)
      if (!rows.has(row)) this.violation(`row ${row} was acknowledged and is lost`);
  }

  opened(lastEventId: string): void {
    if (lastEventId < this.#lastEvent)
      this.violation(`event ${this.#lastEvent} was acknowledged, and the log ends at ${lastEventId}`);
  }

  completed(): void {
    this.#isComplete = true;
  }

  /** For one start of a server. */
  reader(name: string): (served: LoadedVersion) => void {
    let last = '';
    // A version becomes visible before its publication is acknowledged, so more may be seen, but not less.
    const acknowledged = this.#lastTick;
    return ({ version, manifest, dataset }) => {
      if (version <= last) this.violation(`${name} went from ${last} back to ${version}`);
      last = version;
      const tick = tickAt(datasetsAsOf(manifest));
      if (tick < acknowledged)
        this.violation(`${name} sees tick ${tick} after ${acknowledged} was acknowledged`);
      for (const feed of FEEDS) this.#checkFeed(name, tick, { feed, loaded: dataset(`feed-${feed}`) });
    };
  }

  #checkFeed(
    name: string,
    tick: number,
    { feed, loaded }: { readonly feed: string; readonly loaded: ReturnType<LoadedVersion['dataset']> },
  ): void {
    if (loaded === undefined) {
      this.violation(`${name} sees tick ${tick} without feed ${feed}`);
      return;
    }
    const { entry, documents } = loaded;
    const asOf = documents.get('as-of')?.toString() ?? '';
    if (!asOf.includes(new Date(asOfMs(tick)).toISOString()))
      this.violation(`${name} sees feed ${feed} of ${asOf} in the version of tick ${tick}`);
    const gate = JSON.stringify(entry.quality_gate);
    for (let at = 1; at <= tick; at++) {
      const row = nameOf({ feed, tick: at });
      if (documents.get(row) === undefined && !gate.includes(row))
        this.violation(`${name} sees tick ${tick} without ${row}, which its gate does not name`);
    }
  }

  /** What has not arrived yet; empty if everything has. More may have arrived than is expected. */
  awaited({ receivers, streams }: EndState): string {
    if (!this.#isComplete) return `the last tick: acknowledged is ${this.#lastTick}`;
    const ids = this.#ids;
    const slow = streams.find((received) => received.length < ids.length);
    if (slow !== undefined) return `a stream: it has ${slow.join()} of ${ids.join()}`;
    const missing = receivers.flatMap((accepted, at) =>
      ids.filter((id) => !accepted.has(id)).map((id) => `${at}/${id}`),
    );
    return missing.length > 0 ? `deliveries: ${missing.join()}` : '';
  }
}

export async function checkEnd(
  ledger: Ledger,
  perfect: FaultlessRun,
  { media, scheduler, receivers, streams }: EndState,
): Promise<void> {
  const { violation } = ledger;
  const reader = { name: 'check', isAlive: true, isPaused: false };
  const snapshots = new FolderObjectStore(
    media.diskOf(reader, () => undefined),
    SNAPSHOTS,
  );
  let isDone = false;
  const check = async () => {
    const end = await stateOf(snapshots);
    if (end.ids.join() !== perfect.ids.join())
      violation(`the log is ${end.ids.join()}, not ${perfect.ids.join()}`);
    for (const id of ledger.events)
      if (!end.ids.includes(id)) violation(`event ${id} was acknowledged and is lost`);
    for (const [id, sha256] of perfect.datasets)
      if (end.datasets.get(id) !== sha256) violation(`dataset ${id} differs from the run without faults`);
    for (const problem of await verifyFolder(snapshots)) violation(`verify: ${JSON.stringify(problem)}`);
    isDone = true;
  };
  void check().catch((error: unknown) => {
    violation(`the end cannot be read: ${String(error)}`);
    isDone = true;
  });
  await scheduler.runUntil(() => isDone, 20_000);
  for (const ids of streams)
    if (ids.join() !== perfect.ids.join())
      violation(`a stream received ${ids.join()}, not ${perfect.ids.join()}`);
  for (const accepted of receivers)
    for (const id of perfect.ids) if (!accepted.has(id)) violation(`event ${id} was never delivered`);
}
