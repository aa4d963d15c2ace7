// Verifies deliveries by the signatures of Standard Webhooks, and makes them for tests. Uses the cryptography of the platform, so it runs in
// Node, in workers and at the edge.
import type { Event } from './api-types.ts';

export type WebhookProblem =
  | 'no signature'
  | 'no timestamp'
  | 'too old'
  | 'too new'
  | 'wrong signature'
  | 'no event';

/** A delivery that must not be processed: answer it with 401. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError';
  readonly problem: WebhookProblem;

  constructor(problem: WebhookProblem, message: string) {
    super(message);
    this.problem = problem;
  }
}

export interface Delivery {
  /** The raw bytes of the request body, neither parsed nor reserialised. */
  readonly body: Uint8Array | string;
  /** Those of the request, of `fetch` or of Node; names in any case. */
  readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
}

export interface VerifyOptions {
  /** The current secret and, after a rotation, the previous one. */
  readonly secrets: readonly string[];
  readonly nowSeconds?: number;
  /** How far the sender's clock may be off, either way. */
  readonly toleranceSeconds?: number;
}

const TOLERANCE_SECONDS = 300;
const MIN_BYTES = 24;
const MAX_BYTES = 64;
const SECRET = /^whsec_([A-Za-z0-9+/]+={0,2})$/;

/** The event of a delivery. @throws WebhookError; Error for what is not a secret */
export async function verifyWebhook(
  { headers, body }: Delivery,
  { secrets, nowSeconds = Date.now() / 1_000, toleranceSeconds = TOLERANCE_SECONDS }: VerifyOptions,
): Promise<Event> {
  if (secrets.length === 0) throw new Error('There is no signing secret to verify with.');
  const keys = secrets.map(keyOf);
  const id = headerOf(headers, 'webhook-id');
  const sent = headerOf(headers, 'webhook-timestamp');
  const given = headerOf(headers, 'webhook-signature')
    .split(' ')
    .flatMap((part) => (part.startsWith('v1,') ? [part.slice(3)] : []));
  if (id === '' || given.length === 0) throw new WebhookError('no signature', 'The delivery is not signed.');
  if (!/^\d{1,12}$/.test(sent))
    throw new WebhookError('no timestamp', 'The delivery does not say when it was sent.');
  const ageSeconds = nowSeconds - Number(sent);
  if (ageSeconds > toleranceSeconds) throw new WebhookError('too old', 'The delivery is too old.');
  if (ageSeconds < -toleranceSeconds)
    throw new WebhookError('too new', 'The delivery is from the future: one of the clocks is wrong.');
  const message = signedMessage(id, sent, body);
  let isGood = false;
  // Every pair is checked, in constant time, so that the duration reveals nothing.
  for (const key of keys)
    for (const signature of given) if (await isSignature(key, signature, message)) isGood = true;
  if (!isGood)
    throw new WebhookError('wrong signature', 'The delivery was not signed with any of the secrets.');
  return eventOf(body);
}

/**
 * Refuses what is not a signing secret: with an empty or a short one, a forged signature could verify. Call it at start, so that a pasted
 * mistake shows before the first delivery.
 * @throws Error that says what is wrong with it, without the secret
 */
export function checkSecret(secret: string): void {
  keyOf(secret);
}

function keyOf(secret: string): Uint8Array<ArrayBuffer> {
  if (secret === '') throw new Error('The signing secret is empty.');
  if (secret !== secret.trim())
    throw new Error('The signing secret has spaces or line ends around it: remove them.');
  if (/^["']|["']$/.test(secret)) throw new Error('The signing secret is in quotes: remove them.');
  if (secret === 'v1' || secret.startsWith('v1,'))
    throw new Error(
      'The signing secret begins with "v1,", as a signature does: use only the part from "whsec_" on.',
    );
  const bytes = bytesOf(SECRET.exec(secret)?.[1] ?? '');
  if (bytes === undefined || bytes.length < MIN_BYTES || bytes.length > MAX_BYTES)
    throw new Error(
      `The signing secret is not "whsec_" and the base64 of ${MIN_BYTES} to ${MAX_BYTES} bytes: copy it again.`,
    );
  return bytes;
}

/** Undefined if it is no base64. */
function bytesOf(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function headerOf(headers: Delivery['headers'], name: string): string {
  if (headers instanceof Headers) return headers.get(name) ?? '';
  const found = Object.entries(headers).find(([other]) => other.toLowerCase() === name)?.[1];
  return (typeof found === 'string' ? found : found?.join(' ')) ?? '';
}

const HMAC = { name: 'HMAC', hash: 'SHA-256' } as const;
const imported = (key: Uint8Array<ArrayBuffer>, usage: 'sign' | 'verify') =>
  crypto.subtle.importKey('raw', key, HMAC, false, [usage]);

const bodyBytes = (body: Uint8Array | string): Uint8Array =>
  typeof body === 'string' ? new TextEncoder().encode(body) : body;

function signedMessage(id: string, sent: string, body: Uint8Array | string): Uint8Array<ArrayBuffer> {
  const head = new TextEncoder().encode(`${id}.${sent}.`);
  const bytes = bodyBytes(body);
  const message = new Uint8Array(head.length + bytes.length);
  message.set(head);
  message.set(bytes, head.length);
  return message;
}

async function isSignature(
  key: Uint8Array<ArrayBuffer>,
  signature: string,
  message: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  const given = bytesOf(signature);
  return given !== undefined && crypto.subtle.verify('HMAC', await imported(key, 'verify'), given, message);
}

/** The event that a signed body is. */
function eventOf(body: Uint8Array | string): Event {
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  try {
    const event: unknown = JSON.parse(text);
    if (typeof event === 'object' && event !== null) return event as Event;
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
  }
  throw new WebhookError('no event', 'The body of the delivery is not an event.');
}

/** The headers that sign a body, as the service sends them. */
export async function sign(
  { id, body, nowSeconds }: { readonly id: string; readonly body: string; readonly nowSeconds: number },
  secret: string,
): Promise<Record<string, string>> {
  const sent = String(Math.floor(nowSeconds));
  const digest = async (key: Uint8Array<ArrayBuffer>, message: Uint8Array<ArrayBuffer>) =>
    new Uint8Array(await crypto.subtle.sign('HMAC', await imported(key, 'sign'), message));
  const standard = await digest(keyOf(secret), signedMessage(id, sent, body));
  const text = new TextEncoder();
  const ours = await digest(text.encode(secret), text.encode(`${sent}.${body}`));
  return {
    'webhook-id': id,
    'webhook-timestamp': sent,
    'webhook-signature': `v1,${btoa(String.fromCharCode(...standard))}`,
    'Service-Signature': `t=${sent},v1=${Array.from(ours, (byte) => byte.toString(16).padStart(2, '0')).join('')}`,
  };
}
