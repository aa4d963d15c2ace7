// The address rule of webhooks (decision 50): how a receiver's URL may be written, and that all addresses its name resolves to are public.
// Checked when a subscription is created or changed, at every attempt, and by the connector itself, which dials only addresses that were checked.
import { promises as dns } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { buildConnector } from 'undici';
import { LIMITS } from '../../schemas/plans.ts';

const MAX_INSPECTED = 1_000;
const MAX_HOST_CHARACTERS = 253;
const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;
/** Names that never refer to the public internet (RFC 6761 and its registry). */
const SPECIAL_NAMES = /(^|\.)(localhost|local|internal|intranet|lan|home|corp|arpa|onion|alt|test|invalid)$/;
const FIRST_FREE_PORT = 1_024;
/** Ports from 1024 on that other protocols use, where a request could be mistaken for a command (WHATWG Fetch, "bad port"). */
const ODD_PORTS: ReadonlySet<number> = new Set([
  ...[1719, 1720, 1723, 2049, 2375, 2376, 2379, 2380, 3306, 3389, 3659, 4045, 4190, 5060, 5061, 5432, 5672],
  ...[5900, 6000, 6379, 6443, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 9042, 9092, 9200, 9300, 10080],
  ...[10250, 11211, 27017],
]);

/** All addresses of a name. @throws if it has none or cannot be resolved */
export type Resolve = (host: string) => Promise<readonly string[]>;

export interface GuardDeps {
  readonly resolve: Resolve;
  /** Development only: allows receivers on this machine, also over http. */
  readonly isLoopbackAllowed: boolean;
}

export interface Target {
  /** Scheme, host and port. */
  readonly origin: string;
  /** A name or an address, without brackets. */
  readonly host: string;
  readonly path: string;
  /** Whether the host is an address rather than a name. */
  readonly isLiteral: boolean;
}

/** `blocked`: the rule forbids the URL. `unresolved`: its name cannot be resolved now. The message continues "url". */
export class AddressError extends Error {
  override readonly name = 'AddressError';
  readonly kind: 'blocked' | 'unresolved';

