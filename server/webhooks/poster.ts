// One attempt: finds the event's bytes, posts them, and passes the result to the recorder. The dispatcher decides when and how many.
import type { DueDelivery } from '../store/webhook-store.ts';
import type { EventFeed } from './event-feed.ts';
import { attempted, postOf, postpone, withoutEvent } from './post.ts';
import type { DeliveryQueue } from './queue.ts';
import type { Recorder } from './recorder.ts';
import type { Sender } from './send.ts';
import type { LegacySignature } from './sign.ts';

export interface PosterDeps {
  readonly feed: EventFeed;
  readonly sender: Pick<Sender, 'send'>;
  readonly recorder: Recorder;
  readonly nowMs: () => number;
  /** 0 inclusive to 1 exclusive. */
  readonly random: () => number;
  readonly legacySignature: LegacySignature;
  readonly tell: (error: unknown) => void;
}

export class Poster {
  readonly #deps: PosterDeps;
  #isAbandoned = false;

  constructor(deps: PosterDeps) {
    this.#deps = deps;
  }

  /** Stops recording results of attempts. */
  abandon(): void {
    this.#isAbandoned = true;
  }

  /** Resolves when the attempt is finished; never throws. */
  attempt(queue: DeliveryQueue, delivery: DueDelivery): Promise<void> {
    const body =
      delivery.body === null ? this.#deps.feed.kept(delivery.event_id) : Buffer.from(delivery.body);
    return body === undefined ? this.#readAndPost(queue, delivery) : this.#post(queue, delivery, body);
  }

  async #readAndPost(queue: DeliveryQueue, delivery: DueDelivery): Promise<void> {
    const { feed, recorder, nowMs, tell } = this.#deps;
    const body = await feed.read(delivery.event_id).catch((error: unknown) => {
      tell(error);
      return null;
    });
    if (body instanceof Buffer) return this.#post(queue, delivery, body);
    const record = body === null ? postpone(delivery, nowMs()) : withoutEvent(delivery);
    recorder.add({ queue, record });
  }

  async #post(queue: DeliveryQueue, delivery: DueDelivery, body: Buffer): Promise<void> {
    const { nowMs, legacySignature, random, sender, recorder } = this.#deps;
    const startedMs = nowMs();
    const { replayCursor } = queue;
    const post = postOf({ delivery, queue, body, startedMs, legacySignature });
    const outcome = await sender.send(post);
    // A shutdown is not a failure of the receiver, so the next start sends the delivery again.
    if (this.#isAbandoned) return;
    const { record, verdict } = attempted({ delivery, startedMs, post, replayCursor }, outcome, random);
    queue.note(verdict.status === 'delivered', outcome.status !== null, outcome.endedMs);
    recorder.add({ queue, record, disables: verdict.status === 'failed' ? verdict.disables : undefined });
  }
}
