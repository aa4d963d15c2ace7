// A server of the simulation: follows the published folder, serves the stream and dispatches webhooks, with the code of the product from the
// snapshot host to the tables of the store. HTTP and WebSocket handshakes are outside the simulation.
import type { Disk } from '../../../platform/storage/disk.ts';
import { FolderObjectStore } from '../../../platform/storage/folder-store.ts';
import type { DatasetAccess } from '../../../server/access/authorize.ts';
import { type HostDeps, SnapshotHost } from '../../../server/data/snapshot-host.ts';
import type { Log } from '../../../server/log.ts';
import { EventTail } from '../../../server/replay/event-tail.ts';
import { openReplay, type ReplayLog } from '../../../server/replay/replay-log.ts';
import type { LiveServices, LoadedVersion } from '../../../server/services.ts';
import type { Sealer } from '../../../server/store/seal.ts';
import type { OpsStore, OpsTables } from '../../../server/store/store.ts';
import { Hub } from '../../../server/stream/hub.ts';
import { Dispatcher, type DispatcherDeps } from '../../../server/webhooks/dispatch.ts';
import type { Sender } from '../../../server/webhooks/send.ts';
import { testMessages } from '../../support/test-messages.ts';
import { SNAPSHOTS } from './jobs-host.ts';
import type { Life, Scheduler } from './scheduler.ts';

const POLL_MS = 1_000;

export interface ServerWorld {
  readonly scheduler: Scheduler;
  readonly disk: Disk;
  readonly tables: OpsTables;
  readonly sealer: Sealer;
  readonly wallMs: () => number;
  readonly sender: Pick<Sender, 'send'>;
  readonly onVersion: (served: LoadedVersion) => void;
}

export interface Server {
  readonly life: Life;
  readonly hub: Hub;
  /** The newest event that it has read. */
  readonly lastId: () => string | undefined;
}

const SILENT: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };

export function startServer(life: Life, world: ServerWorld): Server {
  const { scheduler, disk } = world;
  const snapshots = new FolderObjectStore(disk, SNAPSHOTS);
  const time = {
    nowMs: world.wallMs,
    steadyMs: () => scheduler.nowMs,
    every: (ms: number, work: () => void) => scheduler.every(life, ms, work),
    after: (ms: number, work: () => void) => scheduler.after(life, ms, work),
    wait: (ms: number) => scheduler.wait(life, ms),
  };
  const replay = openReplay({ snapshots, log: SILENT, steadyMs: time.steadyMs });
  const tail = new EventTail(replay);
  const hub = new Hub({ events: replay, wait: time.wait, log: SILENT });
  const dispatcher = startDispatcher(world, time, replay);
  tail.subscribe({
    onEvents() {
      void hub.wake();
      dispatcher.wake();
    },
  });
  time.every(POLL_MS, () => void hub.wake());
  hostOf(world, { ...time, snapshots, tail, readerId: life.name }).start(POLL_MS);
  return { life, hub, lastId: () => replay.lastId };
}

type Time = Pick<DispatcherDeps, 'nowMs' | 'every' | 'after' | 'wait'>;

const startDispatcher = ({ scheduler, tables, sealer, sender }: ServerWorld, time: Time, events: ReplayLog) =>
  Dispatcher.start({
    ...time,
    store: tables as OpsStore,
    events,
    sender: { ...sender, sweep: () => undefined, close: () => undefined },
    messages: testMessages(time.nowMs, SILENT),
    sealer,
    random: scheduler.random,
    log: SILENT,
    legacySignature: { state: 'off' },
  });

const hostOf = (
  { onVersion }: ServerWorld,
  parts: Pick<HostDeps, 'snapshots' | 'tail' | 'nowMs' | 'every' | 'readerId'>,
): SnapshotHost =>
  new SnapshotHost({
    ...parts,
    live: { storeNotices: () => [] } as unknown as LiveServices,
    datasetAccess: {} as DatasetAccess,
    lists: [],
    onVersion: ({ versions }) => versions.current && onVersion(versions.current),
    serviceVersion: 'simulation',
    log: SILENT,
  });
