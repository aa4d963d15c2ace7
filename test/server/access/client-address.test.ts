import { expect, test } from 'vitest';
import { clientAddress } from '../../../server/access/admit.ts';

test.each([
  ['no proxy is trusted: the peer counts', [], '198.51.100.7', '203.0.113.9', '198.51.100.7'],
  [
    'an untrusted peer cannot forward an address',
    ['10.0.0.0/8'],
    '198.51.100.7',
    '203.0.113.9',
    '198.51.100.7',
  ],
  ['a proxy is believed', ['10.0.0.0/8'], '10.1.2.3', '203.0.113.9', '203.0.113.9'],
  ['a proxy alone, by address', ['10.1.2.3'], '10.1.2.3', '203.0.113.9', '203.0.113.9'],
  [
    'only the last hop that is not a proxy',
    ['10.0.0.0/8'],
    '10.1.2.3',
    '1.1.1.1, 203.0.113.9, 10.9.9.9',
    '203.0.113.9',
  ],
  ['all hops are proxies', ['10.0.0.0/8'], '10.1.2.3', '10.4.4.4', '10.1.2.3'],
  ['not an address', ['10.0.0.0/8'], '10.1.2.3', 'unknown', '10.1.2.3'],
  ['an empty header', ['10.0.0.0/8'], '10.1.2.3', '', '10.1.2.3'],
  ['IPv4 over an IPv6 socket', ['10.0.0.0/8'], '::ffff:10.1.2.3', '203.0.113.9', '203.0.113.9'],
  ['an IPv6 client is its /64', [], '2001:db8:1:2:aaaa:bbbb:cccc:dddd', undefined, '2001:db8:1:2::/64'],
  ['the short form of the same', [], '2001:db8:1:2::1', undefined, '2001:db8:1:2::/64'],
  ['leading zeros', [], '2001:0db8:0001:0002::1', undefined, '2001:db8:1:2::/64'],
  ['loopback', [], '::1', undefined, '0:0:0:0::/64'],
  ['a zone', [], 'fe80::1%eth0', undefined, 'fe80:0:0:0::/64'],
  ['an IPv6 proxy', ['2001:db8::/32'], '2001:db8::5', '203.0.113.9', '203.0.113.9'],
])('%s', (_, trusted, peer, forwarded, expected) => {
  expect(clientAddress(trusted)(peer, forwarded)).toBe(expected);
});

test('an invalid range is refused at startup', () => {
  expect(() => clientAddress(['proxy.example'])).toThrow('"proxy.example" is not an address or CIDR range');
});
