// The verdict of the service over the served version, and what it says of the family of one dataset.

import { oncePer } from '../../platform/base/once-per.ts';
import type { ServiceVerdict } from '../../schemas/service-status.ts';
import type { Manifest } from '../../snapshots/layout.ts';
import { familyOf, serviceVerdict } from '../../snapshots/verdict.ts';
import { CONDITIONS } from '../../snapshots/verdict-headline.ts';
import { servicesAt } from '../define/as-of.ts';
import { currentVersion } from '../define/missing-data.ts';
import type { LoadedDataset, Moment, Services } from '../services.ts';
import { freshnessAt } from './freshness.ts';

export function verdictOf(services: Services): ServiceVerdict {
  const { operations, versions } = services;
  const faults = operations.notices.map(({ message, of }) => ({ code: of, message }));
  const { isStopping } = operations;
  const manifest = versions.current?.manifest ?? null;
  const documents = versions.current?.dataset(CONDITIONS)?.documents;
  const severities = documents === undefined ? null : severitiesIn(documents);
  return serviceVerdict({ manifest, nowMs: services.nowMs(), isStopping, faults, severities });
}

/** Services as of an earlier time: its version, judged at that time. Faults of this process are of today. */
export async function servicesThen(
  services: Services,
  moment: Moment,
  datasets: readonly string[],
): Promise<Services> {
  const then = await servicesAt(services, datasets, moment);
  const { as_of } = currentVersion(then).manifest;
  const nowMs = Math.min(services.nowMs(), Date.parse(moment.as_of ?? as_of));
  return {
    ...then,
    nowMs: () => nowMs,
    freshness: (entry) => freshnessAt(entry, nowMs),
    operations: { ...services.operations, isStopping: false, notices: [] },
  };
}

const severitiesIn = oncePer((documents: LoadedDataset['documents']): readonly unknown[] =>
  [...documents.keys()].map((key) => {
    const bytes = documents.get(key);
    return bytes === undefined
      ? undefined
      : (JSON.parse(bytes.toString()) as { severity?: unknown }).severity;
  }),
);

/** Whether a family of the installation publishes a dataset, in this version or later. */
export const isOfFamily = (manifest: Manifest, dataset: string): boolean =>
  familyOf(manifest, dataset) !== undefined;
