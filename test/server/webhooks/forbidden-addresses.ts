// Addresses that webhooks must not reach, and some they may. Written from the IANA IPv4 and IPv6 special-purpose address registries, the
// IPv4 and IPv6 address space registries and the special-use domain names registry, not from the code.

/** Names in the test's own DNS, and the addresses they resolve to. */
export const NAMES: Readonly<Record<string, readonly string[]>> = {
  'receiver.example.com': ['93.184.215.14', '2606:2800:21f:cb07:6820:80da:af6b:8b2c'],
  'second.example.net': ['8.8.8.8'],
  'to-loopback.example.com': ['127.0.0.1'],
  'to-private.example.com': ['10.1.2.3'],
  'to-metadata.example.com': ['169.254.169.254'],
  'to-both.example.com': ['93.184.215.14', '192.168.1.1'],
  'to-ipv6-loopback.example.com': ['::1'],
  'to-mapped.example.com': ['::ffff:10.0.0.1'],
  'to-nat64.example.com': ['64:ff9b::a00:1'],
  'to-unique-local.example.com': ['fd12:3456:789a::1'],
  'to-public-and-link-local.example.com': ['2606:2800:21f::1', 'fe80::1'],
  'to-broadcast.example.com': ['255.255.255.255'],
  'to-unspecified.example.com': ['0.0.0.0'],
  // Names under which clouds offer their metadata services, and the host services of one cloud.
  'metadata.tencentyun.com': ['169.254.0.23'],
  'metadata.platform.example.com': ['100.100.100.200'],
  'metadata.oracle.example.com': ['192.0.0.192'],
  'metadata.ipv6.example.com': ['fd00:ec2::254'],
  'wireserver.example.com': ['168.63.129.16'],
  'wireserver-and-public.example.com': ['93.184.215.14', '168.63.129.16'],
  'wireserver-mapped.example.com': ['::ffff:a83f:8110'],
  'to-6bone.example.com': ['3ffe::1'],
  'to-nothing.example.com': [],
};

export const ALLOWED = [
  'https://receiver.example.com/hooks/risk?team=1',
  'https://second.example.net:8443/',
  'https://93.184.215.14/hook',
  'https://[2606:4700:4700::1111]/hook',
  // Addresses next to forbidden ones.
  'https://168.63.129.15/hook',
  'https://168.63.129.17/hook',
  'https://100.63.255.255/hook',
  'https://100.128.0.1/hook',
  'https://192.0.1.1/hook',
  'https://[3ffd:ffff::1]/hook',
] as const;

const IPV4_BLOCKS = [
  '0.0.0.0', // "this network", RFC 791
  '0.1.2.3',
  '10.0.0.1', // private use, RFC 1918
  '10.255.255.254',
  '100.64.0.1', // shared address space, RFC 6598
  '100.127.255.254',
  '127.0.0.1', // loopback, RFC 1122
  '127.255.255.254',
  '169.254.0.1', // link local, RFC 3927
  '169.254.255.254',
  '172.16.0.1', // private use
  '172.31.255.254',
  '192.0.0.1', // IETF protocol assignments, RFC 6890
  '192.0.0.8', // IPv4 dummy address, RFC 7600
  '192.0.0.170', // NAT64 discovery, RFC 7050
  '192.0.2.1', // documentation TEST-NET-1, RFC 5737
  '192.31.196.1', // AS112, RFC 7535
  '192.52.193.1', // AMT, RFC 7450
  '192.88.99.1', // 6to4 relay anycast, RFC 7526
  '192.168.0.1', // private use
  '192.168.255.254',
  '192.175.48.1', // AS112 direct delegation, RFC 7534
  '198.18.0.1', // benchmarking, RFC 2544
  '198.51.100.1', // TEST-NET-2
  '203.0.113.1', // TEST-NET-3
  '224.0.0.1', // multicast, RFC 5771
  '239.255.255.255',
  '240.0.0.1', // reserved, RFC 1112
  '255.255.255.255', // limited broadcast, RFC 8190
];

/** Addresses at which clouds serve their own machines: instance metadata, credentials, host services. */
const CLOUD_ADDRESSES = [
  '169.254.169.254', // AWS, Azure, Google Cloud, Oracle and most others
  '169.254.170.2', // AWS, credentials of containers
  '169.254.169.253', // AWS, DNS
  '169.254.0.23', // Tencent Cloud
  '168.63.129.16', // Azure, host agent and DNS: within a public range
  '100.100.100.200', // Alibaba Cloud
  '192.0.0.192', // Oracle Cloud, classic
] as const;

