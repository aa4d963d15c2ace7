// A static mirror with its catalogue, as `jobs -- export` writes it.
import { join } from 'node:path';
import { replaceCatalogue } from '../../jobs/app/mirror-catalogue.ts';
import { writeCatalogue } from '../../jobs/engine/duckdb/catalogue.ts';
import { nodeDisk } from '../../platform/storage/disk.ts';
import type { PlanName } from '../../schemas/plans.ts';
import { exportMirror } from '../../server/export.ts';
import { inFolder } from './in-folder.ts';

const quiet = () => undefined;

interface MirrorRequest {
  /** The data folder. */
  readonly folder: string;
  readonly url: string;
  readonly plan: PlanName | null;
}

export async function exportTo(out: string, { folder, url, plan }: MirrorRequest): Promise<void> {
  await exportMirror({
    disk: nodeDisk,
    plan,
    snapshots: inFolder(join(folder, 'snapshots')),
    out,
    address: { url, versions: 2 },
    serviceVersion: 'test',
    log: { info: quiet, warn: quiet, error: quiet },
  });
  await replaceCatalogue({ disk: nodeDisk, folder: out, write: writeCatalogue });
}
