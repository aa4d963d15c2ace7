// A domain: everything that a family brings. Every registry of the jobs is built from the list of domains.
import type { DemoSettings } from '../demo/settings.ts';
import type { PolicyDefinition, PolicyTable } from '../policy/define.ts';
import type { Dataset } from './dataset.ts';
import type { Detector } from './detector.ts';
import type { RawTable } from './raw-table.ts';
import type { Source } from './source.ts';

/** Everything that one folder under `jobs/` brings. Models are the `.sql` files of the folder. */
export interface Domain {
  readonly id: string;
  readonly folder: URL;
  readonly raw: readonly RawTable[];
  /** What of it is configured, and the tables that models read of that. */
  readonly policy: readonly PolicyDefinition[];
  /** Tables that are made from the policies of several domains. */
  readonly policyTables?: readonly PolicyTable[];
  readonly datasets: readonly Dataset[];
  readonly detectors: readonly Detector[];
  /** It is part of the first version of an empty folder, and reads no other domain than these. */
  readonly isFirstLook?: true;
  /** What the demo world delivers to its raw tables. */
  readonly demo?: (settings: DemoSettings) => readonly Source[];
}

export function defineDomain<const D extends Domain>(domain: D): D {
  return Object.freeze(domain);
}

/** Tables that models of any domain read as `policy.<name>`. */
export const policyTablesOf = (
  domains: readonly Pick<Domain, 'policy' | 'policyTables'>[],
): readonly PolicyTable[] =>
  domains.flatMap(({ policy, policyTables = [] }) => [
    ...policy.flatMap(({ tables }) => tables),
    ...policyTables,
  ]);
