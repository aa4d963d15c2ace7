// Who may read a dataset: the callers that may use the endpoint with the same rows (decision 63). Applies to every form, every kept
// version, the listing and the static mirror.
import { FAMILIES } from '../../schemas/families.ts';
import type { Access, AccessRule } from '../define/access.ts';

export type DatasetAccess = (dataset: string) => Access;

/** Datasets that have no endpoint of their own. */
const WITHOUT_ENDPOINT: ReadonlyMap<string, Access> = new Map(
  FAMILIES.flatMap(({ ACCESS = {} }) => Object.entries(ACCESS)),
);

/** Undeclared datasets are closed, not open. */
export const UNDECLARED: AccessRule = { plan: 'enterprise', scope: 'data:read' };

/** An endpoint that serves the rows of datasets. */
interface ServesDatasets {
  readonly path: string;
  readonly access: Access;
  readonly datasets?: readonly string[];
}

/** @throws Error if two endpoints with different access serve the same dataset. */
export function datasetAccess(endpoints: readonly ServesDatasets[]): DatasetAccess {
  const known = new Map<string, Access>(WITHOUT_ENDPOINT);
  for (const { path, access, datasets = [] } of endpoints) {
    for (const id of datasets) {
      const other = known.get(id);
      if (other !== undefined && JSON.stringify(other) !== JSON.stringify(access))
        throw new Error(`Endpoint ${path}: dataset ${id} already requires ${JSON.stringify(other)}.`);
      known.set(id, access);
    }
  }
  return (id) => known.get(id) ?? UNDECLARED;
}
