// Where an address that a response gives may lead: what follows redirects and what follows pages ask here.
import { NetFault, type NetFaultKind } from './net-fault.ts';

export interface Destination {
  readonly url: URL;
  /** Whether credentials may go there: the same host and port, and no less protected. */
  readonly isTrusted: boolean;
}

/** `from` is a complete address. @throws NetFault of that kind for what is no address, or for one that gives up https */
export function destinationOf(given: string, from: string, kind: NetFaultKind): Destination {
  const base = new URL(from);
  const url = URL.canParse(given, from) ? new URL(given, from) : null;
  if (url === null || !['http:', 'https:'].includes(url.protocol))
    throw new NetFault(kind, `${base.host} leads to what is not an http or https address.`);
  if (base.protocol === 'https:' && url.protocol === 'http:')
    throw new NetFault(kind, `${base.host} leads from https to the insecure http://${url.host}.`, {
      todo: 'Correct the url of the source',
    });
  return { url, isTrusted: url.host === base.host };
}
