// A server that dispatches webhooks to a local receiver, with helpers for tests of deliveries.
import type { ServerDeps } from '../../../server/deps.ts';
import { eventCandidate } from '../server-fixture.ts';
import { TestReceiver } from './received.ts';
import { WebhookApi } from './webhook-api.ts';

export class DeliveryFixture {
  readonly receiver: TestReceiver;
  readonly api: WebhookApi;
  /** Work the server repeats several times a second, run when a test calls for it. */
  readonly #repeated: readonly (() => void)[];

  private constructor(receiver: TestReceiver, api: WebhookApi, repeated: readonly (() => void)[]) {
    this.receiver = receiver;
    this.api = api;
    this.#repeated = repeated;
  }

  static async start(options: Partial<ServerDeps['webhooks']> = {}): Promise<DeliveryFixture> {
    const repeated: (() => void)[] = [];
    const receiver = await TestReceiver.start();
    const api = await WebhookApi.start({ isLoopbackAllowed: true, ...options }, (work) =>
      repeated.push(work),
    );
    return new DeliveryFixture(receiver, api, repeated);
  }

  tick(): void {
    for (const work of this.#repeated) work();
  }

  subscribe(url = this.receiver.url) {
    return this.api.create({ url, events: ['oracle.stale', 'oracle.feed.invalid'] });
  }

  async publish(...numbers: readonly number[]): Promise<readonly string[]> {
    const { fixture, server } = this.api;
    const envelopes = await fixture.append(numbers.map((n) => eventCandidate(n)));
    await fixture.publish();
    await server.refresh();
    return envelopes;
  }

  async deliveriesOf(id: string) {
    return (await this.api.ask('GET', `/v2/webhooks/${id}/deliveries`)).json.data;
  }

  /** Retries until there is a result. */
  async until<T>(ask: () => Promise<T | null | undefined>): Promise<T> {
    for (;;) {
      const found = await ask();
      if (found !== undefined && found !== null) return found;
      this.tick();
    }
  }

  /** The delivery records of a subscription once each has had its first attempt. */
  settled(id: string) {
    return this.until(async () => {
      const rows = await this.deliveriesOf(id);
      const isSettled =
        rows.length > 0 && rows.every(({ status }: { status: string }) => status !== 'pending');
      return isSettled ? rows : undefined;
    });
  }

  async stop(): Promise<void> {
    await this.api.fixture.remove();
    this.receiver.stop();
  }
}
