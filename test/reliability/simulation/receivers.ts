// The receivers of webhooks: they fail, lose responses, and hang until the connection is cut. A delivery may be repeated only while no
// result of an earlier attempt is on record.
import type { DeliveryRequest, Outcome, Sender } from '../../../server/webhooks/send.ts';
import type { Life, Scheduler } from './scheduler.ts';
import type { SimulatedStore } from './store.ts';

/** From this attempt on a receiver accepts, so that none is abandoned. */
const SURE_ATTEMPT = 3;

export interface ReceiverWorld {
  readonly scheduler: Scheduler;
  readonly store: SimulatedStore;
  readonly wallMs: () => number;
  /** Whether this attempt fails. */
  readonly isFailing: () => boolean;
  readonly violation: (text: string) => void;
}

const headerOf = ({ headers }: DeliveryRequest, name: string): string => {
  const at = headers.findIndex((text, index) => index % 2 === 0 && text.toLowerCase() === name);
  return at === -1 ? '' : (headers[at + 1] ?? '');
};

export class Receivers {
  /** How often each event was accepted, by subscription. */
  readonly accepted = new Map<string, Map<string, number>>();
  readonly #inFlight = new Map<string, Life>();
  readonly #world: ReceiverWorld;

  constructor(world: ReceiverWorld) {
    this.#world = world;
  }

  senderFor(life: Life): Pick<Sender, 'send'> {
    return { send: (request) => this.#send(life, request) };
  }

  async #send(life: Life, request: DeliveryRequest): Promise<Outcome> {
    const { scheduler, isFailing } = this.#world;
    const delivery = headerOf(request, 'service-delivery-id');
    const event = headerOf(request, 'webhook-id');
    const attempt = Number(headerOf(request, 'service-delivery-attempt'));
    this.#checkAllowed(life, delivery, event);
    this.#inFlight.set(delivery, life);
    const isSure = attempt >= SURE_ATTEMPT;
    const outcome = await scheduler.call(life, `post ${event}`, () => {
      if (isSure || !isFailing()) return this.#accept(request.endpoint, event, 204);
      const kind = scheduler.random();
      if (kind < 0.3) return this.#accept(request.endpoint, event, null);
      return this.#outcome(kind < 0.6 ? null : 500);
    });
    return await scheduler.call(life, `answer ${event}`, () => {
      this.#inFlight.delete(delivery);
      return outcome;
    });
  }

  /** `status` null: accepted, and the response is lost. */
  #accept(endpoint: string, event: string, status: number | null): Outcome {
    const of = this.accepted.get(endpoint) ?? new Map<string, number>();
    this.accepted.set(endpoint, of);
    of.set(event, (of.get(event) ?? 0) + 1);
    return this.#outcome(status);
  }

  #outcome(status: number | null): Outcome {
    const isGood = status !== null && status < 300;
    const code = status === null ? 'timeout' : 'http_status';
    const error = isGood ? null : { code, message: 'simulated' };
    return { status, error, retryAfter: undefined, body: '', endedMs: this.#world.wallMs(), duration_ms: 0 };
  }

  #checkAllowed(life: Life, delivery: string, event: string): void {
    const { store, violation } = this.#world;
    const other = this.#inFlight.get(delivery);
    if (other?.isAlive === true) violation(`${life.name} sends ${event} while ${other.name} does`);
    const seq = Number(delivery.slice(delivery.indexOf('_') + 1));
    const [row] = store.all(
      'select status from webhook_delivery where seq = cast(? as integer)',
      String(seq),
    );
    if (row?.['status'] === 'delivered')
      violation(`${life.name} sends ${event}, which is recorded as delivered`);
  }
}
