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
const rank = (severity: Severity | null): number =>
  severity === null ? SEVERITIES.length : SEVERITIES.indexOf(severity);

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
  const subject = held.length === 1 ? last.subject_id : undefined;
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
  const { count, from, to, subjects, subjects_count: all } = data;
  const nameOf = (index: number) => {
    const { subject_id = '', chain, asset_symbol } = subjects[index] ?? {};
    // The chain is also looked for in the data.
    const event = { ...facts.event, subject_id, data: { chain, asset_symbol } };
    return subjectOf({ ...facts, event });
  };
  const subject = all === 1 ? nameOf(0) : `${number(all)} subjects`;
  const isSummary = type === SUMMARY_TYPES.summary;
  return {
    event_id,
    type,
    condition: `${type}/${subject_id}`,
    kind: type,
    action: 'trigger',
    hasEnd: false,
    name: isSummary ? `${subject}, ${events(count)}` : `Quiet hours: ${events(count)} about ${subject}`,
    subject_id,
    chain,
    protocol,
    severity,
    sentence: [
      `${events(count)} about ${subject} between ${moment(from)} and ${moment(to)}`,
      `: ${list(Object.entries(data.types).map(([one, times]) => `${number(times)} ${one}`))}.`,
      isSummary ? '' : ` ${subjectList(data, nameOf)}`,
    ].join(''),
    doubts: [],
    figures: [
      ['Events', number(count)],
      ...(isSummary ? [] : [['Subjects', number(all)] as const]),
      ['First', moment(from)],
      ['Last', moment(to)],
      ['Last event', data.last_type],
    ],
    ts,
    since: from,
    isTest: false,
    links: {
      page: `${base}${data.events.replace('/v2/events', '/events')}`,
      evidence: `${base}${data.events}`,
    },
  };
}

const events = (count: number): string => (count === 1 ? '1 event' : `${number(count)} events`);

function subjectList(
  { subjects, subjects_count: all }: WebhookSummary['data'],
  nameOf: (index: number) => string,
): string {
  const texts = subjects.map(
    ({ count, severity }, index) => `${nameOf(index)} (${number(count)}, ${severity ?? 'severity unknown'})`,
  );
  const rest = all - subjects.length;
  return `${rest === 0 ? texts.join(', ') : `${texts.join(', ')} and ${number(rest)} more`}.`;
}
