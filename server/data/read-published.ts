// The newest published version for handlers, read once and not followed, for the static mirror, which has no callers.
import type { ObjectStore } from '../../platform/storage/object-store.ts';
import type { DatasetAccess } from '../access/dataset-access.ts';
import type { LiveServices, Services } from '../services.ts';
import type { Log } from '../log.ts';
import { ReplayLog } from '../replay/replay-log.ts';
import { EventTail } from '../replay/event-tail.ts';
import { SnapshotHost } from './snapshot-host.ts';
import type { ListShape } from '../define/list-shape.ts';

export interface PublishedContext {
  readonly snapshots: ObjectStore;
  readonly datasetAccess: DatasetAccess;
  readonly lists: readonly ListShape[];
  readonly serviceVersion: string;
  readonly nowMs: () => number;
  readonly log: Log;
}

/** Calls `use` once the newest version and its event log are read. Problems are in `services.operations.notices`. */
export async function readPublished<T>(
  context: PublishedContext,
  use: (services: Services) => T | Promise<T>,
): Promise<T> {
  const host = new SnapshotHost({
    ...context,
    tail: new EventTail(new ReplayLog(context.snapshots)),
    live: NOTHING_LIVE,
    onVersion: () => undefined,
    every: () => () => undefined,
  });
  host.start(0);
  try {
    await host.refresh();
    return await use(host.services);
  } finally {
    await host.stop();
  }
}

const refuse = (): never => {
  throw new Error('A response that is the same for all callers cannot depend on the caller.');
};

const nothing = new Proxy({}, { get: refuse });

/** Live services for a context without callers: no store, usage, analytics or webhooks. Using one of them throws. */
const NOTHING_LIVE: LiveServices = {
  store: nothing as LiveServices['store'],
  usage: nothing as LiveServices['usage'],
  analytics: nothing as LiveServices['analytics'],
  webhooks: nothing as LiveServices['webhooks'],
  rateOf: refuse,
  storeNotices: () => [],
  upgradeUrl: () => '',
};
