// `detect`: shows which events would have fired over an interval under another policy, compared with the log. Computes the inputs of the
// event type from everything that has landed, in a temporary warehouse; appends and publishes nothing.
import { counted, isOrAre } from '../../platform/base/plural.ts';
import { openHistory } from '../../snapshots/history.ts';
import { eventsAfter } from '../../snapshots/segment.ts';
import type { Domain } from '../define/domain.ts';
import type { LandingContents } from '../ingest/read-landing.ts';
import type { PipelineContext } from '../pipeline/context.ts';
import { detectInWindow } from '../pipeline/events/detection.ts';
import { type Candidate, detectionWindow } from '../pipeline/events/emit.ts';
import { type Division, divide } from '../pipeline/events/withholding.ts';
import { holdsOfRows } from '../pipeline/gate/bad-rows.ts';
import { stillRefused } from '../pipeline/gate/still-refused.ts';
import { withholdingNow } from '../pipeline/run/append-events.ts';
import { type AbsorbingContext, absorbLanded, computeModels } from '../pipeline/run/compute.ts';
import { dayOf } from '../../platform/base/time.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import type { DetectRequest } from './parse.ts';

/** Landed rows, the changed policy and an empty warehouse. */
export type WhatIfContext = Omit<AbsorbingContext, 'landing'> & { readonly landing: LandingContents } & Pick<
    PipelineContext,
    'policy' | 'settings' | 'snapshots' | 'nowMs' | 'reporter'
  >;

interface Verdict {
  readonly candidate: Candidate;
  /** The log has an event with this key. */
  readonly is_logged: boolean;
}

/** Prints one line per event, then a summary: how many would fire, how many of those are new, and which logged ones would not fire. */
export async function showWhatWouldFire(
  context: WhatIfContext,
  request: DetectRequest,
  print: (line: string) => void,
): Promise<ExitCode> {
  const { type, from, to, json } = request;
  const { free: found, withheld } = await whatWouldFire(context, request);
  const logged = await loggedKeys(context, request);
  const verdicts = found.map((candidate) => ({ candidate, is_logged: logged.has(candidate.key) }));
  const fired = new Set(found.map(({ key }) => key));
  const gone = [...logged].filter((key) => !fired.has(key));
  for (const verdict of verdicts) print(json ? jsonOf(verdict) : describe(verdict));
  const summary = {
    type,
    from,
    to,
    policy_version: context.policy.policy_version,
    would_fire: found.length,
    not_in_log: verdicts.filter(({ is_logged }) => !is_logged).length,
    in_log_only: gone,
    withheld: withheld.reduce((sum, { count }) => sum + count, 0),
  };
  print(json ? JSON.stringify({ summary }) : describeItem(summary));
  return EXIT.done;
}

/** Candidates of one type over (from, to] in the order of the log, under the policy of the context, and those that are held back. */
export async function whatWouldFire(
  context: WhatIfContext,
  { type, from, to }: Pick<DetectRequest, 'type' | 'from' | 'to'>,
): Promise<Division> {
  const narrow = narrowed(context, [type]);
  await absorbLanded(narrow);
  const firstTime = await narrow.warehouse.absorbed.firstTime('all');
  if (firstTime === null) return { free: [], withheld: [] };
  const window = { start: dayOf(Math.max(firstTime, 0)), end: to + 1, now: to };
  await computeModels(narrow, window);
  const asking = { ...narrow, results: narrow.warehouse };
  const bench = { ...narrow, ingest: narrow.landing };
  const refused = holdsOfRows(narrow, await stillRefused(bench, { now: to, batches: new Set() }));
  const withholding = await withholdingNow(asking, { window, refused });
  const candidates = await detectInWindow(asking, detectionWindow({ from, to }, to));
  return divide(candidates, withholding, new Set());
}

/** The context reduced to the models that the event types depend on, and their raw tables and detectors. */
export function narrowed<C extends Pick<WhatIfContext, 'models' | 'domains'>>(
  context: C,
  types: readonly string[],
): C {
  const byName = new Map(context.models.models.map((model) => [model.name, model]));
  const needed = new Set<string>();
  const need = (name: string): void => {
    if (needed.has(name)) return;
    needed.add(name);
    for (const read of byName.get(name)?.reads ?? []) need(read);
  };
  for (const query of context.models.events) if (types.includes(query.type)) query.reads.forEach(need);
  const models = context.models.models.filter(({ name }) => needed.has(name));
  const domains = context.domains.map(
    (domain): Domain => ({
      ...domain,
      raw: domain.raw.filter(({ observations }) => needed.has(observations.model)),
      detectors: domain.detectors.filter(({ type }) => types.includes(type)),
    }),
  );
  return { ...context, domains, models: { ...context.models, models } };
}

async function loggedKeys(
  { snapshots }: WhatIfContext,
  { type, from, to }: DetectRequest,
): Promise<ReadonlySet<string>> {
  const { head } = await openHistory(snapshots);
  const keys = new Set<string>();
  if (head === null) return keys;
  for await (const { key, envelope } of eventsAfter(snapshots, head.events.segments, null)) {
    if (!key.startsWith(`${type}|`)) continue;
    const { ts } = JSON.parse(envelope.toString('utf8')) as { readonly ts: string };
    const at = Date.parse(ts) / 1000;
    if (at > from && at <= to) keys.add(key);
  }
  return keys;
}

const jsonOf = ({ candidate, is_logged }: Verdict) =>
  JSON.stringify({ key: candidate.key, is_logged, event: candidate.envelope });

function describe({ candidate: { envelope }, is_logged }: Verdict): string {
  const { ts, severity, subject_id } = envelope;
  return `${ts} ${severity ?? ''} ${subject_id}${is_logged ? '' : ' (not in the log)'}`;
}

function describeItem(summary: {
  readonly type: string;
  readonly policy_version: string;
  readonly would_fire: number;
  readonly not_in_log: number;
  readonly in_log_only: readonly string[];
  readonly withheld: number;
}): string {
  const { type, policy_version, would_fire, not_in_log, in_log_only, withheld } = summary;
  const lost = in_log_only.length === 0 ? '' : `: ${in_log_only.join(', ')}`;
  const held =
    withheld === 0
      ? ''
      : ` ${withheld} more ${isOrAre(withheld)} withheld, because what they are about is held back.`;
  return `${counted(would_fire, 'event')} of ${type} under policy ${policy_version}, ${not_in_log} of them not in the log; ${in_log_only.length} in the log would not have fired${lost}.${held}`;
}
