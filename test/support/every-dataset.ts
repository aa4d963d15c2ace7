// A version that has every dataset, so that what is not found in it does not exist, instead of not being there yet.
import { domains } from '../../jobs/registry.ts';
import type { DatasetInput } from '../../snapshots/dataset-intake.ts';
import { datasetOf } from '../server/server-fixture.ts';

/** The given datasets, and all others without documents. */
export function everyDataset(datasets: readonly DatasetInput[]): DatasetInput[] {
  const given = new Set(datasets.map(({ id }) => id));
  // Corrections belong to no family: every publication writes them.
  const ids = ['corrections', ...domains.flatMap((domain) => domain.datasets.map(({ id }) => id))];
  return [...datasets, ...ids.filter((id) => !given.has(id)).map((id) => datasetOf(id, []))];
}
