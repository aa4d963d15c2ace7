// A server of the simulation: follows the published folder, serves the stream and dispatches webhooks, with the code of the product from the
// snapshot host to the tables of the store. HTTP and WebSocket handshakes are outside the simulation.
import type { Disk } from '../../../platform/storage/disk.ts';
import { FolderObjectStore } from '../../../platform/storage/folder-store.ts';
import type { DatasetAccess } from '../../../server/access/dataset-access.ts';
import { SnapshotHost } from '../../../server/data/snapshot-host.ts';
import type { Log } from '../../../server/log.ts';
import { EventTail } from '../../../server/replay/event-tail.ts';
import { openReplay } from '../../../server/replay/replay-log.ts';
import type { LiveServices, LoadedVersion } from '../../../server/services.ts';
import type { Sealer } from '../../../server/store/seal.ts';
import type { OpsStore, OpsTables } from '../../../server/store/store.ts';
import { Hub } from '../../../server/stream/hub.ts';
import { Dispatcher } from '../../../server/webhooks/dispatch.ts';
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
  const { scheduler, disk, tables, sealer, wallMs, sender, onVersion } = world;
  const snapshots = new FolderObjectStore(disk, SNAPSHOTS);
  const every = (ms: number, work: () => void) => scheduler.every(life, ms, work);
  const wait = (ms: number) => scheduler.wait(life, ms);
  const steadyMs = () => scheduler.nowMs;
  const replay = openReplay({ snapshots, log: SILENT, steadyMs });
  const tail = new EventTail(replay);
  const hub = new Hub({ events: replay, wait, log: SILENT });
  const dispatcher = Dispatcher.start({
    store: tables as OpsStore,
    events: replay,
    sender: { ...sender, sweep: () => undefined, close: () => undefined },
    messages: testMessages(wallMs, SILENT),
    sealer,
    nowMs: wallMs,
    random: scheduler.random,
    after: (ms, work) => scheduler.after(life, ms, work),
    every,
    wait,
    log: SILENT,
    legacySignature: { state: 'off' },
  });
  tail.subscribe({
    onEvents() {
      void hub.wake();
      dispatcher.wake();
    },
  });
  every(POLL_MS, () => void hub.wake());
  const host = new SnapshotHost({
    snapshots,
    tail,
    live: { storeNotices: () => [] } as unknown as LiveServices,
    datasetAccess: {} as DatasetAccess,
    lists: [],
    onVersion: ({ versions }) => versions.current && onVersion(versions.current),
    serviceVersion: 'simulation',
    nowMs: wallMs,
    log: SILENT,
    every,
    readerId: life.name,
  });
  host.start(POLL_MS);
  return { life, hub, lastId: () => replay.lastId };
}
