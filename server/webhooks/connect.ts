// Opens connections to receivers: resolves the name itself and dials only addresses that the guard accepted, so nothing can change between
// the check and the connection.
import type { LookupFunction } from 'node:net';
import { isIP } from 'node:net';
import { buildConnector } from 'undici';
import type { AddressGuard } from './address-guard.ts';

export interface ConnectOptions {
  readonly guard: Pick<AddressGuard, 'addresses'>;
  readonly timeoutMs: number;
  /** Certificate authorities to trust instead of the machine's; for tests. */
  readonly ca?: string | undefined;
}

/** A connector for undici. Its failures are AddressError or socket errors. */
export function guardedConnector({ guard, timeoutMs, ca }: ConnectOptions): buildConnector.connector {
  const connect = buildConnector({
    timeout: timeoutMs,
    allowH2: false,
    lookup: vettedLookup(guard),
    ...(ca === undefined ? {} : { ca }),
  });
  return (options, callback) => {
    // An address in the URL is dialled without a lookup.
    const host = options.hostname.replace(/^\[|\]$/g, '');
    const vetted = isIP(host) === 0 ? Promise.resolve() : guard.addresses(host);
    vetted.then(
      () => connect({ ...options, hostname: host }, callback),
      (error: Error) => callback(error, null),
    );
  };
}

function vettedLookup(guard: ConnectOptions['guard']): LookupFunction {
  return (host, options, callback) => {
    guard.addresses(host).then(
      (addresses) => {
        const found = addresses.map((address) => ({ address, family: isIP(address) }));
        const [first] = found;
        if (options.all) callback(null, found);
        else callback(null, first?.address ?? '', first?.family ?? 0);
      },
      (error: Error) => callback(error, options.all ? [] : ''),
    );
  };
}
