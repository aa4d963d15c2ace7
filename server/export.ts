// Exports the newest published version as a static mirror, once, without listening.
import type { PlanName } from '../schemas/plans.ts';
import type { Disk } from '../snapshots/disk.ts';
import { openLastGood } from '../snapshots/last-good.ts';
import { type Mirrored, writeMirror } from './data/mirror.ts';
import { type Log, SnapshotHost } from './data/snapshot-host.ts';
import { datasetAccess } from './define/dataset-access.ts';
import { NOTHING_LIVE } from './define/nothing-live.ts';
import { ENDPOINTS } from './endpoints.ts';

export interface ExportDeps {
  readonly disk: Disk;
  readonly snapshotDir: string;
  readonly out: string;
  /** Also what this plan may read; null: only what is open to anybody. */
  readonly plan: PlanName | null;
  readonly serviceVersion: string;
  readonly log: Log;
}

/** @throws Error when nothing is published yet. */
export async function exportMirror({
  disk,
  snapshotDir,
  out,
  plan,
  serviceVersion,
  log,
}: ExportDeps): Promise<Mirrored> {
  const { reader } = await openLastGood(disk, snapshotDir);
  if (reader === null) throw new Error(`Nothing is published in ${snapshotDir}: run the jobs first.`);
  const publishedMs = Date.parse(reader.manifest.generated_at);
  const host = new SnapshotHost({
    disk,
    snapshotDir,
    endpoints: [],
    live: NOTHING_LIVE,
    datasetAccess: datasetAccess(ENDPOINTS),
    serviceVersion,
    nowMs: () => publishedMs,
    log,
    every: () => () => undefined,
  });
  host.start(0);
  try {
    await host.refresh();
    return await writeMirror({ disk, out, plan, endpoints: ENDPOINTS, services: host.services });
  } finally {
    await host.stop();
  }
}
