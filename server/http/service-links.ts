// URLs of this service, for responses and pages. The port is known once the server listens.

export interface ServiceAddress {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** Address of the documentation; if empty, `/docs` of this server. */
  readonly docsUrl: string;
}

export class ServiceLinks {
  readonly #address: ServiceAddress;
  #port: number;

  constructor(address: ServiceAddress) {
    this.#address = address;
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

  /** Without a trailing slash. */
  get documentation(): string {
    const { docsUrl } = this.#address;
    return docsUrl === '' ? this.server : docsUrl.replace(/\/+$/, '');
  }

  /** The page for callers whose plan is insufficient. */
  get upgrade(): string {
    return `${this.documentation}/docs#plans`;
  }
}
