// An event in plain words: what happened, how it was confirmed, what followed, and what there is to doubt. One pure function over the
// envelope and the published facts about it. It states only what is known: an unknown value is left out, never replaced.
import { ownMember } from '../../../platform/base/own-member.ts';
import type { RiskEvent } from '../../../schemas/event.ts';
import { EVENT_DOUBTS } from '../../../schemas/event-doubts.ts';
import type { EventStory } from '../../../schemas/evidence.ts';
import { courseOf, isEnd } from './course.ts';
import { classificationChanged, feedInvalid, oracleStale } from './feed-story.ts';
import {
  anomaly,
  depthCollapse,
  factorBreach,
  mevSpike,
  regimeShift,
  sandwich,
  utilizationSpike,
} from './market-story.ts';
import { assumptionBroken, assumptionRestored, pathChanged } from './oracle-path-story.ts';
import { depegEnd, depegRecovered, depegStart } from './peg-story.ts';
import { ruleOf, type StoryFacts, subjectOf } from './story-facts.ts';
import {
  dollars,
  duration,
  joined,
  moment,
  number,
  numberIn,
  percent,
  readableName,
  secondsOf,
} from './story-text.ts';
import {
  allocationChanged,
  capChanged,
  changeExecuted,
  changePending,
  changeRevoked,
  curatorAction,
  curatorChanged,
  feeChanged,
  liquidityLow,
  sharePriceFell,
  tenureEnd,
  tenureStart,
} from './vault-story.ts';

const TELLERS: Readonly<Record<string, (facts: StoryFacts) => string>> = {
  'oracle.stale': oracleStale,
  'oracle.classification.changed': classificationChanged,
  'oracle.feed.invalid': feedInvalid,
  'oracle.assumption.broken': assumptionBroken,
  'oracle.assumption.restored': assumptionRestored,
  'oracle.path.changed': pathChanged,
  'peg.depeg.start': depegStart,
  'peg.depeg.end': depegEnd,
  'peg.depeg.recovered': depegRecovered,
  'vault.cap.changed': capChanged,
  'vault.fee.changed': feeChanged,
  'vault.curator.changed': curatorChanged,
  'vault.allocation.changed': allocationChanged,
  'vault.change.pending': changePending,
  'vault.change.executed': changeExecuted,
  'vault.change.revoked': changeRevoked,
  'vault.share_price.fell': sharePriceFell,
  'vault.liquidity.low': liquidityLow,
  'curator.action': curatorAction,
  'curator.tenure.start': tenureStart,
  'curator.tenure.end': tenureEnd,
  'liquidity.utilization.spike': utilizationSpike,
  'liquidity.depth.collapse': depthCollapse,
  'risk.anomaly': anomaly,
  'risk.factor.breach': factorBreach,
  'regime.shift': regimeShift,
  'mev.spike': mevSpike,
  'mev.sandwich.large': sandwich,
};

/** Facts of an event about which nothing but its envelope is known. */
export const factsOf = (event: RiskEvent): StoryFacts => ({
  event,
  names: {},
  rules: [],
  course: courseOf(event, []),
  condition: undefined,
  absence: null,
  retraction: null,
  retracted: null,
  quote: null,
  heartbeat_s: null,
  answered_at: null,
});

/** Types that have a sentence. */
export const STORY_TYPES: readonly string[] = Object.keys(TELLERS);

export function storyOf(facts: StoryFacts): EventStory {
  const headline = sentence(headlineOf(facts));
  const doubts = doubtsOf(facts.event);
  const followed =
    facts.retraction === null && facts.event.retracts_event_id === undefined ? courseSentences(facts) : [];
  const further = [...confirmationOf(facts), ...followed, ...suppressionOf(facts.event)].map(sentence);
  const doubt =
    doubts.length === 0 ? [] : [`${doubts.length === 1 ? 'Doubt' : 'Doubts'}: ${doubts.join('; ')}.`];
  return { headline, further, doubts: [...doubts], text: [headline, ...further, ...doubt].join(' ') };
}

