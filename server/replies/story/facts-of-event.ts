// Reads what is published about an event for its story: names, the events that belong to it, the condition that it began, and figures of the
// registries. What the caller may not see, or no version has, is left unknown.

import { ulidMs } from '../../../platform/base/ulid.ts';
import { UNCOMPARED } from '../../../schemas/changes.ts';
import type { Condition } from '../../../schemas/conditions.ts';
import type { RiskEvent } from '../../../schemas/event.ts';
import { datasetsAsOf, type Manifest } from '../../../snapshots/layout.ts';
import type { Services } from '../../services.ts';
import type { ConditionsOfVersion } from '../condition-changes.ts';
import { conditionsAt } from '../condition-inputs.ts';
import type { LogView } from '../event-log-view.ts';
import { namesOfKeys } from '../subject-names.ts';
import { courseOf, courseTypes } from './course.ts';
import type { Absence, RuleValue, StoryFacts } from './story-facts.ts';
import { secondsOf, textIn } from './story-text.ts';

/** Events of one subject and kind that are read on either side of an event. */
const MAX_RELATED = 500;

export interface StoryRequest {
  readonly event: RiskEvent;
  readonly view: LogView;
  readonly manifest: Manifest;
  readonly rules: readonly RuleValue[];
}

export async function factsOfEvent(services: Services, request: StoryRequest): Promise<StoryFacts> {
  const { event, view, manifest, rules } = request;
  const related = await relatedEvents(services, event, view);
  const isSeen = ({ ts }: RiskEvent) => secondsOf(ts) >= view.from && secondsOf(ts) <= view.to;
  const course = courseOf(event, related.filter(isSeen));
  const isRetracting = (one: RiskEvent) => one.retracts_event_id === event.event_id;
  const document = (dataset: string, key: string) => rowOf(services, manifest, dataset, key);
  const [resource = '', chain = '', ...name] = event.subject_id.split(':');
  const peg = resource === 'peg' ? await document('pegs', `${chain}|${name.join(':')}`) : undefined;
  const feed = resource === 'oracle' ? await document('feeds', `${chain}|${name[0]}`) : undefined;
  return {
    event,
    names: await namesIn(services, event, manifest),
    rules,
    course,
    ...whatIsOpen(await conditionsAt(services, manifest), { manifest, events: [event, ...eventsOf(course)] }),
    retraction: related.find(isRetracting) ?? null,
    retracted: await retractedBy(services, event, view),
    quote: textOrNull(peg?.['quote']),
    answered_at: null,
    heartbeat_s: typeof feed?.['heartbeat_s'] === 'number' ? feed['heartbeat_s'] : null,
  };
}

const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null);

const eventsOf = ({ start, escalations }: StoryFacts['course']): readonly RiskEvent[] =>
  start === null ? escalations : [start, ...escalations];

/** Retractions of an event are not delayed, so that nothing that was taken back is shown as true. */
async function relatedEvents(
  { replay }: Services,
  event: RiskEvent,
  { from, upTo }: LogView,
): Promise<readonly RiskEvent[]> {
  const second = secondsOf(event.ts);
  const search = {
    types: new Set(courseTypes(event.type)),
    subject: event.subject_id,
    names: {},
    limit: MAX_RELATED,
  };
  const [before, after] = await Promise.all([
    replay.search({ ...search, from, to: second, isNewestFirst: true }, { upTo }),
    replay.search({ ...search, from: second, to: Number.POSITIVE_INFINITY, isNewestFirst: false }, { upTo }),
  ]);
  const all = [...before.events, ...after.events].map(({ id, bytes }) => [id, parsed(bytes)] as const);
  return [...new Map(all).values()];
}

const parsed = (bytes: Buffer): RiskEvent => JSON.parse(bytes.toString()) as RiskEvent;

