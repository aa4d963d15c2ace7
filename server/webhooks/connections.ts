// The connections to one endpoint. Each exchange uses one exclusively, or waits for one. A connection whose exchange did not complete is
// closed.
import { Client, type Dispatcher } from 'undici';
import type { Exchange } from './exchange.ts';

export interface ConnectionsOptions {
  readonly origin: string;
  readonly max: number;
  readonly client: Client.Options;
}

export type Request = Omit<Dispatcher.DispatchOptions, 'origin'>;

export class Connections {
  readonly #options: ConnectionsOptions;
  readonly #all = new Set<Client>();
  /** Most recently used first, so that surplus connections can time out. */
  readonly #free: Client[] = [];
  #waiting: (readonly [Request, Exchange])[] = [];

  constructor(options: ConnectionsOptions) {
    this.#options = options;
  }

  get origin(): string {
    return this.#options.origin;
  }

  get isUsed(): boolean {
    return this.#all.size > this.#free.length;
  }

  send(request: Request, exchange: Exchange): void {
    const client = this.#free.pop() ?? this.#another();
    if (client === undefined) this.#waiting.push([request, exchange]);
    else this.#use(client, request, exchange);
  }

  /** Fails exchanges in progress and waiting ones. */
  close(): void {
    for (const client of this.#all) void client.destroy();
    for (const [, exchange] of this.#waiting.splice(0)) exchange.fail(new Error('closed'));
  }

  #another(): Client | undefined {
    const { origin, max, client: options } = this.#options;
    if (this.#all.size >= max) return undefined;
    const client = new Client(origin, options);
    this.#all.add(client);
    return client;
  }

  #use(client: Client, request: Request, exchange: Exchange): void {
    exchange.onEnd((isWhole) => this.#ended(client, isWhole));
    client.dispatch(request, exchange);
  }

  #ended(client: Client, isWhole: boolean): void {
    if (isWhole) {
      this.#free.push(client);
    } else {
      this.#all.delete(client);
      void client.destroy();
    }
    this.#serveNext();
  }

  #serveNext(): void {
    if (this.#waiting.length === 0) return;
    const [next, ...others] = this.#waiting.filter(([, exchange]) => !exchange.isOver);
    this.#waiting = others;
    if (next !== undefined) this.send(...next);
  }
}
