// The first check of every request: who sent it, and whether its rate limit is used up. A failure is stored, not thrown, because the body
// of an error depends on the endpoint, which has not been looked up yet.
import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net';
import { oncePer } from '../../platform/base/once-per.ts';
import { type MaybePromise, whenResolved } from '../../platform/base/tasks.ts';
import { LIMITS, PLANS, type Plan, type PlanName } from '../../schemas/plans.ts';
import type { Caller } from '../define/caller.ts';
import { Failure } from '../define/failure.ts';
import { failureOf } from '../replies/error-response.ts';
import type { KeyRecord } from '../store/store.ts';
import { authenticate, InvalidKeyError, type KeyFinder } from './authenticate.ts';
import type { Limits, Rate } from './limits.ts';

export interface Admission {
  readonly caller: Caller;
  readonly rate: Rate;
  /** Why the request is refused; undefined if it is not. */
  readonly failure: Failure | undefined;
}

/** When a request arrived, on both clocks, each read once. */
export interface Instant {
  /** Unix milliseconds. */
  readonly nowMs: number;
  /** Monotonic milliseconds. */
  readonly steadyMs: number;
}

export interface AdmissionDeps {
  readonly keys: KeyFinder;
  readonly limits: Limits;
  readonly anonymousPlan: PlanName | null;
  readonly trustedProxies: readonly string[];
  /** Whether requests for this target do not count against an address. */
  readonly isUncounted: (target: string) => boolean;
  /** Whether requests for this target are for open data that people browse. */
  readonly isBrowsed: (target: string) => boolean;
  /** Monotonic milliseconds. */
  readonly steadyMs: () => number;
}

type From = Pick<IncomingMessage, 'headers' | 'socket'>;

const RETRY = ['Retry-After', '60'] as const;

export class AdmissionControl {
  readonly anonymous: Caller;
  readonly #deps: AdmissionDeps;
  readonly #addressOf: AddressOf;
  readonly #limits: Limits;

  constructor(deps: AdmissionDeps) {
    this.#deps = deps;
    this.#limits = deps.limits;
    this.anonymous = anonymousCaller(deps.anonymousPlan);
    this.#addressOf = clientAddress(deps.trustedProxies);
  }

  /** Counts the request against the organisation of its key, or against its address if it has no valid key. */
  admit(request: IncomingMessage, token: string | undefined, at: Instant): MaybePromise<Admission> {
    if (token === undefined)
      return isPreflight(request) || this.#deps.isUncounted(request.url ?? '')
        ? { caller: this.anonymous, rate: this.#look(request, at.steadyMs), failure: undefined }
        : this.#keylessly(request, at, undefined);
    const known = this.#keyOf(request, token, at);
    if (known instanceof Failure) return this.#refused(request, known, at);
    const caller = callerOfKey(known);
    const rate = this.#taken(caller, request, { subject: known.org, kind: 'keyed', at });
    return whenResolved(rate, (taken) => admission(caller, taken, undefined));
  }

  /** Rate-limit headers for requests that are not counted, such as malformed HTTP. */
  peek(request: From): Rate {
    return this.#look(request, this.#deps.steadyMs());
  }

  /** The rate state of an organisation, without counting a request. */
  rateOf({ key, limits }: Caller): Rate {
    return this.#limits.keyed.look(key?.org ?? '', limits.requests_per_minute, this.#deps.steadyMs());
  }

  address(request: From): string {
    const forwarded = request.headers['x-forwarded-for'];
    return this.#addressOf(
      request.socket.remoteAddress,
      typeof forwarded === 'string' ? forwarded : undefined,
    );
  }

  sweep(): void {
    const nowMs = this.#deps.steadyMs();
    const { keyed, keyless, browsing, guesses } = this.#limits;
    for (const limiter of [keyed, keyless, browsing, guesses]) limiter.sweep(nowMs);
  }

  get counts() {
    const { keyed, keyless, browsing, guesses, isAlone } = this.#limits;
    return {
      subjects: keyed.subjects + keyless.subjects + browsing.subjects,
      refused: keyed.refused + keyless.refused + browsing.refused,
      guesses_refused: guesses.refused,
      alone: isAlone ? 1 : 0,
    };
  }

