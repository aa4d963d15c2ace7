// The verdict of the service over the served version, and what it says of the family of one dataset.
import type { ServiceVerdict } from '../../schemas/service-status.ts';
import type { Manifest } from '../../snapshots/layout.ts';
import { familyOf, serviceVerdict } from '../../snapshots/verdict.ts';
import type { Services } from '../define/services.ts';

export function verdictOf(services: Services): ServiceVerdict {
  const { operations, versions } = services;
  const faults = operations.notices.map(({ message, of }) => ({ code: of, message }));
  const { isStopping } = operations;
  const manifest = versions.current?.manifest ?? null;
  return serviceVerdict({ manifest, nowMs: services.nowMs(), isStopping, faults });
}

/** Whether a family of the installation publishes a dataset, in this version or later. */
export const isOfFamily = (manifest: Manifest, dataset: string): boolean =>
  familyOf(manifest, dataset) !== undefined;
