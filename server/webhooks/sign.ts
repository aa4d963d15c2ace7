// The signatures of a delivery: ours (5.8), the deprecated one without a time, and those of Standard Webhooks (decisions 48, 49). After a
// rotation there is one per secret that is still valid.
import { HmacKey } from './hmac.ts';

export const SECRET_PREFIX = 'whsec_';
const SECRET_BYTES = 32;
/** How long the deprecated header is still sent after its end was announced. */
const LEGACY_DAYS = 60;
const DAY_MS = 86_400_000;

/** A secret as the key of both schemes. */
export interface SigningKey {
  /** The whole text, including `whsec_` (5.8). */
  readonly text: HmacKey;
  /** The 32 decoded bytes of its base64 part (Standard Webhooks). */
  readonly bytes: HmacKey;
}

export interface Message {
  /** Sent as `webhook-id`: the event's id, which is the same for every attempt. */
  readonly id: string;
  readonly body: Uint8Array;
  /** Unix seconds of this attempt. */
  readonly sentSeconds: number;
}

export function makeSecret(random: (bytes: number) => Uint8Array): string {
  return SECRET_PREFIX + Buffer.from(random(SECRET_BYTES)).toString('base64');
}

export function signingKey(secret: string): SigningKey {
  return {
    text: new HmacKey(Buffer.from(secret)),
    bytes: new HmacKey(Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64')),
  };
}

/** The transition from the deprecated header (5.8): `announced` ends 60 days after that day, `open` has no end yet. */
export type LegacySignature =
  | { readonly state: 'off' | 'open' }
  | { readonly state: 'announced'; readonly fromMs: number };

/** The value of the setting `WEBHOOK_LEGACY_SIGNATURE_FROM`: empty, `never`, or a day. */
export const legacySignatureOf = (from: string): LegacySignature =>
  from === '' || from === 'never'
    ? { state: from === '' ? 'open' : 'off' }
    : { state: 'announced', fromMs: Date.parse(from) };

/** Whether the deprecated header is still sent. */
export const isLegacyShown = (legacy: LegacySignature, nowMs: number): boolean =>
  legacy.state === 'announced' ? nowMs < legacy.fromMs + LEGACY_DAYS * DAY_MS : legacy.state === 'open';

/** Name, value, name, value. `keys`: that of the current secret first, then those that are still accepted. */
export function signatureHeaders(message: Message, keys: readonly SigningKey[], isLegacy: boolean): string[] {
  const { id, body, sentSeconds } = message;
  const ours = keys.map(({ text }) => `,v1=${text.digest(`${sentSeconds}.`, body, 'hex')}`);
  const standard = keys.map(({ bytes }) => `v1,${bytes.digest(`${id}.${sentSeconds}.`, body, 'base64')}`);
  const headers = [
    'Service-Signature',
    `t=${sentSeconds}${ours.join('')}`,
    'webhook-id',
    id,
    'webhook-timestamp',
    String(sentSeconds),
    'webhook-signature',
    standard.join(' '),
  ];
  const [current] = keys;
  if (isLegacy && current !== undefined)
    headers.push('X-Service-Signature', current.text.digest('', body, 'hex'));
  return headers;
}
