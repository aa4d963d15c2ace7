// Where each format is sent: which addresses belong to its product, what of an address is secret, and what is shown of it instead.
import { scrubberOfPairs } from '../../../platform/base/secrets.ts';
import type { WebhookFormat } from '../../../schemas/webhooks.ts';
import type { Sealer } from '../../store/seal.ts';

/** Formats whose address is shown as it is: the receiver is the caller's own and checks signatures. */
export const isSigned = (format: WebhookFormat): boolean => format === 'standard' || format === 'cloudevents';

/** What a message is sent to. Sealed in the store, because an address or a key lets anyone write to the channel. */
export interface MessageTarget {
  readonly url: string;
  /** Of PagerDuty. */
  readonly routing_key?: string;
  /** Of Telegram. */
  readonly chat_id?: string;
}

interface Product {
  /** Of the address without its scheme. */
  readonly host: RegExp;
  readonly path: RegExp;
  /** Address to copy, for the error. */
  readonly example: string;
}

const TEAMS_HOST = /(^|\.)(logic\.azure\.com|azure-apihub\.net|api\.powerplatform\.com)$/;

const PRODUCTS: Readonly<Record<Exclude<WebhookFormat, 'standard' | 'cloudevents'>, Product>> = {
  slack: {
    host: /^hooks\.slack(-gov)?\.com$/,
    path: /^\/services\/[^?]+$/,
    example: 'https://hooks.slack.com/services/T…/B…/…',
  },
  discord: {
    host: /^((ptb|canary)\.)?discord(app)?\.com$/,
    path: /^\/api\/(v\d+\/)?webhooks\/\d+\/[\w-]+(\?(wait=\w+|thread_id=\d+)(&(wait=\w+|thread_id=\d+))*)?$/,
    example: 'https://discord.com/api/webhooks/<id>/<token>',
  },
  telegram: {
    host: /^api\.telegram\.org$/,
    path: /^\/bot\d+:[\w-]+\/sendMessage$/,
    example: 'https://api.telegram.org/bot<token>/sendMessage',
  },
  teams: {
    host: TEAMS_HOST,
    path: /^\/.+/,
    example: 'https://….logic.azure.com/workflows/… (a Workflow: Office 365 connectors are retired)',
  },
  pagerduty: {
    host: /^events\.(eu\.)?pagerduty\.com$/,
    path: /^\/v2\/enqueue$/,
    example: 'https://events.pagerduty.com/v2/enqueue',
  },
  alertmanager: {
    host: /./,
    path: /\/api\/v2\/alerts$/,
    example: 'https://<your Alertmanager>/api/v2/alerts',
  },
};

export interface TargetProblem {
  readonly field: 'url' | 'routing_key' | 'chat_id';
  readonly problem: string;
}

const ROUTING_KEY = /^[A-Za-z0-9]{32}$/;
const CHAT_ID = /^(-?\d{1,20}|@[A-Za-z]\w{3,63})$/;

/** Why a target does not suit its format; undefined if it does. `isLocal`: a stand-in on this machine, whose host is not compared. */
export function targetProblem(
  format: WebhookFormat,
  { url, routing_key, chat_id }: MessageTarget,
  isLocal: (host: string) => boolean,
): TargetProblem | undefined {
  if (routing_key !== undefined && format !== 'pagerduty')
    return { field: 'routing_key', problem: 'belongs to the format pagerduty only' };
  if (chat_id !== undefined && format !== 'telegram')
    return { field: 'chat_id', problem: 'belongs to the format telegram only' };
  const ofUrl = urlProblem(format, url, isLocal);
  if (ofUrl !== undefined) return { field: 'url', problem: ofUrl };
  if (format === 'pagerduty' && !ROUTING_KEY.test(routing_key ?? ''))
    return {
      field: 'routing_key',
      problem: 'must be the 32 letters and digits of an Events API v2 integration',
    };
  if (format === 'telegram' && !CHAT_ID.test(chat_id ?? ''))
    return { field: 'chat_id', problem: 'must be the number of a chat, or the @name of a public channel' };
  return undefined;
}

/** Why an address does not belong to the product of the format; undefined if it does. */
export function urlProblem(
  format: WebhookFormat,
  url: string,
  isLocal: (host: string) => boolean,
): string | undefined {
  if (format === 'standard' || format === 'cloudevents') return undefined;
  const { host, path, example } = PRODUCTS[format];
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  const isHost = parsed !== undefined && (host.test(parsed.hostname) || isLocal(parsed.hostname));
  return isHost && path.test(parsed.pathname + parsed.search)
    ? undefined
    : `is not an address of ${format}, which is of the form ${example}`;
}

const FINGERPRINT_CHARACTERS = 12;

/**
 * What is shown of a target, and what identifies it in records: host and a fingerprint, from which nothing can be guessed without the seal
 * key. Another target has another one.
 */
export function shownUrl(format: WebhookFormat, target: MessageTarget, sealer: Pick<Sealer, 'mac'>): string {
  if (isSigned(format)) return target.url;
  const mac = sealer.mac(JSON.stringify([target.url, target.routing_key, target.chat_id]), 'webhook target');
  return `${new URL(target.url).origin}/fingerprint-${mac.slice(0, FINGERPRINT_CHARACTERS)}`;
}

/** What a sealed target is bound to: one that is copied to another subscription cannot be opened. */
export const targetBinding = (id: string): string => `target of ${id}`;

export const sealTarget = (sealer: Pick<Sealer, 'seal'>, id: string, target: MessageTarget): Uint8Array =>
  sealer.seal(Buffer.from(JSON.stringify(target)), targetBinding(id));

/** @throws if it was sealed with another key or for another subscription */
export const openTarget = (sealer: Pick<Sealer, 'open'>, id: string, sealed: Uint8Array): MessageTarget =>
  JSON.parse(sealer.open(sealed, targetBinding(id)).toString()) as MessageTarget;

const MIN_SECRET_CHARACTERS = 8;

/** Text from outside without the secret parts of the target, however they are written. */
export function withoutSecrets(text: string, { url, routing_key, chat_id }: MessageTarget): string {
  if (text.length < MIN_SECRET_CHARACTERS) return text;
  const { pathname, search, searchParams } = new URL(url);
  const path = pathname.split('/');
  const parts = [
    ...[pathname + search, ...path, ...path.map(decoded)],
    ...search.split(/[?&=]/),
    ...searchParams.values(),
  ].filter((part) => part.length >= MIN_SECRET_CHARACTERS);
  return scrubberOfPairs([
    ...parts.map((part): [string, string] => ['url', part]),
    ...(routing_key === undefined ? [] : [['routing_key', routing_key] as const]),
    ...(chat_id === undefined ? [] : [['chat_id', chat_id] as const]),
  ]).text(text);
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch (error) {
    if (error instanceof URIError) return part;
    throw error;
  }
}
