// Writes the message of a delivery, an event or a summary, in the form of its format, and judges the response of its product.
import type { RiskEvent } from '../../../schemas/event.ts';
import { isSummaryType, type WebhookFormat, type WebhookSummary } from '../../../schemas/webhooks.ts';
import type { Log } from '../../log.ts';
import type { StoryFacts } from '../../replies/story/story-facts.ts';
import type { DeliveryQueue } from '../queue.ts';
import type { Outcome } from '../send.ts';
import { type Alert, alertOf } from './alert.ts';
import { answerOf, REJECTED_FORM } from './answers.ts';
import { discordMessage, slackMessage, teamsMessage, telegramMessage } from './chat-messages.ts';
import { alertmanagerAlerts, cloudEvent, pagerDutyEvent } from './pages.ts';
import { alertOfSummary } from './summary.ts';
import { type MessageTarget, withoutSecrets } from './targets.ts';

/** What messages need of the published data. */
export interface MessageSources {
  /** What is known about an event; `report` gets the reason if that is its envelope only. */
  readonly factsOf: (event: RiskEvent, report: (error: unknown) => void) => Promise<StoryFacts>;
  /** Address of the service for links, without a trailing slash. */
  readonly base: () => string;
}

interface MessagesDeps extends MessageSources {
  readonly nowMs: () => number;
  readonly log: Log;
}

type DeliveryTarget = Pick<DeliveryQueue, 'id' | 'record' | 'target'>;

export class Messages {
  readonly #deps: MessagesDeps;
  readonly #rejected = new Map<WebhookFormat, number>();

  constructor(deps: MessagesDeps) {
    this.#deps = deps;
  }

  /** Messages of each format whose form a product refused. */
  get rejected(): ReadonlyMap<WebhookFormat, number> {
    return this.#rejected;
  }

  async bodyOf({ record: { format }, target }: DeliveryTarget, envelope: Buffer): Promise<Buffer> {
    const { factsOf, log, nowMs } = this.#deps;
    const event = JSON.parse(envelope.toString()) as RiskEvent;
    const facts = await factsOf(event, (error) =>
      log.warn({ err: error, event_id: event.event_id }, 'a message has only what is in its event'),
    );
    const base = this.#deps.base();
    const alert = isSummaryType(event.type)
      ? alertOfSummary(event as unknown as WebhookSummary, facts, base)
      : alertOf(facts, base);
    return messageBody(format, { envelope, alert, target, base, nowMs: nowMs() });
  }

  /** The outcome as the product means it, without the secrets of its target. */
  judged({ id, record: { format }, target }: DeliveryTarget, outcome: Outcome): Outcome {
    // Cleaned before anything is cut out of it: a secret of which only the beginning is left would not be found.
    const body = outcome.body === null ? null : withoutSecrets(outcome.body, target);
    const { error, retryAfter } = answerOf(format, { ...outcome, body });
    if (error?.code === REJECTED_FORM) {
      this.#rejected.set(format, (this.#rejected.get(format) ?? 0) + 1);
      this.#deps.log.error(
        { webhook_id: id, format, reason: error.message },
        'a product refuses the form of a message: this is a fault of the service',
      );
    }
    return { ...outcome, error, retryAfter, body };
  }
}

export interface MessageParts {
  readonly envelope: Buffer;
  readonly alert: Alert;
  readonly target: MessageTarget;
  /** Address of the service, without a trailing slash. */
  readonly base: string;
  readonly nowMs: number;
}

const JSON_TYPE = 'application/json';
/** Teams halves its limit unless the encoding is named. */
const JSON_UTF8 = 'application/json; charset=utf-8';

export const contentTypeOf = (format: WebhookFormat): string => {
  if (format === 'cloudevents') return 'application/cloudevents+json; charset=UTF-8';
  return format === 'standard' ? JSON_TYPE : JSON_UTF8;
};

export function messageBody(format: WebhookFormat, parts: MessageParts): Buffer {
  const { envelope, base } = parts;
  if (format === 'standard') return envelope;
  if (format === 'cloudevents') return cloudEvent(envelope, base);
  return Buffer.from(JSON.stringify(messageOf(format, parts)));
}

function messageOf(
  format: Exclude<WebhookFormat, 'standard' | 'cloudevents'>,
  { alert, target, nowMs }: MessageParts,
): object {
  switch (format) {
    case 'slack':
      return slackMessage(alert);
    case 'discord':
      return discordMessage(alert);
    case 'telegram':
      return telegramMessage(alert, target.chat_id ?? '');
    case 'teams':
      return teamsMessage(alert);
    case 'pagerduty':
      return pagerDutyEvent(alert, target.routing_key ?? '');
    case 'alertmanager':
      return alertmanagerAlerts(alert, nowMs);
  }
}