const sentence = (text: string): string => `${text}.`;

function headlineOf(facts: StoryFacts): string {
  const { event, retraction } = facts;
  if (event.test === true) return `Made up for testing: ${whatHappened(facts)}`;
  if (event.retracts_event_id !== undefined) return retractionText(facts);
  if (retraction === null) return whatHappened(facts);
  return `Retracted on ${moment(retraction.ts)}, because ${reasonOf(retraction)}; this did not happen: ${whatHappened(facts)}`;
}

function whatHappened(facts: StoryFacts): string {
  const { event } = facts;
  const tell = ownMember(TELLERS, event.type);
  return tell === undefined
    ? `${readableName(event.type)} of ${subjectOf(facts)} on ${moment(event.ts)}`
    : tell(facts);
}

/** A retraction repeats the figures of the event that it retracts, but has its own time. */
function retractionText(facts: StoryFacts): string {
  const { event, retracted } = facts;
  const first = `An earlier event was retracted on ${moment(event.ts)}, because ${reasonOf(event)}`;
  return retracted === null
    ? `${first}; what it reported about ${subjectOf(facts)} did not happen`
    : `${first}; this did not happen: ${whatHappened({ ...factsOf(retracted), names: facts.names, quote: facts.quote })}`;
}

function reasonOf({ data }: RiskEvent): string {
  const { retraction } = data;
  const { reason, type, source_id } = (
    typeof retraction === 'object' && retraction !== null ? retraction : {}
  ) as { readonly reason?: unknown; readonly type?: unknown; readonly source_id?: unknown };
  if (reason === 'superseded')
    return `rows of the source ${typeof source_id === 'string' ? source_id : 'that it rested on'} were taken back`;
  if (reason === 'reclassified')
    return typeof type === 'string'
      ? `a newer version of the rules reads the same fact as “${readableName(type)}”`
      : 'a newer version of the rules reads the same fact otherwise';
  return 'the chain dropped what it rested on';
}

/** What the policy asked for before it was reported, for types where that is a number of observations. */
function confirmationOf(facts: StoryFacts): readonly string[] {
  const { event } = facts;
  if (event.type.startsWith('liquidity.')) {
    const count = ruleOf(facts, 'lending.confirm_observations');
    return count === undefined || event.data['is_drained'] === true
      ? []
      : [`It was reported once ${observations(count)} had shown it`];
  }
  if (event.type !== 'peg.depeg.start' && event.type !== 'peg.depeg.end') return [];
  const [count, spacing] = pegConfirmation(facts);
  if (count === undefined || spacing === undefined) return [];
  const multiple =
    event.type === 'peg.depeg.start' && event.data['basis'] !== 'source'
      ? ruleOf(facts, 'peg.immediate_multiple')
      : undefined;
  return [
    joined(
      `It is reported once ${observations(count)} over at least ${duration(spacing)} show it`,
      multiple === undefined ? undefined : `, or at once from ${number(multiple)} times the threshold on`,
    ),
  ];
}

/** Those of the open condition, or of the policy unless an asset has its own, because which one it is, is not part of an event. */
function pegConfirmation(facts: StoryFacts): readonly [number | undefined, number | undefined] {
  const own = facts.condition?.rule ?? [];
  const ownOf = (name: string) => own.find((rule) => rule.name === name)?.value;
  if (own.length > 0) return [ownOf('confirm_observations'), ownOf('confirm_spacing')];
  return facts.rules.some(({ name }) => /^peg\.assets\..*\.(?:confirm_|immediate_)/.test(name))
    ? [undefined, undefined]
    : [ruleOf(facts, 'peg.confirm_observations'), ruleOf(facts, 'peg.confirm_spacing_s')];
}

const observations = (count: number): string => (count === 1 ? '1 observation' : `${count} observations`);

