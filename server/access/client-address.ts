// The address that a request is counted against: the peer's, or the one that configured proxies report. IPv6 clients are identified by
// their /64, the block that one customer is assigned.
import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net';

const SITE_GROUPS = 4;
const ALL_GROUPS = 8;

export type AddressOf = (peer: string | undefined, forwardedFor: string | undefined) => string;

/** `trusted`: addresses or CIDR ranges of proxies whose `X-Forwarded-For` is trusted. @throws TypeError on anything else. */
export function clientAddress(trusted: readonly string[]): AddressOf {
  const proxies = blockListOf(trusted);
  const isProxy = (address: string) =>
    trusted.length > 0 && isIP(address) !== 0 && proxies.check(address, isIPv4(address) ? 'ipv4' : 'ipv6');
  return (peer, forwardedFor) => {
    const near = plainAddress(peer ?? '');
    if (forwardedFor === undefined || !isProxy(near)) return siteOf(near);
    const hops = forwardedFor.split(',').map((hop) => plainAddress(hop.trim()));
    const client = hops.findLast((hop) => !isProxy(hop));
    return siteOf(client !== undefined && isIP(client) !== 0 ? client : near);
  };
}

function blockListOf(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = '', bits] = range.split('/');
    const family = isIPv4(address) ? 'ipv4' : 'ipv6';
    if (isIP(address) === 0) throw new TypeError(`"${range}" is not an address or CIDR range.`);
    list.addSubnet(address, bits === undefined ? (family === 'ipv4' ? 32 : 128) : Number(bits), family);
  }
  return list;
}

/** Unwraps an IPv4 address that arrived over an IPv6 socket. */
const plainAddress = (address: string) => (address.startsWith('::ffff:') ? address.slice(7) : address);

function siteOf(address: string): string {
  if (!isIPv6(address)) return address;
  const [head = '', tail] = (address.split('%')[0] ?? '').split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? 0 : ALL_GROUPS - left.length - right.length;
  const groups = [...left, ...Array<string>(Math.max(0, zeros)).fill('0'), ...right].slice(0, SITE_GROUPS);
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
}