/** The retracted event repeats nothing that its retraction does not show, so it needs no other permission. */
async function retractedBy(
  { replay }: Services,
  { retracts_event_id: id }: RiskEvent,
  { upTo }: LogView,
): Promise<RiskEvent | null> {
  if (id === undefined || id > (upTo ?? id)) return null;
  const bytes = await replay.envelope(id);
  return bytes === undefined ? null : parsed(bytes);
}

async function rowOf(
  { versions }: Services,
  manifest: Manifest,
  dataset: string,
  key: string,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const bytes = (await versions.datasetOf(dataset, manifest))?.documents.get(key);
  return bytes === undefined
    ? undefined
    : (JSON.parse(bytes.toString()) as Readonly<Record<string, unknown>>);
}

/** Names by address of everything that the event mentions, and of its yield by the id of that. */
async function namesIn(
  services: Services,
  event: RiskEvent,
  manifest: Manifest,
): Promise<Readonly<Record<string, string>>> {
  const chain = event.chain ?? textIn(event.data, 'chain') ?? '';
  const { params } = event.data;
  const values = [event.data, typeof params === 'object' && params !== null ? params : {}].flatMap(
    Object.values,
  );
  const ids = [...event.subject_id.split(':'), ...values].filter(
    (value): value is string => typeof value === 'string' && /^0x[0-9a-f]+$/i.test(value),
  );
  const keys = [...new Set(ids)].map((id) => [`${chain}|${id}`, id] as const);
  const names = await namesOfKeys(services, keys, manifest);
  const opportunity = textIn(event.data, 'opportunity_id');
  const row = opportunity && (await rowOf(services, manifest, 'yield-opportunities', opportunity));
  const name = row ? textOrNull(row['name']) : null;
  return opportunity === undefined || name === null ? names : { ...names, [opportunity]: name };
}

/** Types of events that begin a condition. */
const BEGINNINGS: ReadonlySet<string> = new Set([
  'peg.depeg.start',
  'oracle.stale',
  'oracle.feed.invalid',
  'liquidity.utilization.spike',
  'liquidity.depth.collapse',
  'oracle.assumption.broken',
  'vault.liquidity.low',
]);

/** The open condition that one of the events began, or what it means that there is none. The event itself comes first. */
function whatIsOpen(
  open: ConditionsOfVersion,
  { manifest, events }: { readonly manifest: Manifest; readonly events: readonly RiskEvent[] },
): Pick<StoryFacts, 'condition' | 'absence'> {
  const all = open.conditions === null ? undefined : [...open.conditions.values()];
  const ids = new Set(events.map(({ event_id }) => event_id));
  const condition = all?.find(({ event_id }) => event_id !== null && ids.has(event_id));
  if (condition !== undefined) return { condition, absence: null };
  const [event] = events;
  const isBeginning = event !== undefined && BEGINNINGS.has(event.type);
  return {
    condition: all === undefined ? undefined : null,
    absence: isBeginning ? absenceOf(event, { open, manifest }) : null,
  };
}

function absenceOf(
  { type, subject_id, data, event_id }: RiskEvent,
  { open, manifest }: { readonly open: ConditionsOfVersion; readonly manifest: Manifest },
): Absence {
  const as_of = datasetsAsOf(manifest);
  const isLater = Math.floor(ulidMs(event_id) / 1_000) > open.asOf;
  const isUnnamed = (one: Condition) =>
    one.type === type && one.subject_id === subject_id && one.event_id === null;
  const doubt = open.doubtOf({ type, subject_id, symbols: [textIn(data, 'asset_symbol') ?? ''] });
  if (doubt !== undefined) {
    const isHeld = doubt.reason === 'held_back';
    return { as_of, isHeld, doubt: `${UNCOMPARED[doubt.reason]} (${doubt.dataset})` };
  }
  const why =
    open.conditions === null
      ? 'the list of conditions is not published or held back'
      : isLater
        ? 'conditions of its time are not published yet'
        : [...open.conditions.values()].some(isUnnamed)
          ? 'a condition of the same subject is open, and which event began it is not known'
          : null;
  return { as_of, isHeld: false, doubt: why };
}
