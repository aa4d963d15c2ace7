// URLs of this service, for responses and pages. The port is known once the server listens. Without `DOCS_URL`, a client is sent back to the
// address that it used: the one that the server listens on may be 0.0.0.0, or that of a host behind a proxy.
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { proxyTest } from '../access/admit.ts';
import type { ServiceOrigin } from '../define/endpoint.ts';

/** A host name or address with an optional port, as in a `Host` header. */
const HOST = /^(?:[a-z0-9](?:[a-z0-9._-]{0,252}[a-z0-9])?|\[[0-9a-f:.]{2,45}\])(?::[0-9]{1,5})?$/i;

export interface ServiceAddress {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** Address of the documentation; if empty, `/docs` of this server. */
  readonly docsUrl: string;
  /** Addresses or CIDR ranges of proxies whose forwarding headers are trusted. */
  readonly trustedProxies?: readonly string[];
}

export class ServiceLinks {
  readonly #address: ServiceAddress;
  readonly #isProxy: (peer: string) => boolean;
  #port: number;

  constructor(address: ServiceAddress) {
    this.#address = address;
    this.#isProxy = proxyTest(address.trustedProxies ?? []);
    this.#port = address.port;
  }

  listeningOn(port: number): void {
    this.#port = port;
  }

  get port(): number {
    return this.#port;
  }

  /** `http://host:port` */
  get server(): string {
    const { host } = this.#address;
    return `http://${host.includes(':') ? `[${host}]` : host}:${this.#port}`;
  }

  /** Where this client finds the documentation, without a trailing slash. */
  documentationFor(headers: IncomingHttpHeaders): string {
    return this.#configured ?? originOf(headers) ?? this.server;
  }

  /**
   * The address for the absolute links of a response. Other clients may get the response from a cache, so only a trusted proxy can say that
   * its client used another address than the one in `Host`.
   */
  originFor({ headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>): ServiceOrigin {
    if (this.#configured !== undefined) return { url: this.#configured, isConfigured: true };
    const { host } = headers;
    const direct = host === undefined ? {} : { host };
    const trusted = this.#isProxy(socket.remoteAddress ?? '') ? headers : direct;
    return { url: originOf(trusted) ?? this.server, isConfigured: false };
  }

  /** Where messages link to, without a trailing slash. */
  get service(): string {
    return this.#configured ?? this.server;
  }

  /** The page for callers whose plan is insufficient; without `DOCS_URL` a path, which an error response completes. */
  get upgrade(): string {
    return `${this.#configured ?? ''}${UPGRADE_PATH}`;
  }

  get #configured(): string | undefined {
    const { docsUrl } = this.#address;
    return docsUrl === '' ? undefined : docsUrl.replace(/\/+$/, '');
  }
}

const UPGRADE_PATH = '/docs#plans';

/**
 * The origin that a client used, according to its request and to a proxy in between. It is only shown to this client: error responses are not
 * cached.
 */
function originOf(headers: IncomingHttpHeaders): string | undefined {
  const { host: direct, 'x-forwarded-host': forwarded, 'x-forwarded-proto': protocol } = headers;
  const host = typeof forwarded === 'string' && HOST.test(forwarded) ? forwarded : direct;
  if (host === undefined || !HOST.test(host)) return undefined;
  return `${protocol === 'https' ? 'https' : 'http'}://${host}`;
}
