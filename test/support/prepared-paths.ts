// The request targets that endpoints prepare from a published version: what a walk over the whole service asks for.
import type { Endpoint } from '../../server/define.ts';
import { ENDPOINTS } from '../../server/endpoints.ts';
import { NOTHING_LIVE } from '../../server/nothing-live.ts';
import { prepareReadPath } from '../../server/read-path.ts';
import { SnapshotHost } from '../../server/snapshot-host.ts';
import { nodeDisk } from '../../snapshots/disk.ts';

const quiet = () => undefined;

export const preparedPaths = async (snapshotDir: string): Promise<string[]> => [
  ...(await preparedEndpoints(snapshotDir)).keys(),
];

/** The same, each with the endpoint that answers it. */
export async function preparedEndpoints(snapshotDir: string): Promise<ReadonlyMap<string, Endpoint>> {
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
    const answers = [...prepareReadPath(ENDPOINTS, host.services)];
    return new Map(answers.map(([path, { endpoint }]) => [path, endpoint]));
  } finally {
    await host.stop();
  }
}
