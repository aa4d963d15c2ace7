// The HTTP client of all sources: budget, retries and classification of responses around one exchange. A host can be reached at another
// address, such as a mirror.
import type { Clock } from './clock.ts';
import type { Exchange, ExchangeLimits, HttpResponse, HttpRequest, ParsedBody } from './exchange.ts';
import { type HostBudget, HostGate, type HostUse, type Urgency } from './host-gate.ts';
import { type Expected, judgeResponse } from './judge-response.ts';
import { NetFault } from './net-fault.ts';
import { RETRY_RULES, type RetryRules, withRetries } from './retry.ts';

export interface HostSettings extends HostBudget {
  /** Origin to send the requests to instead, for example `http://127.0.0.1:8000`. */
  readonly address: string | null;
}

export const DEFAULT_HOST: HostSettings = {
  in_flight: 1,
  requests_per_minute: 60,
  bytes_per_day: 2_000_000_000,
  address: null,
};

export interface ClientTools {
  readonly exchange: Exchange;
  readonly clock: Clock;
  readonly random: () => number;
  readonly hosts: { readonly [host: string]: HostSettings };
  readonly signal?: AbortSignal;
  readonly retryRules?: RetryRules;
}

export interface Call {
  readonly request: HttpRequest;
  readonly expected: Expected;
  readonly limits: ExchangeLimits;
  readonly urgency: Urgency;
}

export interface JudgedResponse extends HttpResponse {
  /** Null if a format other than JSON was expected. */
  readonly parsed: ParsedBody | null;
}

const USER_AGENT = 'defi-risk-data-service/1';

export class NetClient {
  readonly #tools: ClientTools;
  readonly #gates = new Map<string, HostGate>();

  constructor(tools: ClientTools) {
    this.#tools = tools;
  }

  gate(host: string): HostGate {
    const known = this.#gates.get(host);
    if (known !== undefined) return known;
    const gate = new HostGate(host, this.#tools.hosts[host] ?? DEFAULT_HOST, this.#tools.clock);
    this.#gates.set(host, gate);
    return gate;
  }

  /** Today's use of each host. */
  uses(): { readonly [host: string]: HostUse } {
    return Object.fromEntries([...this.#gates].map(([host, gate]) => [host, gate.use()]));
  }

  /** @throws NetFault after the last try. */
  call({ request, expected, limits, urgency }: Call): Promise<JudgedResponse> {
    const { exchange, clock, hosts, signal, retryRules = RETRY_RULES } = this.#tools;
    const { host } = new URL(request.url);
    const sent = { ...at(request, hosts[host]?.address ?? null), headers: headersOf(request) };
    const gate = this.gate(host);
    const counting = {
      onRedirect: () => gate.noteRedirect(),
      onBytes: (bytes: number) => gate.noteBytes(bytes),
    };
    const once = async () => {
      const response = await exchange(sent, { ...limits, ...counting }, signal);
      const judged = judgeResponse(response, expected, clock.nowMs());
      if (judged instanceof NetFault) throw judged;
      return { ...response, url: request.url, parsed: judged };
    };
    return withRetries(() => gate.run(urgency, once, signal), retryRules, this.#tools);
  }
}

const headersOf = ({ headers, body }: HttpRequest): HttpRequest['headers'] => ({
  accept: 'application/json, */*;q=0.5',
  'user-agent': USER_AGENT,
  ...(body === null ? {} : { 'content-type': 'application/json' }),
  ...headers,
});

function at(request: HttpRequest, address: string | null): HttpRequest {
  if (address === null) return request;
  const { pathname, search } = new URL(request.url);
  return { ...request, url: `${address.replace(/\/$/, '')}${pathname}${search}` };
}
