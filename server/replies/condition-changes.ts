// What changed between the conditions of two versions. What is absent from a version has ended only if the version publishes the data
// from which it would be found.
import {
  CONDITION_CHANGES,
  type ConditionChange,
  type ConditionChangeKind,
  type UncomparedReason,
} from '../../schemas/changes.ts';
import type { Condition } from '../../schemas/conditions.ts';
import { SEVERITIES } from '../../schemas/event.ts';

/** Why a version cannot say whether a condition was there. */
export interface Doubt {
  readonly reason: UncomparedReason;
  readonly dataset: string;
}

/** What a condition is about. */
export type ConditionSubject = Pick<Condition, 'type' | 'subject_id' | 'symbols'>;

export interface ConditionsOfVersion {
  /** Null if the version publishes no list of its own time. */
  readonly conditions: ReadonlyMap<string, Condition> | null;
  /** Seconds of its datasets. */
  readonly asOf: number;
  /** Undefined if the version publishes what the condition is found from. */
  doubtOf(condition: ConditionSubject): Doubt | undefined;
}

export interface ConditionChanges {
  /** By kind, then worst first. */
  readonly changes: readonly ConditionChange[];
  readonly counts: Readonly<Record<ConditionChangeKind | 'unchanged', number>>;
}

export function changesBetween(from: ConditionsOfVersion, to: ConditionsOfVersion): ConditionChanges {
  const ids = new Set([...(from.conditions?.keys() ?? []), ...(to.conditions?.keys() ?? [])]);
  const compared = [...ids].map((id) =>
    changeOf(id, { from, to, before: from.conditions?.get(id), after: to.conditions?.get(id) }),
  );
  const changes = compared.filter((one) => one !== null).toSorted(byWeight);
  const count = (kind: ConditionChangeKind) => changes.filter(({ change }) => change === kind).length;
  const counts = Object.fromEntries(KINDS.map((kind) => [kind, count(kind)] as const));
  return {
    changes,
    counts: { ...(counts as Record<ConditionChangeKind, number>), unchanged: ids.size - changes.length },
  };
}

const KINDS = Object.keys(CONDITION_CHANGES) as ConditionChangeKind[];

interface Pair {
  readonly from: ConditionsOfVersion;
  readonly to: ConditionsOfVersion;
  readonly before: Condition | undefined;
  readonly after: Condition | undefined;
}

/** Null if it is in both versions and did not change. */
function changeOf(id: string, { from, to, before, after }: Pair): ConditionChange | null {
  const made = (change: ConditionChangeKind, doubt?: Doubt): ConditionChange => ({
    ...{ id, change, reason: doubt?.reason ?? null, dataset: doubt?.dataset ?? null },
    ...{ before: before ?? null, after: after ?? null },
  });
  if (before !== undefined && after !== undefined) {
    const change = changeOfBoth(before, after);
    return change === null ? null : made(change);
  }
  const [present, other] = before === undefined ? [after, from] : [before, to];
  if (present === undefined) return null;
  // What began in between was not there before, whatever the earlier version could say.
  const isNew = before === undefined && secondOf(present) > from.asOf;
  const doubt = isNew ? undefined : doubtOf(other, present);
  if (doubt !== undefined) return made('unknown', doubt);
  return made(before === undefined ? 'opened' : 'closed');
}

function doubtOf(version: ConditionsOfVersion, condition: Condition): Doubt | undefined {
  return version.conditions === null
    ? { reason: 'not_published', dataset: 'conditions' }
    : version.doubtOf(condition);
}

/** NaN, which is after nothing, if it is not known since when. */
const secondOf = ({ since }: Condition): number => Date.parse(since ?? '') / 1000;
const severityOf = ({ severity }: Condition): number => SEVERITIES.indexOf(severity);

function changeOfBoth(before: Condition, after: Condition): ConditionChangeKind | null {
  if (!isSameBeginning(before, after)) return 'reopened';
  const rise = severityOf(after) - severityOf(before);
  if (rise !== 0) return rise > 0 ? 'worsened' : 'eased';
  return isFarther(before, after) ? 'worsened' : null;
}

/** Each beginning has its own event; without events, its own time. */
function isSameBeginning(before: Condition, after: Condition): boolean {
  if (before.event_key !== null && after.event_key !== null) return before.event_key === after.event_key;
  return before.since === null || after.since === null || before.since === after.since;
}

/** Whether the worst value became worse: farther in the direction in which it is bad. */
function isFarther(before: Condition, after: Condition): boolean {
  if (before.value_worst === null || after.value_worst === null) return false;
  if (after.measure === 'depth') return after.value_worst < before.value_worst;
  return Math.abs(after.value_worst) > Math.abs(before.value_worst);
}

function byWeight(a: ConditionChange, b: ConditionChange): number {
  const severity = ({ before, after }: ConditionChange) =>
    Math.max(...[before, after].map((one) => (one === null ? -1 : severityOf(one))));
  return (
    KINDS.indexOf(a.change) - KINDS.indexOf(b.change) || severity(b) - severity(a) || (a.id < b.id ? -1 : 1)
  );
}
