// Exports the newest published version as a static mirror, once, without listening.
import type { PlanName } from '../schemas/plans.ts';
import type { Disk } from '../platform/storage/disk.ts';
import { openLastGood } from '../snapshots/last-good.ts';
import type { ObjectStore } from '../platform/storage/object-store.ts';
import { datasetAccess } from './access/dataset-access.ts';
import { type Mirrored, writeMirror } from './data/mirror.ts';
import { readPublished } from './data/read-published.ts';
import { ENDPOINTS } from './endpoints.ts';
import type { Log } from './log.ts';
import { listsOf } from './define/list-shape.ts';

export interface ExportDeps {
  readonly disk: Disk;
  readonly snapshots: ObjectStore;
  readonly out: string;
  /** Plan whose data is included; null: only open data. */
  readonly plan: PlanName | null;
  readonly serviceVersion: string;
  readonly log: Log;
}

/** @throws Error if nothing is published yet. */
export async function exportMirror(deps: ExportDeps): Promise<Mirrored> {
  const { disk, snapshots, out, plan } = deps;
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
    writeMirror({ disk, out, plan, endpoints: ENDPOINTS, services }),
  );
}
