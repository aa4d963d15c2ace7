// A local receiver that keeps the requests it gets.
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceivedPost {
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export class TestReceiver {
  readonly received: ReceivedPost[] = [];
  status = 204;
  readonly #server: Server;
  #onReceived: () => void = () => undefined;

  private constructor() {
    this.#server = createServer(async (request, response) => {
      const body = Buffer.concat(await request.toArray());
      this.received.push({ headers: request.headers, body });
      response.writeHead(this.status).end();
      this.#onReceived();
    });
  }

  static async start(): Promise<TestReceiver> {
    const receiver = new TestReceiver();
    await new Promise<void>((resolve) => receiver.#server.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/hook`;
  }

  /** Resolves once `count` requests have been received in total. */
  async until(count: number): Promise<readonly ReceivedPost[]> {
    while (this.received.length < count)
      await new Promise<void>((resolve) => {
        this.#onReceived = resolve;
      });
    return this.received;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
