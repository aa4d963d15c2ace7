// What the response of a chat or paging product means: its own errors, also those inside a response with status 200, and how long to wait.
import type { AttemptError, Outcome } from '../send.ts';
import type { WebhookFormat } from '../../../schemas/webhooks.ts';

/** The service made a form that the product refuses. */
export const REJECTED_FORM = 'rejected_form';
/** The channel, bot or integration does not exist any more, or refuses everything. */
export const TARGET_GONE = 'target_gone';

export interface Answer {
  /** Null if the product accepted the message. */
  readonly error: AttemptError | null;
  /** Seconds or a date, as in `Retry-After`. */
  readonly retryAfter: string | undefined;
}

const TOO_MANY = 429;
const TOO_LARGE = 413;
const GONE: Readonly<Partial<Record<WebhookFormat, readonly number[]>>> = {
  slack: [403, 404, 410],
  discord: [401, 403, 404, 410],
  telegram: [401, 403, 404, 410],
  teams: [401, 403, 404, 410],
};
/** Of Slack and Telegram, texts of errors that concern the channel although the status is 400. */
const GONE_TEXT =
  /channel_not_found|channel_is_archived|no_service|no_team|team_disabled|user_not_found|invalid_token|action_prohibited|posting_to_\w+_denied|chat not found|was kicked|was blocked|upgraded to a supergroup|not enough rights|CHAT_WRITE_FORBIDDEN/i;
/** Of PagerDuty, an error about the key and not about the event. */
const KEY_TEXT = /routing[_ ]key/i;

/** Judges a complete response; an exchange without one keeps its error. */
export function answerOf(format: WebhookFormat, outcome: Outcome): Answer {
  const { status, body, error, retryAfter } = outcome;
  if (status === null) return { error, retryAfter };
  const text = body ?? '';
  const own = objectIn(text);
  const code = codeIn(format, own) ?? status;
  if (code === TOO_MANY)
    return {
      error: { code: 'http_status', message: 'The product asks to wait.' },
      retryAfter: waitIn(own) ?? retryAfter,
    };
  if (GONE[format]?.includes(code) || (code === 400 && isAboutTarget(format, text)))
    return {
      error: {
        code: TARGET_GONE,
        message: `The target no longer accepts messages (${reasonIn(own, text, code)}).`,
      },
      retryAfter,
    };
  if (code === 400 || code === TOO_LARGE || isRefusedText(format, text, code))
    return {
      error: {
        code: REJECTED_FORM,
        message: `The product refuses the form of the message (${reasonIn(own, text, code)}).`,
      },
      retryAfter,
    };
  return {
    error:
      code >= 200 && code < 300
        ? null
        : (error ?? { code: 'http_status', message: `The receiver returned status ${code}.` }),
    retryAfter,
  };
}

/** Telegram states success in the body; its proxies may return 200 for an error. */
function codeIn(format: WebhookFormat, own: Members | undefined): number | undefined {
  if (format !== 'telegram' || own?.['ok'] !== false) return undefined;
  return typeof own['error_code'] === 'number' ? own['error_code'] : 400;
}

/** Slack answers `ok`; a 200 with other text, such as `invalid_payload`, is an error. Workflows answer with JSON. */
const isRefusedText = (format: WebhookFormat, text: string, code: number): boolean =>
  format === 'slack' && code === 200 && text.trim() !== 'ok' && !/"ok"\s*:\s*true/.test(text);

const isAboutTarget = (format: WebhookFormat, text: string): boolean =>
  ((format === 'slack' || format === 'telegram') && GONE_TEXT.test(text)) ||
  (format === 'pagerduty' && KEY_TEXT.test(text));

type Members = Readonly<Record<string, unknown>>;

function objectIn(text: string): Members | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Members) : undefined;
  } catch {
    // Not JSON: Slack answers with plain text, and the start of a long response is cut.
    return undefined;
  }
}

/** `retry_after` of Discord, in seconds, and of Telegram, inside `parameters`. */
function waitIn(own: Members | undefined): string | undefined {
  const parameters = own?.['parameters'];
  const inner = typeof parameters === 'object' && parameters !== null ? (parameters as Members) : {};
  const seconds = own?.['retry_after'] ?? inner['retry_after'];
  return typeof seconds === 'number' && seconds >= 0 ? String(Math.ceil(seconds)) : undefined;
}

const MAX_REASON_CHARACTERS = 120;

function reasonIn(own: Members | undefined, text: string, code: number): string {
  const said = own?.['description'] ?? own?.['message'] ?? (own === undefined ? text : undefined);
  const words =
    typeof said === 'string' ? said.replace(/\s+/g, ' ').trim().slice(0, MAX_REASON_CHARACTERS) : '';
  return words === '' ? `status ${code}` : `status ${code}: ${words.toWellFormed()}`;
}
