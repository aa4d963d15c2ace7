// Which events a subscription takes, in addition to their types.
import { type RiskEvent, SEVERITIES } from '../../schemas/event.ts';
import { fieldFailure } from '../define/failure.ts';
import { isSubject, SUBJECT_KINDS } from '../define/filter-values.ts';
import type { WebhookFilters } from '../store/webhook-store.ts';
import { isClosing } from './messages/alert.ts';

/** The members of an event that filters read. */
export interface FilteredEvent {
  readonly type: string;
  readonly subject: string;
  readonly severity?: RiskEvent['severity'] | undefined;
  readonly chain?: string | null | undefined;
  readonly protocol?: string | null | undefined;
  readonly retracts_event_id?: string | undefined;
}

/**
 * What ends or takes back an event is sent whatever its severity, so that nothing stays open at the receiver. An unknown severity is not a
 * low one.
 */
export function isTaken(filters: WebhookFilters, event: FilteredEvent): boolean {
  const { min_severity, chains, protocols, subjects } = filters;
  const { severity, chain, protocol, subject } = event;
  if (subjects !== undefined && !subjects.includes(subject)) return false;
  if (chains !== undefined && !names(chains, chain)) return false;
  if (protocols !== undefined && !names(protocols, protocol)) return false;
  if (min_severity === undefined || severity === undefined || isClosing(event)) return true;
  return SEVERITIES.indexOf(severity) >= SEVERITIES.indexOf(min_severity);
}

/** Names are compared without case, as those of the list of events are. */
const names = (all: readonly string[], name: string | null | undefined): boolean =>
  typeof name === 'string' && all.some((one) => one.toLowerCase() === name.toLowerCase());

type GivenFilters = { readonly [Name in keyof WebhookFilters]?: WebhookFilters[Name] | null | undefined };
const MEMBERS = ['min_severity', 'protocols', 'chains', 'subjects'] as const;

/** The filters after a change: null takes one away. @throws Failure `validation_failed` for a subject that no event can have */
export function changedFilters(current: WebhookFilters, given: GivenFilters): WebhookFilters {
  const unknown = (given.subjects ?? []).find((subject) => !isSubject(subject));
  if (unknown !== undefined)
    throw fieldFailure(
      'subjects',
      `has ${JSON.stringify(unknown)}: a subject begins with ${SUBJECT_KINDS.join(', ')}, and a colon`,
    );
  const changed = { ...current, ...Object.fromEntries(MEMBERS.flatMap((name) => memberIn(given, name))) };
  return Object.fromEntries(Object.entries(changed).filter(([, value]) => value !== null));
}

const memberIn = (given: GivenFilters, name: (typeof MEMBERS)[number]) =>
  given[name] === undefined ? [] : [[name, given[name]] as const];
