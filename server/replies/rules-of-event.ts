// The rules that found an event: those of the version that first contained it, or of a kept version with the same policy.
import type { EventRule } from '../../schemas/event-rules.ts';
import type { Manifest } from '../../snapshots/layout.ts';
import type { Services } from '../services.ts';

const RULES = 'event-rules';

export interface RulesOfEvent {
  readonly rules: readonly EventRule[];
  readonly policy_version: string | null;
  readonly rules_version: string | null;
  /** What is unknown. */
  readonly gaps: readonly string[];
}

export async function rulesOfEvent(
  services: Services,
  { event_id, type }: { readonly event_id: string; readonly type: string },
): Promise<RulesOfEvent> {
  const { before, first } = await services.datasets.around(event_id);
  const version = first !== undefined && isOfItsTime(first, before) ? first : undefined;
  if (version === undefined)
    return {
      rules: [],
      policy_version: null,
      rules_version: null,
      gaps: [`the rules of that time are no longer kept${changeBetween(before, first)}`],
    };
  const rules = await rulesIn(services, version, type);
  const gaps = rules.length === 0 ? ['the version that found the event has no rules for its type'] : [];
  return { rules, policy_version: version.policy_version, rules_version: version.version, gaps };
}

/**
 * Whether the version found the event, or was published under the policy that found it. If versions in between are gone but the policy is
 * the same before and after them, that policy was in force.
 */
function isOfItsTime(first: Manifest, before: Manifest | undefined): boolean {
  if (first.previous === null || first.previous === before?.version) return true;
  return first.policy_version === before?.policy_version;
}

const changeBetween = (before: Manifest | undefined, first: Manifest | undefined): string =>
  before === undefined || first === undefined
    ? ''
    : `: the policy changed from ${before.policy_version} to ${first.policy_version} around the event`;

async function rulesIn(services: Services, version: Manifest, type: string): Promise<readonly EventRule[]> {
  const loaded = await services.versions.datasetOf(RULES, version);
  const document = loaded?.documents.get(type);
  return document === undefined ? [] : (JSON.parse(document.toString()) as readonly EventRule[]);
}
