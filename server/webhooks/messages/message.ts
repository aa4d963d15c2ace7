// One event as the message of a format: a pure function of the envelope, the alert, the target and the moment.
import type { Alert } from './alert.ts';
import { discordMessage, slackMessage, teamsMessage, telegramMessage } from './chat-messages.ts';
import { alertmanagerAlerts, cloudEvent, pagerDutyEvent } from './pages.ts';
import type { WebhookFormat } from '../../../schemas/webhooks.ts';
import type { MessageTarget } from './targets.ts';

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
