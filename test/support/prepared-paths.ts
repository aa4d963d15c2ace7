// The request targets that endpoints prepare from a published version: what a walk over the whole service asks for.

import { SnapshotHost } from '../../server/data/snapshot-host.ts';
import type { Endpoint } from '../../server/define/endpoint.ts';
import { NOTHING_LIVE } from '../../server/define/nothing-live.ts';
import { ENDPOINTS } from '../../server/endpoints.ts';
import { prepareReadPath } from '../../server/http/read-path.ts';
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
