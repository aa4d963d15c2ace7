// Which events a subscription holds back, and when they are sent together: at most one message about a subject in so many minutes unless the
// severity rises, and a digest when quiet hours end. What opens or closes an incident is never sent together with others, except in chats.
import type { Severity } from '../../schemas/event.ts';
import type { WebhookFormat } from '../../schemas/webhooks.ts';
import type {
  EventGroup,
  GroupChange,
  Grouping,
  HeldEvents,
  NewDelivery,
  QuietHours,
  WebhookRecord,
} from '../store/webhook-store.ts';
import type { FeedEvent } from './event-feed.ts';
import { hasEnd } from '../replies/story/course.ts';
import { isClosing } from './messages/alert.ts';
import { highest, rank, summaryOf } from './messages/summary.ts';
import { type QuietState, quietStateAt } from './quiet-hours.ts';
import { MAX_ATTEMPTS } from './retry.ts';

const MINUTE_MS = 60_000;

/** The groups of one subscription, by kind and name. */
type OwnGroups = ReadonlyMap<string, EventGroup>;
type GroupKey = Pick<EventGroup, 'kind' | 'name'>;
type Subscription = Pick<WebhookRecord, 'id' | 'format' | 'grouping' | 'quiet_hours'>;
type HeldEvent = Pick<
  FeedEvent,
  'id' | 'type' | 'subject' | 'severity' | 'chain' | 'protocol' | 'symbol' | 'ts' | 'retracts_event_id'
>;

const keyOf = ({ kind, name }: GroupKey): string => `${kind} ${name}`;

/** The groups of all subscriptions in memory, as in the store. They change by drafts, which are committed once they are stored. */
export class GroupBook {
  readonly #bySubscription = new Map<string, Map<string, EventGroup>>();
  readonly #quiet = new WeakMap<QuietHours, QuietState & { readonly since: number }>();

  constructor(groups: readonly EventGroup[]) {
    for (const group of groups) this.#put({ ...group, group });
  }

  get subscriptions(): Iterable<string> {
    return this.#bySubscription.keys();
  }

  groupsOf(id: string): OwnGroups {
    return this.#bySubscription.get(id) ?? NONE;
  }

  /** Remembers the answer for as long as it holds: it is asked for several times a second. */
  isQuiet(hours: QuietHours | null, nowMs: number): boolean {
    if (hours === null) return false;
    const known = this.#quiet.get(hours);
    if (known !== undefined && known.since <= nowMs && nowMs < known.until) return known.isQuiet;
    const state = quietStateAt(hours, nowMs);
    this.#quiet.set(hours, { ...state, since: nowMs });
    return state.isQuiet;
  }

  commit(changes: readonly GroupChange[]): void {
    for (const change of changes) this.#put(change);
  }

  /** The subscription is gone, and what it held in the store with it. */
  drop(id: string): void {
    this.#bySubscription.delete(id);
  }

  #put({ webhook_id: id, group, ...keyed }: GroupChange): void {
    const own = this.#bySubscription.get(id) ?? new Map<string, EventGroup>();
    if (group === null) own.delete(keyOf(keyed));
    else own.set(keyOf(keyed), group);
    if (own.size === 0) this.#bySubscription.delete(id);
    else this.#bySubscription.set(id, own);
  }
}

const NONE: OwnGroups = new Map();

/** Changes of the book that are not yet stored. Within a draft, every event sees the changes of those before it. */
export class GroupDraft {
  readonly #book: GroupBook;
  readonly #nowMs: number;
  readonly #asOfMs: number | undefined;
  readonly #changes = new Map<string, GroupChange>();

  /** `asOfMs`: time of the newest version, for links to the events that a summary counts. */
  constructor(book: GroupBook, nowMs: number, asOfMs: number | undefined) {
    this.#book = book;
    this.#nowMs = nowMs;
    this.#asOfMs = asOfMs;
  }

