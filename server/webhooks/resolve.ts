// Resolves all addresses of a name with DNS, not through the C library, whose lookups cannot be cancelled and would occupy the few threads
// that file access needs too.
import { promises as dns } from 'node:dns';
import type { Resolve } from './address-guard.ts';

const TIMEOUT_MS = 2_000;
const TRIES = 2;

export function createResolve(): Resolve {
  const resolver = new dns.Resolver({ timeout: TIMEOUT_MS, tries: TRIES });
  return async (host) => {
    const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    if (addresses.length > 0) return addresses;
    const failed = answers.find((answer) => answer.status === 'rejected');
    throw new Error(`No address of ${host} was found.`, { cause: failed?.reason });
  };
}
