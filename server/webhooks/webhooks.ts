// Webhooks as one object of the server: the operations on subscriptions, and the dispatcher that delivers to them.
import type { SpanSink } from '../../platform/tracing/tracer.ts';
import type { Log } from '../log.ts';
import type { ReplayLog } from '../replay/replay-log.ts';
import type { Sealer } from '../store/seal.ts';
import type { OpsStore } from '../store/store.ts';
import { AddressGuard, type Resolve } from './address-guard.ts';
import { Deliveries } from './deliveries.ts';
import { CAPS, Dispatcher } from './dispatch.ts';
import { type MessageSources, Messages } from './messages/messages.ts';
import { Sender, type TimeLimits } from './send.ts';
import type { LegacySignature } from './sign.ts';
import { Subscriptions } from './subscriptions.ts';

/** Options from the settings and the environment. */
export interface WebhookOptions {
  readonly sealer: Sealer;
  readonly resolve: Resolve;
  readonly randomBytes: (count: number) => Uint8Array;
  /** 0 inclusive to 1 exclusive. */
  readonly random: () => number;
  readonly after: (ms: number, work: () => void) => () => void;
  /** Development only: allows receivers on this machine, also over http. */
  readonly isLoopbackAllowed: boolean;
  /** Whether and how long the deprecated signature header is still sent. */
  readonly legacySignature: LegacySignature;
  /** Certificate authorities to trust instead of the machine's; for tests. */
  readonly ca?: string | undefined;
  /** Monotonic milliseconds; default: the server's own. */
  readonly steadyMs?: () => number;
  /** Overrides the time limits of an attempt; for tests. */
  readonly limits?: TimeLimits;
}

export interface WebhooksDeps extends WebhookOptions {
  readonly store: OpsStore;
  readonly events: ReplayLog;
  readonly nowMs: () => number;
  readonly every: (ms: number, work: () => void) => () => void;
  readonly wait: (ms: number) => Promise<void>;
  readonly log: Log;
  readonly messageSources: MessageSources;
  readonly spans?: SpanSink | undefined;
}

/** The services that endpoints use. */
export interface WebhookServices {
  readonly subscriptions: Subscriptions;
  readonly deliveries: Deliveries;
  readonly messages: Pick<Messages, 'rejected'>;
}

export class Webhooks implements WebhookServices {
  readonly subscriptions: Subscriptions;
  readonly deliveries: Deliveries;
  readonly messages: Messages;
  readonly #deps: WebhooksDeps;
  readonly #guard: AddressGuard;
  #dispatcher: Dispatcher | undefined;

  constructor(deps: WebhooksDeps) {
    this.#deps = deps;
    this.#guard = new AddressGuard(deps);
    this.subscriptions = new Subscriptions({ ...deps, guard: this.#guard });
    this.deliveries = new Deliveries(deps);
    this.messages = new Messages({ ...deps, ...deps.messageSources });
  }

  start(): void {
    const { isLoopbackAllowed, log, legacySignature } = this.#deps;
    if (isLoopbackAllowed)
      log.warn({}, 'webhooks may be sent to this machine over http: for development only');
    const sender = new Sender({ ...this.#deps, guard: this.#guard, connections: CAPS.perEndpoint });
    this.#dispatcher = Dispatcher.start({ ...this.#deps, legacySignature, sender, messages: this.messages });
  }

  /** Reports that there may be new events. */
  wake(): void {
    this.#dispatcher?.wake();
  }

  /** Does everything that can be done now. For tests. */
  async settle(): Promise<void> {
    await this.#dispatcher?.settle();
  }

  async stop(): Promise<void> {
    await this.#dispatcher?.stop();
  }
}
