// Every event type, in the order of the families.
import type { EventSample, EventType } from './event.ts';
import { FAMILIES } from './families.ts';

export const EVENT_CATALOGUE: readonly EventType[] = Object.freeze(
  FAMILIES.flatMap(({ EVENTS = [] }) => EVENTS),
);

export const EVENT_TYPES: readonly string[] = EVENT_CATALOGUE.map(({ type }) => type);

/** A made-up event of every type, by type. */
export const SAMPLES: Readonly<Record<string, EventSample>> = Object.fromEntries(
  EVENT_CATALOGUE.map(({ type, sample }) => [type, sample]),
);