  #look(request: From, steadyMs: number): Rate {
    return this.#limits.keyless.look(
      this.address(request),
      this.anonymous.limits.requests_per_minute,
      steadyMs,
    );
  }

  #keylessly(request: IncomingMessage, at: Instant, failure: Failure | undefined): MaybePromise<Admission> {
    const subject = this.address(request);
    const rate = this.#taken(this.anonymous, request, { subject, kind: 'keyless', at });
    return whenResolved(rate, (taken) => admission(this.anonymous, taken, failure));
  }

  #keyOf(request: IncomingMessage, token: string, { nowMs }: Instant): KeyRecord | Failure {
    try {
      return authenticate(token, this.#deps.keys, { connection: request.socket, nowMs });
    } catch (thrown) {
      return failureOf(thrown);
    }
  }

  #refused(request: IncomingMessage, failure: Failure, at: Instant): MaybePromise<Admission> {
    if (!(failure instanceof InvalidKeyError)) return this.#keylessly(request, at, failure);
    return whenResolved(this.#throttled(request, failure, at), (guess) =>
      this.#keylessly(request, at, guess ?? failure),
    );
  }

  #taken(
    { plan, limits }: Caller,
    { url = '' }: IncomingMessage,
    {
      subject,
      kind,
      at,
    }: { readonly subject: string; readonly kind: 'keyed' | 'keyless'; readonly at: Instant },
  ): MaybePromise<Rate> {
    const { requests_per_minute: limit } = limits;
    const isSmall = plan === null || plan === 'free';
    if (!isSmall || !this.#deps.isBrowsed(url)) return this.#limits[kind].take(subject, limit, at.steadyMs);
    // An organisation may have a name that looks like an address.
    const name = kind === 'keyed' ? `org ${subject}` : subject;
    return this.#limits.browsing.take(name, limit * LIMITS.browsing_factor, at.steadyMs);
  }

  /**
   * Counts a guess; returns a failure once the address has made too many. Valid keys are exempt: several clients may share an address, and
   * a response gives no advantage in guessing a random key of 190 bits.
   */
  #throttled(
    request: IncomingMessage,
    { isGuess }: InvalidKeyError,
    at: Instant,
  ): MaybePromise<Failure | undefined> {
    const address = this.address(request);
    const limit = LIMITS.key_guesses_per_minute;
    const { guesses } = this.#limits;
    const rate = isGuess
      ? guesses.take(address, limit, at.steadyMs)
      : guesses.look(address, limit, at.steadyMs);
    return whenResolved(rate, ({ isExceeded }) =>
      isExceeded ? new Failure('rate_limited', undefined, { headers: RETRY }) : undefined,
    );
  }
}

/** A browser sends it before a request with a key, and without that key: it must not use up what the address may do without one. */
const isPreflight = ({ method, headers }: IncomingMessage): boolean =>
  method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;

/** A caller refused for guessing keeps that error even if its rate limit is also exceeded. */
const admission = (caller: Caller, rate: Rate, failure: Failure | undefined): Admission => ({
  caller,
  rate,
  failure: rate.isExceeded && failure?.code !== 'rate_limited' ? exceeded(rate.limit) : failure,
});

const exceeded = (limit: number) =>
  new Failure('rate_limit_exceeded', undefined, { headers: RETRY, details: { limit, window_seconds: 60 } });

// The address that a request is counted against: the peer's, or the one that configured proxies report. IPv6 clients are identified by
// their /64, the block that one customer is assigned.

const SITE_GROUPS = 4;
const ALL_GROUPS = 8;

type AddressOf = (peer: string | undefined, forwardedFor: string | undefined) => string;

/** `trusted`: addresses or CIDR ranges of proxies whose `X-Forwarded-For` is trusted. @throws TypeError on anything else. */
export function clientAddress(trusted: readonly string[]): AddressOf {
  const isProxy = proxyTest(trusted);
  return (peer, forwardedFor) => {
    const near = plainAddress(peer ?? '');
    if (forwardedFor === undefined || !isProxy(near)) return siteOf(near);
    const hops = forwardedFor.split(',').map((hop) => plainAddress(hop.trim()));
    const client = hops.findLast((hop) => !isProxy(hop));
    return siteOf(client !== undefined && isIP(client) !== 0 ? client : near);
  };
}

/** Whether an address is that of a configured proxy. @throws TypeError like `clientAddress` */
export function proxyTest(trusted: readonly string[]): (address: string) => boolean {
  const proxies = blockListOf(trusted);
  return (given) => {
    const address = plainAddress(given);
    return (
      trusted.length > 0 && isIP(address) !== 0 && proxies.check(address, isIPv4(address) ? 'ipv4' : 'ipv6')
    );
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

// The caller as handlers see it, built once per key, and once for all callers without a key.

const callerOfKey = oncePer((record: KeyRecord): Caller => {
  const { id, org, plan, scopes } = record;
  const limits: Plan = { ...PLANS[plan], ...record.limits };
  return Object.freeze({ plan, key: { id, org, scopes }, limits });
});

/** A caller without a key. `plan` null: open endpoints only. */
export function anonymousCaller(plan: PlanName | null): Caller {
  const limits: Plan =
    plan === null
      ? { ...PLANS.free, requests_per_minute: LIMITS.anonymous_requests_per_minute }
      : PLANS[plan];
  return Object.freeze({ plan, limits });
}
