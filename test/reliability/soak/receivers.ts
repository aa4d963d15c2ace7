// Receivers of webhooks: one server with a path for each subscription. One in ten first attempts is refused.
import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

const REFUSED_IN = 10;

export class SoakReceivers {
  /** Ids of the events that each has accepted. */
  readonly accepted: readonly Set<string>[];
  readonly #server: Server;
  refusals = 0;

  constructor(count: number) {
    this.accepted = Array.from({ length: count }, () => new Set<string>());
    this.#server = createServer(async (request, response) => {
      const body = Buffer.concat(await request.toArray());
      const index = Number(request.url?.slice(1));
      const { event_id: id } = JSON.parse(body.toString()) as { readonly event_id: string };
      const attempt = Number(request.headers['service-delivery-attempt']);
      const chance = createHash('sha256').update(`${id} ${index}`).digest().readUInt16BE();
      const isRefused = attempt === 1 && chance % REFUSED_IN === 0;
      if (isRefused) this.refusals += 1;
      else this.accepted[index]?.add(id);
      response.writeHead(isRefused ? 503 : 204).end();
    });
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
  }

  url(index: number): string {
    const { port } = this.#server.address() as AddressInfo;
    return `http://127.0.0.1:${port}/${index}`;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