  constructor(kind: AddressError['kind'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}

export class AddressGuard {
  readonly #deps: GuardDeps;
  readonly #lookups = new Map<string, Promise<readonly string[]>>();
  /** Cache of well-formed URLs, whose inspection depends only on the text. */
  readonly #inspected = new Map<string, Target>();

  constructor(deps: GuardDeps) {
    this.#deps = deps;
  }

  /** @throws AddressError unless the URL is well-formed and all its addresses may be dialled now */
  async check(text: string): Promise<Target> {
    const target = this.inspect(text);
    // An address in the URL was checked during inspection.
    if (!target.isLiteral) await this.addresses(target.host);
    return target;
  }

  /** Checks only the spelling, without resolving the name. @throws AddressError */
  inspect(text: string): Target {
    const cached = this.#inspected.get(text);
    if (cached !== undefined) return cached;
    const target = inspectUrl(text, this.#deps.isLoopbackAllowed);
    if (this.#inspected.size >= MAX_INSPECTED) this.#inspected.clear();
    this.#inspected.set(text, target);
    return target;
  }

  /** All addresses of the host, each checked. @throws AddressError */
  async addresses(host: string): Promise<readonly string[]> {
    const isLiteral = isIP(host) !== 0;
    const addresses = isLiteral ? [host] : await this.#resolve(host);
    if (addresses.length === 0) throw new AddressError('unresolved', 'has a name without addresses');
    for (const address of addresses) {
      const problem = problemOfAddress(address);
      if (problem === undefined || (this.#deps.isLoopbackAllowed && isLoopback(address))) continue;
      // The address of an internal name is not disclosed.
      throw blocked(
        isLiteral
          ? `names an address that ${problem}`
          : 'has a name that does not resolve to public addresses',
      );
    }
    return addresses;
  }

  /** Concurrent lookups of a name share one query, whose result is never cached. */
  #resolve(host: string): Promise<readonly string[]> {
    if (this.#deps.isLoopbackAllowed && host === 'localhost') return Promise.resolve(['127.0.0.1']);
    const pending = this.#lookups.get(host);
    if (pending !== undefined) return pending;
    const lookup = this.#deps
      .resolve(host)
      .catch((cause: unknown) => {
        throw new AddressError('unresolved', 'has a name that cannot be resolved', { cause });
      })
      .finally(() => this.#lookups.delete(host));
    this.#lookups.set(host, lookup);
    return lookup;
  }
}

const blocked = (message: string) => new AddressError('blocked', message);

const LOOPBACK_REFUSED =
  'must start with https://; for a receiver on this machine, start the server with WEBHOOKS_ALLOW_LOOPBACK=true, or run npm run listen, which needs no subscription';

/** Checks the spelling of the URL without resolving names. @throws AddressError */
export function inspectUrl(text: string, isLoopbackAllowed: boolean): Target {
  const max = LIMITS.webhook_url_characters;
  if (text.length > max) throw blocked(`is longer than ${max} characters`);
  const parts = /^(https?):\/\/([^/?#\\]+)((?:[/?][^#]*)?)$/i.exec(text);
  if (/[^\x21-\x7e]/.test(text))
    throw blocked('has characters beyond printable ASCII: write names in punycode');
  if (parts === null || !URL.canParse(text)) throw blocked('must be https://host[:port][/path][?query]');
  const [, , authority = ''] = parts;
  if (authority.includes('@')) throw blocked('must not carry a user name or password');
  const url = new URL(text);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (!isSpelledOut(authority, url)) throw blocked('must write its host and port in the usual form');
  const isOwnMachine = isLoopbackAllowed && (host === 'localhost' || isLoopback(host));
  if (url.protocol !== 'https:' && !isOwnMachine)
    throw blocked(host === 'localhost' || isLoopback(host) ? LOOPBACK_REFUSED : 'must start with https://');
  if (!isOwnMachine) checkHostAndPort(host, url.port);
  return { origin: url.origin, host, path: url.pathname + url.search, isLiteral: isIP(host) !== 0 };
}

/** The URL parser respells octal, hexadecimal and shortened addresses, percent signs and unusual IPv6 forms. */
function isSpelledOut(authority: string, url: URL): boolean {
  const port = /:([0-9]*)$/.exec(authority.replace(/^\[[^\]]*\]/, ''))?.[1];
  const given = port === undefined ? authority : authority.slice(0, -port.length - 1);
  const isPortUsual = port === undefined || /^[1-9][0-9]{0,4}$/.test(port);
  const isSame =
    given.toLowerCase() === url.hostname || (given.startsWith('[') && isIP(given.slice(1, -1)) === 6);
  return isPortUsual && isSame;
}

function checkHostAndPort(host: string, port: string): void {
  const number = port === '' ? 443 : Number(port);
  const isUsualPort = number === 443 || (number >= FIRST_FREE_PORT && !ODD_PORTS.has(number));
  if (!isUsualPort) throw blocked(`must not use port ${number}: 443 and most ports from 1024 on are allowed`);
  if (isIP(host) !== 0) {
    const problem = problemOfAddress(host);
    if (problem !== undefined) throw blocked(`names an address that ${problem}`);
    return;
  }
  const labels = host.split('.');
  if (host.length > MAX_HOST_CHARACTERS || !labels.every((label) => LABEL.test(label)))
    throw blocked('must name a valid host');
  if (labels.length < 2 || SPECIAL_NAMES.test(host)) throw blocked('must name a host on the public internet');
}

// The IP addresses that a webhook may be sent to: public unicast and nothing else (decision 50). Classified by the IANA special-purpose
// address registries.

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

const TIMEOUT_MS = 2_000;
const TRIES = 2;

/**
 * Resolves all addresses of a name with DNS, not through the C library, whose lookups cannot be cancelled and would occupy the few threads
 * that file access needs too.
 */
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

export interface ConnectOptions {
  readonly guard: Pick<AddressGuard, 'addresses'>;
  readonly timeoutMs: number;
  /** Certificate authorities to trust instead of the machine's; for tests. */
  readonly ca?: string | undefined;
}

/**
 * A connector for undici that resolves the name itself and dials only addresses that the guard accepted, so nothing can change between the
 * check and the connection. Its failures are AddressError or socket errors.
 */
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
