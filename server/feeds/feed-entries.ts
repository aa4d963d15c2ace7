// The entries of a feed: events as a reader without a key sees them, each with its sentence, its figures and one link that reproduces it.

import { oncePer } from '../../platform/base/once-per.ts';
import { isoOf } from '../../platform/base/time.ts';
import { ulidMs } from '../../platform/base/ulid.ts';
import type { RiskEvent } from '../../schemas/event.ts';
import type { Manifest } from '../../snapshots/layout.ts';
import { rulesOfEvent } from '../replies/rule-meanings.ts';
import { factsOfEvent } from '../replies/story/facts-of-event.ts';
import type { StoryFacts } from '../replies/story/story-facts.ts';
import { readableName, secondsOf } from '../replies/story/story-text.ts';
import type { Services } from '../services.ts';
import { type Alert, alertOf } from '../webhooks/messages/alert.ts';
import type { FeedFilters, FeedScope } from './feed-filters.ts';

/**
 * `retracted`: what it reported did not happen; `corrected`: a newer version of the rules reads the fact as another event. `retraction` and
 * `correction` are the events that say so.
 */
export type EntryState = 'event' | 'retracted' | 'corrected' | 'retraction' | 'correction';

export interface FeedEntry {
  /** Id of the event. */
  readonly id: string;
  readonly title: string;
  /** The evidence, as of the first version that shows everything that the entry states. */
  readonly url: string;
  /** ISO 8601: when the condition became true, and when the entry last changed. */
  readonly published: string;
  readonly updated: string;
  readonly state: EntryState;
  readonly alert: Alert;
  readonly retracts_event_id: string | undefined;
}

export interface EntryRequest extends FeedScope {
  readonly filters: FeedFilters;
  readonly limit: number;
  /** Address of the service, without a trailing slash. */
  readonly origin: string;
}

/** Newest first. */
export async function feedEntries(services: Services, request: EntryRequest): Promise<readonly FeedEntry[]> {
  const { view, manifest, filters, limit, origin } = request;
  const { type: types, subject, severity, chain, protocol } = filters;
  const search = {
    types,
    subject,
    names: { severity, chain, protocol },
    from: view.from,
    to: view.to,
    isNewestFirst: true,
    limit,
  };
  const { events } = await services.replay.search(search, { upTo: view.upTo });
  const times = await versionTimes(services);
  const entries: FeedEntry[] = [];
  for (const { bytes } of events) {
    const event = JSON.parse(bytes.toString()) as RiskEvent;
    const { rules } = await rulesOfEvent(services, event);
    const facts = await factsOfEvent(services, { event, view, manifest, rules });
    const as_of = reproducedAt(facts, { times, delayMs: view.delay_seconds * 1_000, manifest });
    entries.push(entryOf(facts, { origin, as_of }));
  }
  return entries;
}

export function entryOf(
  facts: StoryFacts,
  { origin, as_of }: { readonly origin: string; readonly as_of: string },
): FeedEntry {
  const { event, retraction, course } = facts;
  const alert = alertOf(facts, origin);
  const state = stateOf(facts);
  const changes = [event, retraction, course.end].flatMap((one) => (one === null ? [] : one.ts));
  return {
    id: event.event_id,
    title: `${labelOf(state, event)}: ${alert.name}, ${readableName(event.type)}`,
    url: `${alert.links.evidence}?as_of=${encodeURIComponent(as_of)}`,
    published: event.ts,
    updated: changes.reduce((a, b) => (secondsOf(a) > secondsOf(b) ? a : b)),
    state,
    alert,
    retracts_event_id: event.retracts_event_id,
  };
}

function stateOf({ event, retraction }: StoryFacts): EntryState {
  if (event.retracts_event_id !== undefined) return isReclassified(event) ? 'correction' : 'retraction';
  if (retraction === null) return 'event';
  return isReclassified(retraction) ? 'corrected' : 'retracted';
}

const isReclassified = ({ data: { retraction } }: RiskEvent): boolean =>
  typeof retraction === 'object' &&
  retraction !== null &&
  'reason' in retraction &&
  retraction.reason === 'reclassified';

const LABELS: Readonly<Record<EntryState, string>> = {
  event: 'Event',
  retracted: 'Retracted',
  corrected: 'Corrected',
  retraction: 'Retraction',
  correction: 'Correction',
};

function labelOf(state: EntryState, { severity }: RiskEvent): string {
  if (state !== 'event' || severity === undefined) return LABELS[state];
  return severity.charAt(0).toUpperCase() + severity.slice(1);
}

/**
 * The time of the first kept version that shows the event, its end and its retraction to a reader without a key. It does not change with
 * later versions, so neither does the entry.
 */
export function reproducedAt(
  { event, retraction, course: { end } }: Pick<StoryFacts, 'event' | 'retraction' | 'course'>,
  {
    times,
    delayMs,
    manifest,
  }: {
    /** Unix milliseconds of the kept versions, oldest first. */
    readonly times: readonly number[];
    readonly delayMs: number;
    /** The version that the feed shows. */
    readonly manifest: Manifest;
  },
): string {
  const shown = [event, end].flatMap((one) => (one === null ? [] : one));
  const logged = [...shown, retraction].flatMap((one) => (one === null ? [] : ulidMs(one.event_id)));
  const wanted = Math.max(...logged, ...shown.map(({ ts }) => Date.parse(ts) + delayMs));
  const latest = Date.parse(manifest.as_of);
  const first = times.find((time) => time >= Math.floor(wanted / 1_000) * 1_000 && time <= latest);
  return first === undefined ? manifest.as_of : isoOf(first / 1_000);
}

const rememberedTimes = oncePer((_: Manifest): { times?: readonly number[] } => ({}));

/** Listing all kept versions reads a folder for each, so it is done once per served version. */
async function versionTimes(services: Services): Promise<readonly number[]> {
  const manifest = services.versions.current?.manifest;
  if (manifest === undefined) return [];
  const remembered = rememberedTimes(manifest);
  remembered.times ??= (await services.datasets.kept()).map(({ as_of }) => Date.parse(as_of)).toReversed();
  return remembered.times;
}