  get changes(): readonly GroupChange[] {
    return [...this.#changes.values()];
  }

  get size(): number {
    return this.#changes.size;
  }

  /** Returns false if the event is sent for itself now. */
  holds(subscription: Subscription, event: HeldEvent): boolean {
    const { format, grouping, quiet_hours: quiet } = subscription;
    if (grouping === null && quiet === null) return false;
    const isAlone = !isChat(format) && opensOrCloses(event);
    if (this.#book.isQuiet(quiet, this.#nowMs) && !isSent(quiet?.always_send, event.severity)) {
      // Closing an incident wakes no one, and it may have been opened before.
      if (isAlone && isClosing(event)) return false;
      this.#hold(subscription.id, isAlone ? 'single' : 'quiet', event);
      return true;
    }
    return grouping !== null && !isAlone && this.#isGrouped(subscription, grouping, event);
  }

  /** An event that is more severe than all that was sent in its window is not held back. */
  #isGrouped(subscription: Subscription, grouping: Grouping, event: HeldEvent): boolean {
    const window = this.#group(subscription.id, { kind: 'window', name: event.subject });
    const severity = event.severity ?? null;
    if (window === undefined || (window.held === null && hasEnded(window, grouping, this.#nowMs))) {
      this.#openWindow(subscription, event.subject, severity);
      return false;
    }
    const isRise = rank(severity) > rank(window.severity);
    if (isRise) this.#put({ ...window, severity });
    else this.#hold(subscription.id, 'window', event, window);
    return !isRise;
  }

  /** What is due to be sent, at most about `limit` deliveries. */
  due(subscription: Subscription, limit: number): readonly NewDelivery[] {
    const groups = this.#book.groupsOf(subscription.id).values();
    const rows: NewDelivery[] = [];
    for (const group of groups) {
      if (rows.length >= limit) return rows;
      if (group.kind === 'window') rows.push(...this.#windowDue(subscription, group));
    }
    return this.#book.isQuiet(subscription.quiet_hours, this.#nowMs)
      ? rows
      : [...rows, ...this.#quietDue(subscription)];
  }

  /** Everything that is held, for a subscription that is no longer active. */
  released(subscription: Subscription): readonly NewDelivery[] {
    return this.due({ ...subscription, grouping: null, quiet_hours: null }, Number.POSITIVE_INFINITY);
  }

  #windowDue(subscription: Subscription, window: EventGroup): readonly NewDelivery[] {
    const { id, grouping, quiet_hours: quiet } = subscription;
    const { held } = window;
    if (grouping !== null && !hasEnded(window, grouping, this.#nowMs)) return [];
    if (held === null) this.#change({ ...window, group: null });
    else if (this.#book.isQuiet(quiet, this.#nowMs) && !isSent(quiet?.always_send, held.severity)) {
      const found = this.#group(id, { kind: 'quiet', name: window.name });
      const all = found?.held ? merged(held, found.held) : held;
      this.#put({ webhook_id: id, kind: 'quiet', name: window.name, ...NO_WINDOW, held: all });
      this.#change({ ...window, group: null });
    } else {
      if (grouping === null) this.#change({ ...window, group: null });
      else this.#openWindow(subscription, window.name, held.severity);
      return [this.#summary(id, [held], 'summary')];
    }
    return [];
  }

  /** One digest of everything, and each single event for itself, in the order of the log. */
  #quietDue({ id }: Subscription): readonly NewDelivery[] {
    const inDraft = [
      ...this.#book.groupsOf(id).values(),
      ...this.changes.flatMap(({ group }) => group ?? []),
    ];
    const byKey = new Map(inDraft.map((group) => [keyOf(group), group]));
    const over = [...byKey.values()].filter(({ kind }) => kind !== 'window');
    const heldBy = (kind: EventGroup['kind']) =>
      over.flatMap((group) => (group.kind === kind && group.held !== null ? [group.held] : []));
    for (const group of over) this.#change({ ...group, group: null });
    const [digested, singles] = [heldBy('quiet'), heldBy('single')];
    return [
      ...singles
        .toSorted((a, b) => (a.first_event_id < b.first_event_id ? -1 : 1))
        .map((held) => this.#single(id, held)),
      ...(digested.length === 0 ? [] : [this.#summary(id, digested, 'digest')]),
    ];
  }

  #openWindow({ id, grouping }: Subscription, name: string, severity: Severity | null): void {
    const ends_ms = this.#nowMs + (grouping?.minutes ?? 0) * MINUTE_MS;
    this.#put({ webhook_id: id, kind: 'window', name, ends_ms, severity, held: null });
  }

  #hold(
    id: string,
    kind: EventGroup['kind'],
    event: HeldEvent,
    { ends_ms, severity }: Pick<EventGroup, 'ends_ms' | 'severity'> = NO_WINDOW,
  ): void {
    const name = kind === 'single' ? event.id : event.subject;
    const held = this.#group(id, { kind, name })?.held;
    const own = heldEvent(event);
    this.#put({ webhook_id: id, kind, name, ends_ms, severity, held: held ? merged(held, own) : own });
  }

  #group(id: string, keyed: GroupKey): EventGroup | undefined {
    const change = this.#changes.get(`${id} ${keyOf(keyed)}`);
    return change === undefined ? this.#book.groupsOf(id).get(keyOf(keyed)) : (change.group ?? undefined);
  }

  #put(group: EventGroup): void {
    this.#change({ ...group, group });
  }

  #change({ webhook_id, kind, name, group }: GroupChange): void {
    this.#changes.set(`${webhook_id} ${keyOf({ kind, name })}`, { webhook_id, kind, name, group });
  }

  #summary(id: string, held: readonly HeldEvents[], kind: 'summary' | 'digest'): NewDelivery {
    const summary = summaryOf(kind, held, { id, asOfMs: this.#asOfMs });
    return {
      ...this.#delivery(id),
      event_id: summary.event_id,
      event_type: summary.type,
      subject_id: summary.subject_id,
      body: Buffer.from(JSON.stringify(summary)),
    };
  }

  #single(id: string, { first_event_id, last_type, subject_id }: HeldEvents): NewDelivery {
    return {
      ...this.#delivery(id),
      event_id: first_event_id,
      event_type: last_type,
      subject_id,
      body: null,
    };
  }

  #delivery(id: string) {
    const created_ms = this.#nowMs;
    return { webhook_id: id, origin: 'group', most_attempts: MAX_ATTEMPTS, created_ms } as const;
  }
}

const isChat = (format: WebhookFormat): boolean =>
  format === 'slack' || format === 'discord' || format === 'telegram' || format === 'teams';

const opensOrCloses = (event: HeldEvent): boolean => hasEnd(event.type) || isClosing(event);

const NO_WINDOW = { ends_ms: null, severity: null } as const;

/** An unknown severity is not a low one. */
const isSent = (always: readonly Severity[] = [], severity: Severity | null | undefined): boolean =>
  always.length > 0 && (severity === undefined || severity === null || always.includes(severity));

/** If the clock was set back, a window is never longer than one that opens now. */
const hasEnded = ({ ends_ms }: EventGroup, { minutes }: Grouping, nowMs: number): boolean =>
  ends_ms === null || nowMs >= ends_ms || ends_ms - nowMs > minutes * MINUTE_MS;

const heldEvent = (event: HeldEvent): HeldEvents => ({
  subject_id: event.subject,
  chain: event.chain ?? null,
  protocol: event.protocol ?? null,
  symbol: event.symbol ?? null,
  count: 1,
  types: { [event.type]: 1 },
  severity: event.severity ?? null,
  first_event_id: event.id,
  last_event_id: event.id,
  last_type: event.type,
  from: event.ts,
  to: event.ts,
});

/** Of one subject. */
function merged(one: HeldEvents, other: HeldEvents): HeldEvents {
  const [first, last] = one.first_event_id <= other.first_event_id ? [one, other] : [other, one];
  const types = { ...one.types };
  for (const [type, count] of Object.entries(other.types)) types[type] = (types[type] ?? 0) + count;
  return {
    ...last,
    count: one.count + other.count,
    types,
    severity: highest(one.severity, other.severity),
    first_event_id: first.first_event_id,
    from: one.from < other.from ? one.from : other.from,
    to: one.to > other.to ? one.to : other.to,
  };
}
