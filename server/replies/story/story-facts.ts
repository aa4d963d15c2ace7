// What a story is made of: the event, and what is published about its subject, its rules and what followed. Everything but the event may
// be unknown.
import type { RiskEvent } from '../../../schemas/event.ts';
import { list, readableName, short, textIn } from './story-text.ts';

export interface RuleValue {
  readonly name: string;
  readonly value: number;
  readonly unit: string | null;
}

/** The condition that an event began, as published. */
export interface StoryCondition {
  readonly unit: string | null;
  readonly value_now: number | null;
  readonly now_at: string | null;
  /** The rules in force for its subject, by short names such as `enter`. */
  readonly rule: readonly RuleValue[];
}

/** A version without an open condition that an event began. */
export interface Absence {
  /** Time of its conditions. */
  readonly as_of: string;
  /** Why it cannot say whether the condition has ended; null if it can. */
  readonly doubt: string | null;
  /** The subject or what it is found from is held back. */
  readonly isHeld: boolean;
}

/** The events that belong together with one event: one depeg, one silence of a feed, one anomaly. */
export interface Course {
  /** The first event; null if it is not in the part of the log that was read. */
  readonly start: RiskEvent | null;
  /** Later events of it that are more severe than all before, oldest first. */
  readonly escalations: readonly RiskEvent[];
  readonly end: RiskEvent | null;
  readonly recovery: RiskEvent | null;
}

export interface StoryFacts {
  readonly event: RiskEvent;
  /** Display names of feeds, markets and vaults, by address. */
  readonly names: Readonly<Record<string, string>>;
  /** The rules that decided, by their names in the policy; empty if unknown. */
  readonly rules: readonly RuleValue[];
  readonly course: Course;
  /** The open condition that it began; null if there is none; undefined if that is unknown. */
  readonly condition: StoryCondition | null | undefined;
  /** That no such condition is open; null if one is, or if events of this type begin none. */
  readonly absence: Absence | null;
  /** The event that retracted this one. */
  readonly retraction: RiskEvent | null;
  /** The event that this one retracts, if it is a retraction and that event is known. */
  readonly retracted: RiskEvent | null;
  /** Unit of the prices of a pegged asset. */
  readonly quote: string | null;
  /** Heartbeat of the feed in seconds. */
  readonly heartbeat_s: number | null;
  /** First valid answer of a late feed after the event, Unix seconds; null if none is known. */
  readonly answered_at: number | null;
}

export const ruleOf = ({ rules }: Pick<StoryFacts, 'rules'>, name: string): number | undefined =>
  rules.find((rule) => rule.name === name)?.value;

/** The display name of an address or id; the shortened id if it has none. */
export const nameOf = ({ names }: Pick<StoryFacts, 'names'>, id: string): string => names[id] ?? short(id);

export const onChain = ({ chain, data }: RiskEvent): string => {
  const name = chain ?? textIn(data, 'chain');
  return name === undefined || name === '' ? '' : ` on ${name}`;
};

/** What the event is about, in words: the name, and the chain. */
export function subjectOf(facts: StoryFacts): string {
  const { event } = facts;
  const [resource = '', ...parts] = event.subject_id.split(':');
  // Of yields and anomalies the id has no chain of its own.
  const own = parts.length > 1 && !['risk', 'anomaly'].includes(resource) ? parts.slice(1) : parts;
  const symbol = textIn(event.data, 'asset_symbol');
  if (resource === 'peg') return `${symbol ?? list(own)}${onChain(event)}`;
  return `${nameOf(facts, own[0] ?? event.subject_id)}${onChain(event)}`;
}

/** A member of an event that names a kind, such as `liquid_staking`. */
export const kindIn = (event: RiskEvent, name: string): string | undefined => {
  const text = textIn(event.data, name);
  return text === undefined ? undefined : readableName(text);
};
