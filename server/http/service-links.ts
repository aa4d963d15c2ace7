// Addresses of this service that responses and pages carry. The port is known once the server listens.

export interface ServiceAddress {
  readonly host: string;
  /** 0: whichever is free. */
  readonly port: number;
  /** Address of the documentation; empty: `/docs` of this server. */
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

  /** Without a slash at the end. */
  get documentation(): string {
    const { docsUrl } = this.#address;
    return docsUrl === '' ? this.server : docsUrl.replace(/\/+$/, '');
  }

  /** Where a caller whose plan does not suffice is sent. */
  get upgrade(): string {
    return `${this.documentation}/docs#plans`;
  }
}
