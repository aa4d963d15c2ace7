// Several events as one message: counts, the highest severity, and the list of the events to look up. The envelope is what `standard`
// receivers get; chat and paging products get it as an alert.
import { SEVERITIES, type Severity } from '../../../schemas/event.ts';
import { LIMITS } from '../../../schemas/plans.ts';
import { SUMMARY_TYPES, type WebhookSummary } from '../../../schemas/webhooks.ts';
import { type StoryFacts, subjectOf } from '../../replies/story/story-facts.ts';
import { list, moment, number } from '../../replies/story/story-text.ts';
import type { HeldEvents } from '../../store/webhook-store.ts';
import type { Alert } from './alert.ts';

/** The higher one; null if one is unknown. */
export const highest = (one: Severity | null, other: Severity | null): Severity | null =>
  one === null || other === null ? null : rank(one) > rank(other) ? one : other;

/** An unknown severity is not a low one. */
export const rank = (severity: Severity | null | undefined): number =>
  severity === null || severity === undefined ? SEVERITIES.length : SEVERITIES.indexOf(severity);

/** `held`: at least one, each of another subject. `asOfMs`: time of the newest version. */
export function summaryOf(
  kind: keyof typeof SUMMARY_TYPES,
  held: readonly HeldEvents[],
  { id, asOfMs }: { readonly id: string; readonly asOfMs: number | undefined },
): WebhookSummary {
  const order = held.toSorted((a, b) => rank(b.severity) - rank(a.severity) || b.count - a.count);
  const last = held.reduce((one, other) => (other.last_event_id > one.last_event_id ? other : one));
  const severity = held.map((one) => one.severity).reduce(highest);
  const isSummary = kind === 'summary';
  const counts = typeCounts(held);
  const first_event_id = least(held.map((one) => one.first_event_id));
  const [from, to] = [least(held.map((one) => one.from)), greatest(held.map((one) => one.to))];
  const subject = held.length === 1 && isShort(last.subject_id) ? last.subject_id : undefined;
  return {
    event_id: first_event_id,
    type: SUMMARY_TYPES[kind],
    ...optional('severity', severity),
    ...(isSummary ? { ...optional('chain', last.chain), ...optional('protocol', last.protocol) } : {}),
    subject_id: isSummary ? last.subject_id : `webhook:${id}`,
    ts: to,
    data: {
      count: held.reduce((sum, { count }) => sum + count, 0),
      from,
      to,
      first_event_id,
      last_event_id: last.last_event_id,
      last_type: last.last_type,
      types: counts,
      subjects: order.slice(0, LIMITS.webhook_summary_subjects).map((one) => ({
        subject_id: one.subject_id,
        count: one.count,
        ...optional('severity', one.severity),
        ...optional('chain', one.chain),
        ...optional('asset_symbol', one.symbol),
      })),
      subjects_count: held.length,
      events: `/v2/events?${queryOf({ types: Object.keys(counts), subject, from, to, asOfMs })}`,
    },
  };
}

const optional = <Name extends string, Value>(name: Name, value: Value | null) =>
  (value === null ? {} : { [name]: value }) as { readonly [Key in Name]?: Value };

const least = (texts: readonly string[]): string => texts.reduce((one, other) => (other < one ? other : one));
const greatest = (texts: readonly string[]): string =>
  texts.reduce((one, other) => (other > one ? other : one));

/** Most frequent first. */
function typeCounts(held: readonly HeldEvents[]): Record<string, number> {
  const counts = new Map<string, number>();
  for (const { types } of held)
    for (const [type, count] of Object.entries(types)) counts.set(type, (counts.get(type) ?? 0) + count);
  return Object.fromEntries([...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)));
}

/** Products cut off long links: a longer subject is left out of them, and then the list has events of others too. */
const MAX_LINKED_CHARACTERS = 800;
const isShort = (subject: string): boolean =>
  encodeURIComponent(subject.toWellFormed()).length <= MAX_LINKED_CHARACTERS;

/** The page of events takes the same parameters as the list. */
function queryOf(search: {
  readonly types: readonly string[];
  readonly subject: string | undefined;
  readonly from: string;
  readonly to: string;
  readonly asOfMs: number | undefined;
}): string {
  const { types, subject, from, to, asOfMs } = search;
  return String(
    new URLSearchParams({
      ...(subject === undefined ? {} : { subject }),
      type: types.join(','),
      from,
      to,
      ...(asOfMs === undefined ? {} : { as_of: new Date(asOfMs).toISOString() }),
      order: 'asc',
    }),
  );
}

/** `facts`: with the names of the subjects. `base`: address of the service, without a trailing slash. */
export function alertOfSummary(summary: WebhookSummary, facts: StoryFacts, base: string): Alert {
  const { event_id, type, subject_id, severity, chain, protocol, ts, data } = summary;
  const names = data.subjects.map((one) => nameOf(one, facts));
  const subject =
    data.subjects_count === 1 ? (names[0] ?? subject_id) : `${number(data.subjects_count)} subjects`;
  const isSummary = type === SUMMARY_TYPES.summary;
  const count = data.count === 1 ? '1 event' : `${number(data.count)} events`;
  return {
    event_id,
    type,
    condition: `${type}/${subject_id}`,
    kind: type,
    action: 'trigger',
    hasEnd: false,
    name: isSummary ? `${subject}, ${count}` : `Quiet hours: ${count} about ${subject}`,
    subject_id,
    chain,
    protocol,
    severity,
    sentence: sentenceOf(data) + (isSummary ? '' : ` ${subjectList(data, names)}`),
    doubts: [],
    figures: [
      ['Events', number(data.count)],
      ...(isSummary ? [] : [['Subjects', number(data.subjects_count)] as const]),
      ['First', moment(data.from)],
      ['Last', moment(data.to)],
      ['Last event', data.last_type],
    ],
    ts,
    since: data.from,
    isTest: false,
    links: {
      page: `${base}${data.events.replace('/v2/events', '/events')}`,
      evidence: `${base}${data.events}`,
    },
  };
}

type SummaryData = WebhookSummary['data'];

function nameOf(
  { subject_id, chain, asset_symbol }: SummaryData['subjects'][number],
  facts: StoryFacts,
): string {
  // The chain is also looked for in the data.
  const event = { ...facts.event, subject_id, data: { chain, asset_symbol } };
  return subjectOf({ ...facts, event });
}

function sentenceOf({ from, to, types }: SummaryData): string {
  const time = moment(from) === moment(to) ? `At ${moment(to)}` : `Between ${moment(from)} and ${moment(to)}`;
  return `${time}: ${list(Object.entries(types).map(([type, count]) => `${number(count)} ${type}`))}.`;
}

function subjectList({ subjects, subjects_count }: SummaryData, names: readonly string[]): string {
  const texts = subjects.map(
    ({ count, severity }, index) => `${names[index]} (${number(count)}, ${severity ?? 'severity unknown'})`,
  );
  const rest = subjects_count - subjects.length;
  return `${texts.join(', ')}${rest === 0 ? '' : ` and ${number(rest)} more`}.`;
}
