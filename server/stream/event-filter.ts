// Which events a client of the stream wants. Two clients with the same filter are one group to whoever sends.

import { parameterFailure } from '../define/failure.ts';
import { foldAddresses } from '../define/fold-addresses.ts';

/** Undefined: whatever it is. Addresses, chain and protocol in lower case. */
export interface EventFilter {
  readonly types: ReadonlySet<string> | undefined;
  readonly severities: ReadonlySet<string> | undefined;
  readonly subject: string | undefined;
  readonly chain: string | undefined;
  readonly protocol: string | undefined;
}

/** What of an envelope a filter looks at. */
export interface EventFacts {
  readonly type: string;
  readonly severity?: string | undefined;
  readonly subject_id: string;
  readonly chain?: string | undefined;
  readonly protocol?: string | undefined;
}

/** An event that does not say its severity, chain or protocol passes no filter of it. */
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

/** The same text for filters that let the same events through. */
export const filterKey = ({ types, severities, subject, chain, protocol }: EventFilter): string =>
  JSON.stringify([sorted(types), sorted(severities), subject ?? 0, chain ?? 0, protocol ?? 0]);

const sorted = (names: ReadonlySet<string> | undefined) => (names === undefined ? 0 : [...names].sort());

/** @throws Failure `validation_failed` for an empty list */
export function listed(field: string, text: string | undefined): ReadonlySet<string> | undefined {
  if (text === undefined) return undefined;
  const names = text.split(',').map((name) => name.trim());
  if (names.includes('')) throw parameterFailure(field, 'names nothing in a place of its list');
  return new Set(names);
}
