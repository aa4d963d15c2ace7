// The IP addresses that a webhook may be sent to: public unicast and nothing else (decision 50). Classified by the IANA special-purpose
// address registries.
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Azure's own services (host agent, DNS, health probes) are reachable from every virtual machine at this public address. */
const AZURE_HOST = ipaddr.IPv4.parse('168.63.129.16');
/** The experimental 6bone, returned in 2006 (RFC 3701) and no longer routed. */
const SIXBONE = ipaddr.IPv6.parseCIDR('3ffe::/16');
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');
/** Last 64 bits of an ISATAP address: 0000:5efe or 0200:5efe and an IPv4 address (RFC 5214). */
const ISATAP_MARKS: ReadonlySet<number> = new Set([0x0000, 0x0200]);
const ISATAP = 0x5efe;

/** Why an address must not be dialled, worded to follow "the address"; undefined for a public address. */
export function problemOfAddress(text: string): string | undefined {
  switch (isIP(text)) {
    case 4:
      return problemOfIpv4(ipaddr.IPv4.parse(text));
    case 6:
      return problemOfIpv6(text);
    default:
      return 'is not an IP address';
  }
}

export function isLoopback(text: string): boolean {
  return isIP(text) !== 0 && ipaddr.parse(text).range() === 'loopback';
}

const problemOfIpv4 = (address: ipaddr.IPv4): string | undefined =>
  address.match(AZURE_HOST, 32)
    ? 'is reserved for the services of a cloud provider'
    : problemOfRange(address.range());

/** Nothing outside 2000::/3 is public, including the forms that contain an IPv4 address (`::a.b.c.d`, mapped, NAT64). */
function problemOfIpv6(text: string): string | undefined {
  if (text.includes('%')) return 'names a network interface';
  const address = ipaddr.IPv6.parse(text);
  const problem = problemOfRange(address.range());
  if (problem !== undefined) return problem;
  if (!address.match(GLOBAL_UNICAST)) return 'is outside global unicast (2000::/3)';
  if (address.match(SIXBONE)) return 'belongs to the former 6bone (3ffe::/16)';
  const [mark = -1, tag] = address.parts.slice(4);
  return ISATAP_MARKS.has(mark) && tag === ISATAP ? 'is an ISATAP tunnel' : undefined;
}

const problemOfRange = (range: string): string | undefined =>
  range === 'unicast' ? undefined : `is not public (${range})`;