/** What followed, as far as it is known: escalations, the end, or that it still lasts; otherwise that this is not known. */
function courseSentences(facts: StoryFacts): readonly string[] {
  const { event, course, answered_at } = facts;
  const later = course.escalations.filter(
    ({ ts, event_id }) => event_id !== event.event_id && ts >= event.ts,
  );
  const risen = later.map(
    ({ severity, ts }) => `it rose to ${severity ?? 'a higher severity'} on ${moment(ts)}`,
  );
  const isClosed = isEnd(event.type);
  const [end, recovery] = [course.end, course.recovery];
  const since = course.start ?? event;
  return [
    ...(risen.length === 0 ? [] : [capital(risen.join(', and '))]),
    ...(isClosed || end === null
      ? []
      : [`It ended on ${moment(end.ts)}, after ${duration(secondsOf(end.ts) - secondsOf(since.ts))}`]),
    ...(event.type === 'peg.depeg.recovered' || recovery === null
      ? []
      : [`It counts as recovered since ${moment(recovery.ts)}`]),
    ...(answered_at === null ? [] : [`The feed answered again on ${moment(answered_at)}`]),
    ...stateNow(facts, isClosed || end !== null || answered_at !== null),
  ];
}

/** Whether it is over. `isEnded`: an end is known. */
function stateNow({ condition, absence }: StoryFacts, isEnded: boolean): readonly string[] {
  if (isEnded) return absence?.isHeld === true ? [`What holds now is not known: ${absence.doubt}`] : [];
  if (condition !== undefined && condition !== null) return [lasting(condition)];
  if (absence === null) return [];
  return absence.doubt === null
    ? [`It is over: it was no longer open on ${moment(absence.as_of)}. When it ended is not published`]
    : [`Whether it is over is not known: ${absence.doubt}`];
}

function lasting({ value_now, unit, now_at }: NonNullable<StoryFacts['condition']>): string {
  if (value_now === null) return 'It still lasts';
  return `It still lasts: the last value is ${withUnit(value_now, unit)}${now_at === null ? '' : ` (${moment(now_at)})`}`;
}

/** A value of a condition in its published unit. */
function withUnit(value: number, unit: string | null): string {
  if (unit === 'seconds') return duration(value);
  if (unit === 'USD') return dollars(value);
  if (unit === 'fraction') return percent(value);
  return `${number(value).replace('-', '−')}${unit === null ? '' : ` ${unit === 'percent' ? '%' : unit}`}`;
}

const capital = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

function suppressionOf({ data }: RiskEvent): readonly string[] {
  const count = numberIn(data, 'suppressed_count') ?? 0;
  if (count === 0) return [];
  return [`${count === 1 ? '1 event' : `${count} events`} about the same subject had been held back before`];
}

const isDoubt = (name: string): name is keyof typeof EVENT_DOUBTS => Object.hasOwn(EVENT_DOUBTS, name);

/** Reasons to doubt it, in words. A degraded event without a reason says so. */
export function doubtsOf({ data_quality, meta, type }: RiskEvent): readonly string[] {
  const checks = meta?._agentic?.quality_gate?.checks ?? [];
  const named = checks.map(({ name, detail }) =>
    isDoubt(name) ? EVENT_DOUBTS[name] : (detail ?? readableName(name)),
  );
  const status = meta?._agentic?.freshness?.status;
  // Of a feed, staleness is what the event reports, not a doubt about it.
  const isAboutFreshness = type.startsWith('oracle.');
  const old =
    isAboutFreshness || status === undefined || status === 'fresh'
      ? []
      : [`the data that it rests on was ${status === 'unknown' ? 'of unknown age' : status}`];
  const unnamed =
    data_quality !== undefined && named.length === 0
      ? ['the quality of its data was degraded, without a stated reason']
      : [];
  return [...named, ...old, ...unnamed];
}
