// The events that a stream client wants. Clients with the same filter form one group for sending.

import { parameterFailure } from '../define/failure.ts';
import { foldAddresses } from '../../platform/base/fold-addresses.ts';

/** Undefined means no restriction. Addresses, chain and protocol are in lower case. */
export interface EventFilter {
  readonly types: ReadonlySet<string> | undefined;
  readonly severities: ReadonlySet<string> | undefined;
  readonly subject: string | undefined;
  readonly chain: string | undefined;
  readonly protocol: string | undefined;
}

/** The parts of an envelope that a filter checks. */
export interface EventFacts {
  readonly type: string;
  readonly severity?: string | undefined;
  readonly subject_id: string;
  readonly chain?: string | undefined;
  readonly protocol?: string | undefined;
}

/** An event without a severity, chain or protocol passes no filter on that field. */
export function passes(filter: EventFilter, event: EventFacts): boolean {
  const { types, severities, subject, chain, protocol } = filter;
  return (
    (types === undefined || types.has(event.type)) &&
    (subject === undefined || subject === foldAddresses(event.subject_id)) &&
    (severities === undefined || severities.has(event.severity ?? '')) &&
    (chain === undefined || chain === event.chain?.toLowerCase()) &&
    (protocol === undefined || protocol === event.protocol?.toLowerCase())
  );
}

/** Equal for filters that pass the same events. */
export const filterKey = ({ types, severities, subject, chain, protocol }: EventFilter): string =>
  JSON.stringify([sorted(types), sorted(severities), subject ?? 0, chain ?? 0, protocol ?? 0]);

const sorted = (names: ReadonlySet<string> | undefined) => (names === undefined ? 0 : [...names].sort());

/** @throws Failure `validation_failed` for an empty list */
export function parseList(field: string, text: string | undefined): ReadonlySet<string> | undefined {
  if (text === undefined) return undefined;
  const names = text.split(',').map((name) => name.trim());
  if (names.includes('')) throw parameterFailure(field, 'contains an empty name');
  return new Set(names);
}
