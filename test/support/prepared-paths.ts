// The request targets that endpoints prepare from a published version, for walks over the whole service.

import { datasetAccess } from '../../server/access/authorize.ts';
import type { Endpoint } from '../../server/define/endpoint.ts';
import { listsOf } from '../../server/define/list-shape.ts';
import { ENDPOINTS } from '../../server/endpoints.ts';
import { readPublished } from '../../server/export.ts';
import { prepareResponses } from '../../server/http/read-path.ts';
import { inFolder } from './in-folder.ts';

const quiet = () => undefined;

export const preparedPaths = async (snapshotDir: string): Promise<string[]> => [
  ...(await preparedEndpoints(snapshotDir)).keys(),
];

/** The same targets, each with the endpoint that serves it. */
export function preparedEndpoints(snapshotDir: string): Promise<ReadonlyMap<string, Endpoint>> {
  const context = {
    snapshots: inFolder(snapshotDir),
    datasetAccess: datasetAccess(ENDPOINTS),
    lists: listsOf(ENDPOINTS),
    serviceVersion: 'test',
    nowMs: () => 0,
    log: { info: quiet, warn: quiet, error: quiet },
  };
  return readPublished(context, (services) => {
    const prepared = [...prepareResponses(ENDPOINTS, services)];
    return new Map(prepared.map(([path, { endpoint }]) => [path, endpoint]));
  });
}
