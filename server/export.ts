// Exports the newest published version as a static mirror, once, without listening.

import type { Disk } from '../platform/storage/disk.ts';
import type { ObjectStore } from '../platform/storage/object-store.ts';
import type { PlanName } from '../schemas/plans.ts';
import { openLastGood } from '../snapshots/last-good.ts';
import { type DatasetAccess, datasetAccess } from './access/authorize.ts';
import { type MirrorReport, writeMirror } from './data/mirror.ts';
import type { MirrorAddress } from './data/pinned-files.ts';
import { SnapshotHost } from './data/snapshot-host.ts';
import { type ListShape, listsOf } from './define/list-shape.ts';
import { ENDPOINTS } from './endpoints.ts';
import type { Log } from './log.ts';
import { EventTail } from './replay/event-tail.ts';
import { openReplay } from './replay/replay-log.ts';
import type { LiveServices, Services } from './services.ts';

export interface ExportDeps {
  readonly disk: Disk;
  readonly snapshots: ObjectStore;
  readonly out: string;
  /** Plan whose data is included; null: only open data. */
  readonly plan: PlanName | null;
  /** Where the mirror will be served, if that is known. */
  readonly address?: MirrorAddress | undefined;
  readonly serviceVersion: string;
  readonly log: Log;
}

/** @throws Error if nothing is published yet. */
export async function exportMirror(deps: ExportDeps): Promise<MirrorReport> {
  const { disk, snapshots, out, plan, address } = deps;
  const { reader } = await openLastGood(snapshots);
  if (reader === null)
    throw new Error(`Nothing is published in ${snapshots.nameOf('')}: run the jobs first.`);
  const publishedMs = Date.parse(reader.manifest.generated_at);
  const context = {
    ...deps,
    datasetAccess: datasetAccess(ENDPOINTS),
    lists: listsOf(ENDPOINTS),
    nowMs: () => publishedMs,
  };
  return readPublished(context, (services) =>
    writeMirror({ disk, out, plan, address, endpoints: ENDPOINTS, services }),
  );
}

// The newest published version for handlers, read once and not followed, for the static mirror, which has no callers.

interface PublishedContext {
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
    tail: new EventTail(openReplay(context)),
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
