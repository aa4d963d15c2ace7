// The policy of the whole service: the policies of all domains and of the pipeline itself.

import type { Domain } from './define/domain.ts';
import type { PolicyDefinition, PolicyOf } from './define/policy/define.ts';
import { defaultPolicy, mergePolicy } from './define/policy/load.ts';
import { stormPolicyOf } from './pipeline/events/storm-guard.ts';
import { qualityPolicyOf } from './pipeline/gate/quality.ts';
import { domains as everything } from './registry.ts';

type Definition =
  | (typeof everything)[number]['policy'][number]
  | ReturnType<typeof qualityPolicyOf>
  | ReturnType<typeof stormPolicyOf>;
export type Policy = PolicyOf<readonly Definition[]>;

type Definer = Pick<Domain, 'policy'> & Partial<Pick<Domain, 'raw' | 'detectors'>>;

/** All definitions, of the domains and of the pipeline. */
export const definitionsOf = (domains: readonly Definer[] = everything): readonly PolicyDefinition[] => [
  ...domains.flatMap(({ policy }) => policy),
  qualityPolicyOf(domains.flatMap(({ raw = [] }) => raw)),
  stormPolicyOf(domains.flatMap(({ detectors = [] }) => detectors)),
];

export const DEFAULT_POLICY = defaultPolicy(definitionsOf(everything)) as Policy;

/**
 * The defaults with the configuration's `policy` section merged over them.
 * @throws SettingsError that lists every wrong value of the section.
 */
export const loadPolicy = (section: unknown, domains: readonly Definer[] = everything): Policy =>
  mergePolicy(definitionsOf(domains), section) as Policy;
