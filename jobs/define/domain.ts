// A domain: everything that one family of data needs. Every registry of the jobs is built from the list of domains.
import type { DemoSettings } from '../sources/demo/scenario/settings.ts';
import type { Dataset } from './dataset.ts';
import { deliveryGapTable } from './delivery-gaps.ts';
import type { Detector } from './detector.ts';
import type { PolicyDefinition, PolicyTable } from './policy/define.ts';
import type { RawTable } from './raw-table.ts';
import type { Source } from './source.ts';
import type { SubjectLink } from './subject.ts';

/** Everything that one folder under `jobs/` contributes. Models are the `.sql` files of the folder. */
export interface Domain {
  readonly id: string;
  /** Its name in a sentence such as "Lending can be judged". */
  readonly title: string;
  readonly folder: URL;
  readonly raw: readonly RawTable[];
  /** Raw tables without any of which nothing about the family can be judged; otherwise any one of its tables is enough. */
  readonly essential?: readonly RawTable[];
  /** Its configurable policies, and the tables that models read them from. */
  readonly policy: readonly PolicyDefinition[];
  /** Tables built from the policies of several domains. */
  readonly policyTables?: readonly PolicyTable[];
  readonly datasets: readonly Dataset[];
  readonly detectors: readonly Detector[];
  /** Which of its subjects rest on which others, of any domain. */
  readonly links?: readonly SubjectLink[];
  /** Part of the first version of an empty folder. Such a domain reads only domains that are part of it too. */
  readonly isFirstLook?: true;
  /** The demo world's deliveries to its raw tables. */
  readonly demo?: (settings: DemoSettings) => readonly Source[];
}

export function defineDomain<const D extends Domain>(domain: D): D {
  return Object.freeze(domain);
}

/** Tables that models of any domain read as `policy.<name>`; what was not delivered is one of them. */
export const policyTablesOf = (
  domains: readonly Pick<Domain, 'policy' | 'policyTables'>[],
): readonly PolicyTable[] => [
  ...domains.flatMap(({ policy, policyTables = [] }) => [
    ...policy.flatMap(({ tables }) => tables),
    ...policyTables,
  ]),
  deliveryGapTable,
];
