// What a message about an event shows: name, sentence, severity, value, threshold, since when, and where the evidence is. A pure function of
// the story's facts. Whatever is unknown is undefined, and then no message mentions it.
import { ownMember } from '../../../platform/base/own-member.ts';
import type { RiskEvent } from '../../../schemas/event.ts';
import { courseName, hasEnd, isEnd } from '../../replies/story/course.ts';
import { storyOf } from '../../replies/story/event-story.ts';
import { type StoryFacts, subjectOf } from '../../replies/story/story-facts.ts';
import {
  bps,
  dollars,
  duration,
  moment,
  number,
  numberIn,
  percent,
  points,
} from '../../replies/story/story-text.ts';

/** Whether a target that knows incidents opens one or closes it. */
export type AlertAction = 'trigger' | 'resolve';

export interface Alert {
  readonly event_id: string;
  readonly type: string;
  /** The same for the start and the end of one condition: its kind and its subject. */
  readonly condition: string;
  /** Name of the condition, without its subject. */
  readonly kind: string;
  readonly action: AlertAction;
  /** Whether the condition has an event that ends it. */
  readonly hasEnd: boolean;
  /** Name of the subject, with its chain. */
  readonly name: string;
  readonly subject_id: string;
  readonly chain: string | undefined;
  readonly protocol: string | undefined;
  readonly severity: RiskEvent['severity'];
  readonly sentence: string;
  readonly doubts: readonly string[];
  /** Further members for display: value, threshold, since, as they are known. */
  readonly figures: readonly (readonly [label: string, text: string])[];
  /** ISO 8601. */
  readonly ts: string;
  /** Start of the condition; that of the event if no earlier one is known. */
  readonly since: string;
  readonly isTest: boolean;
  /** The page about the event, and its evidence as JSON. */
  readonly links: { readonly page: string; readonly evidence: string };
}

/** `base`: address of the service, without a trailing slash. */
export function alertOf(facts: StoryFacts, base: string): Alert {
  const { event, course } = facts;
  const { headline, doubts } = storyOf(facts);
  const since = course.start?.ts ?? event.ts;
  const kind = courseName(event.type);
  const id = encodeURIComponent(event.event_id);
  return {
    event_id: event.event_id,
    type: event.type,
    condition: `${kind}/${event.subject_id}`,
    kind,
    action: actionOf(facts),
    hasEnd: hasEnd(event.type),
    name: subjectOf(facts),
    subject_id: event.subject_id,
    chain: event.chain ?? undefined,
    protocol: event.protocol ?? undefined,
    severity: event.severity,
    sentence: headline,
    doubts,
    figures: [
      ...figuresOf(event),
      ['Since', moment(since)],
      ...(course.end === null ? [] : [['Ended', moment(course.end.ts)] as const]),
    ],
    ts: event.ts,
    since,
    isTest: event.test === true,
    links: { page: `${base}/events?id=${id}`, evidence: `${base}/v2/events/${id}/evidence` },
  };
}

/** Events that close an incident: ends, and retractions. They reach a subscription whatever its minimum severity. */
export const isClosing = (event: {
  readonly type: string;
  readonly retracts_event_id?: string | undefined;
}): boolean => event.retracts_event_id !== undefined || isEnd(event.type);

/**
 * A retraction closes what its event opened, unless another start of the same condition still holds; the retraction of an end opens the
 * condition again. A start that is sent late, after its end, opens nothing, because nothing would close it.
 */
function actionOf({ event, retraction, course }: StoryFacts): AlertAction {
  const isTakenBack = event.retracts_event_id !== undefined || retraction !== null;
  if (isEnd(event.type)) return isTakenBack ? 'trigger' : 'resolve';
  if (!isTakenBack) return course.end === null ? 'trigger' : 'resolve';
  const isOtherOpen =
    course.start !== null && course.start.event_id !== event.event_id && course.end === null;
  return isOtherOpen ? 'trigger' : 'resolve';
}

type Figure = readonly [label: string, member: string, text: (value: number) => string];

const deviation = (value: number) => bps(value).replace('-', '−');
const DEPEG: readonly Figure[] = [
  ['Deviation', 'deviation_bps', deviation],
  ['Threshold', 'effective_enter_bps', bps],
];
const ANOMALY: readonly Figure[] = [
  ['Value', 'metric_value', number],
  ['Baseline', 'baseline_value', number],
];
/** The value of each type and, if its events carry it, the threshold. */
const FIGURES: Readonly<Record<string, readonly Figure[]>> = {
  'oracle.stale': [['Age', 'stale_age_s', duration]],
  'peg.depeg.start': DEPEG,
  'peg.depeg.end': DEPEG,
  'liquidity.utilization.spike': [
    ['Utilisation', 'utilization', percent],
    ['Threshold', 'threshold', percent],
  ],
  'liquidity.depth.collapse': [
    ['Depth', 'depth_usd', dollars],
    ['Median', 'median_usd', dollars],
  ],
  'risk.anomaly': ANOMALY,
  'mev.spike': ANOMALY,
  'risk.factor.breach': [
    ['Score', 'new_score', points],
    ['Threshold of a change', 'threshold', points],
  ],
  'mev.sandwich.large': [
    ['Extracted', 'extracted_usd', dollars],
    ['Threshold', 'threshold_usd', dollars],
  ],
};

function figuresOf({ type, data }: RiskEvent): readonly (readonly [string, string])[] {
  return (ownMember(FIGURES, type) ?? []).flatMap(([label, member, text]) => {
    const value = numberIn(data, member);
    return value === undefined ? [] : [[label, text(value)] as const];
  });
}