/** The address in each IPv6 form that carries an IPv4 address: mapped, compatible, translated, 6to4, ISATAP, Teredo. */
function embedded(address: string): readonly string[] {
  const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number);
  const hex = `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
  return [
    `::ffff:${address}`,
    `::${address}`,
    `64:ff9b::${address}`,
    `64:ff9b:1::${address}`,
    `::ffff:0:${address}`,
    `2002:${hex}::1`,
    `2606:4700::5efe:${hex}`,
    `2001:0:${hex}::1`,
  ];
}

const CLOUDS = [
  ...CLOUD_ADDRESSES,
  ...CLOUD_ADDRESSES.flatMap(embedded),
  'fd00:ec2::254', // AWS, instance metadata
  'fd00:ec2::23', // AWS, credentials of containers
  'fd20:ce::254', // Google Cloud
];

const IPV6_BLOCKS = [
  '::', // unspecified, RFC 4291
  '::1', // loopback
  '0:0:0:0:0:0:0:1',
  '::127.0.0.1', // IPv4-compatible, deprecated
  '::10.0.0.1',
  '::ffff:127.0.0.1', // IPv4-mapped
  '::ffff:a9fe:a9fe', // IPv4-mapped, in hexadecimal
  '::ffff:0:127.0.0.1', // IPv4-translated, RFC 2765
  '64:ff9b::7f00:1', // IPv4-IPv6 translation, RFC 6052
  '64:ff9b:1::a00:1', // local-use translation, RFC 8215
  '100::1', // discard only, RFC 6666
  '2001::1', // Teredo, RFC 4380
  '2001:0:7f00:1::', // Teredo with an IPv4 server address
  '2001:2::1', // benchmarking, RFC 5180
  '2001:3::1', // AMT
  '2001:4:112::1', // AS112
  '2001:10::1', // ORCHID, deprecated
  '2001:20::1', // ORCHIDv2, RFC 7343
  '2001:30::1', // drone remote id, RFC 9374
  '2001:db8::1', // documentation, RFC 3849
  '2002:7f00:1::', // 6to4 of 127.0.0.1, RFC 3056
  '2002:a00:1::1', // 6to4 of 10.0.0.1
  '2620:4f:8000::1', // AS112 direct delegation
  '2606:4700::5efe:10.0.0.1', // ISATAP of 10.0.0.1, RFC 5214
  '3ffe::', // 6bone, returned, RFC 3701
  '3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
  '3fff::1', // documentation, RFC 9637
  '4000::1', // unassigned address space
  '5f00::1', // segment routing, RFC 9602
  'fc00::1', // unique local, RFC 4193
  'fd12:3456:789a::1',
  'fe80::1', // link local
  'fec0::1', // site local, deprecated
  'ff02::1', // multicast
];

const OTHER_SPELLINGS = [
  'https://2130706433/', // 127.0.0.1 as one number
  'https://0x7f000001/',
  'https://0177.0.0.1/',
  'https://127.1/',
  'https://0x7f.0.0.1/',
  'https://127.0.0.1./',
  'https://%31%32%37.0.0.1/',
  'https://①②⑦.⓪.⓪.①/', // digits that the URL standard parses as 127.0.0.1
  'https://[fe80::1%25eth0]/',
];

const OTHER_URLS = [
  'http://receiver.example.com/', // not https
  'https://user:secret@receiver.example.com/',
  'https://receiver.example.com@127.0.0.1/',
  'https://receiver.example.com:22/',
  'https://receiver.example.com:6379/',
  'https://receiver.example.com:0/',
  'https://receiver.example.com./',
  'https://localhost/',
  'https://metadata.google.internal/',
  'https://instance-data.ec2.internal/',
];

const NAMES_THAT_LEAD_THERE = Object.keys(NAMES).filter((name) =>
  /^(to-(?!nothing)|metadata|wireserver)/.test(name),
);

export const FORBIDDEN: readonly string[] = [
  ...IPV4_BLOCKS.map((address) => `https://${address}/hook`),
  ...IPV6_BLOCKS.map((address) => `https://[${address}]/hook`),
  ...CLOUDS.map((address) => `https://${address.includes(':') ? `[${address}]` : address}/metadata`),
  ...OTHER_SPELLINGS,
  ...OTHER_URLS,
  ...NAMES_THAT_LEAD_THERE.map((name) => `https://${name}/hook`),
];

export const resolveTestName = async (host: string): Promise<readonly string[]> => {
  const addresses = NAMES[host];
  if (addresses === undefined) throw new Error(`${host}: no such name`);
  return addresses;
};
