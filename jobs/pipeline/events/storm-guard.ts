// Keeps one subject from flooding the log: after an event, further events of the same type about the same subject are held back for a
// while, unless they are more severe, and the next event reports how many were. What is held back depends only on the candidates, never on
// the log or the time of evaluation, so any division of time into runs appends the same events.

import { DAY_S } from '../../../platform/base/time.ts';
import { SEVERITIES, type Severity } from '../../../schemas/event.ts';
import type { Detector } from '../../define/detector.ts';
import { definePolicy, Strict, Type, type ValuesOf } from '../../define/policy/define.ts';
import type { Candidate } from './emit.ts';

/** From `start`, included, to `end`, excluded; Unix seconds. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export interface StormGuard {
  readonly policy: StormPolicy;
  readonly span: Span;
  /** Every candidate of a type in a span, in the order of the log. */
  readonly candidates: (type: string, span: Span) => Promise<readonly Candidate[]>;
}

/** Bounds the size of an event; the count has no bound. */
const MAX_SUPPRESSED_KEYS = 50;

/** The candidates that are not held back. The data of guarded types has `suppressed_count` and, unless it is 0, `suppressed_keys`. */
export async function withoutStorms(
  found: readonly Candidate[],
  guard: StormGuard,
): Promise<readonly Candidate[]> {
  const kept = new Map<Candidate['key'], Candidate>();
  const guarded = new Set(found.filter((one) => isGuarded(one, guard.policy)).map(({ type }) => type));
  for (const type of guarded) {
    const own = found.filter((one) => one.type === type && isGuarded(one, guard.policy));
    for (const one of await calmed(type, own, guard)) kept.set(one.key, one);
  }
  return found.flatMap((one) => (isGuarded(one, guard.policy) ? (kept.get(one.key) ?? []) : one));
}

/** An event that retracts another is never held back. */
const isGuarded = ({ type, retracts }: Candidate, policy: StormPolicy) =>
  cooldownOf(type, policy) > 0 && retracts === undefined;

const cooldownOf = (type: string, { is_enabled, cooldown_s }: StormPolicy) =>
  is_enabled ? (cooldown_s[type] ?? 0) : 0;

async function calmed(type: string, own: readonly Candidate[], guard: StormGuard): Promise<Candidate[]> {
  const cooldown = cooldownOf(type, guard.policy);
  const rules = { cooldown, countReach: guard.policy.count_reach_s };
  const history = await historyOf(type, new Set(own.map(subjectOf)), { guard, cooldown });
  return [...history.values()].flatMap((candidates) => calm(candidates, rules));
}

/**
 * Candidates by subject, read from far enough back that the earliest one of each subject follows a whole cooldown of silence, and therefore
 * passes whatever came before.
 */
async function historyOf(
  type: string,
  subjects: ReadonlySet<string>,
  { guard, cooldown }: { readonly guard: StormGuard; readonly cooldown: number },
): Promise<ReadonlyMap<string, readonly Candidate[]>> {
  const { span, policy } = guard;
  for (let back = 2 * Math.max(cooldown, policy.count_reach_s); ; back *= 2) {
    const start = Math.max(span.start - back, 0);
    const all = await guard.candidates(type, { start, end: span.end });
    const watched = all.filter((one) => isGuarded(one, policy) && subjects.has(subjectOf(one)));
    const history = Map.groupBy(watched, subjectOf);
    const isFarEnough = [...history.values()].every(
      ([first]) => first !== undefined && first.event_at >= start + cooldown,
    );
    if (isFarEnough || start === 0) return history;
  }
}

const subjectOf = ({ guard_subject, envelope }: Candidate) => guard_subject ?? String(envelope['subject_id']);

/** The candidates of one subject that pass, in order, each with the number held back since the previous one. */
export function calm(
  candidates: readonly Candidate[],
  {
    cooldown,
    countReach,
  }: {
    /** Seconds. */
    readonly cooldown: number;
    /** Seconds before an event within which held-back candidates are counted. */
    readonly countReach: number;
  },
): Candidate[] {
  const kept: Candidate[] = [];
  let held: Candidate[] = [];
  let last: { readonly at: number; readonly rank: number } | null = null;
  for (const one of candidates) {
    const rank = rankOf(one);
    const isDue = last === null || one.event_at - last.at >= cooldown;
    if (!isDue && last !== null && rank <= last.rank) {
      held.push(one);
      continue;
    }
    kept.push(
      withSuppressed(
        one,
        held.filter(({ event_at }) => event_at >= one.event_at - countReach),
      ),
    );
    held = [];
    last = { at: one.event_at, rank };
  }
  return kept;
}

const rankOf = ({ envelope }: Candidate) => SEVERITIES.indexOf(envelope['severity'] as Severity);

/** Lists the natural keys of the newest held-back candidates, so that they can be found in the data. */
function withSuppressed(one: Candidate, held: readonly Candidate[]): Candidate {
  const suppressed_keys = held.slice(-MAX_SUPPRESSED_KEYS).map(({ key }) => key);
  const suppressed = { suppressed_count: held.length, ...(held.length > 0 ? { suppressed_keys } : {}) };
  const data = { ...(one.envelope['data'] as object), ...suppressed };
  return { ...one, envelope: { ...one.envelope, data } };
}

const seconds = { minimum: 0, maximum: 31_536_000 };

type Cooldowns = Readonly<Record<string, number>>;

const schemaOf = (cooldowns: Cooldowns) =>
  Strict({
    is_enabled: Type.Boolean({ default: true, description: 'Whether events are held back at all' }),
    cooldown_s: Type.Record(
      Type.String({ pattern: '^[a-z][a-z0-9_]*(\\.[a-z][a-z0-9_]*)+$' }),
      Type.Integer({ ...seconds, description: 'Time after an event, seconds' }),
      {
        default: cooldowns,
        additionalProperties: false,
        expected: 'a map from event types to seconds',
        description:
          'Time for which further events about the subject are held back, by event type, seconds; 0 or no entry: never',
      },
    ),
    count_reach_s: Type.Integer({
      ...seconds,
      default: 7 * DAY_S,
      description: 'How far back the count of held-back events reaches, seconds',
    }),
  });

/**
 * How long further events of a type about one subject are held back after an event, so that one troubled subject does not flood
 * subscribers. The next event counts and names those held back; an event of higher severity is never held back.
 */
export type StormPolicy = ValuesOf<ReturnType<typeof schemaOf>>;

type DetectorCooldown = Pick<Detector, 'type' | 'cooldown'>;

/** The policy with the default cooldowns of the detectors. */
export const stormPolicyOf = (detectors: readonly DetectorCooldown[]) =>
  definePolicy({ section: 'storm', schema: schemaOf(cooldownsOf(detectors)) });

const cooldownsOf = (detectors: readonly DetectorCooldown[]): Cooldowns =>
  Object.fromEntries(
    detectors
      .flatMap(({ type, cooldown }) => (cooldown === undefined ? [] : [[type, cooldown] as const]))
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  );
