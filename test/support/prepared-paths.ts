// The request targets that endpoints prepare from a published version: what a walk over the whole service asks for.
import { ENDPOINTS } from '../../server/endpoints.ts';
import { NOTHING_LIVE } from '../../server/nothing-live.ts';
import { prepareReadPath } from '../../server/read-path.ts';
import { SnapshotHost } from '../../server/snapshot-host.ts';
import { nodeDisk } from '../../snapshots/disk.ts';

const quiet = () => undefined;

export async function preparedPaths(snapshotDir: string): Promise<string[]> {
  const host = new SnapshotHost({
    disk: nodeDisk,
    snapshotDir,
    endpoints: [],
    live: NOTHING_LIVE,
    serviceVersion: 'test',
    nowMs: () => 0,
    log: { info: quiet, warn: quiet, error: quiet },
    every: () => quiet,
  });
  host.start(0);
  try {
    await host.refresh();
    return [...prepareReadPath(ENDPOINTS, host.services).keys()];
  } finally {
    await host.stop();
  }
}
