// Verifies that a delivery comes from the service. The header Service-Signature is `t=<unix seconds>,v1=<hex HMAC-SHA256>[,v1=…]`, over
// `<t>.<raw body>`, keyed with the signing secret. Copy this file: it imports nothing but Node.
import { createHmac, timingSafeEqual } from 'node:crypto';

const TOLERANCE_SECONDS = 300;

export type Verdict = 'good' | 'no signature' | 'too old or too new' | 'wrong signature';

export interface Delivery {
  /** The raw bytes of the request body, neither parsed nor reserialised. */
  readonly body: Uint8Array;
  /** Value of the `Service-Signature` header. */
  readonly signature: string | undefined;
}

/** `secrets`: the current one and, for a while after a rotation, the previous one. */
export function verify(delivery: Delivery, secrets: readonly string[], nowSeconds: number): Verdict {
  const parts = (delivery.signature ?? '').split(',').map((part) => part.split('=', 2));
  const time = parts.find(([name]) => name === 't')?.[1] ?? '';
  const given = parts.flatMap(([name, value]) => (name === 'v1' && value !== undefined ? [value] : []));
  if (!/^\d+$/.test(time) || given.length === 0) return 'no signature';
  if (Math.abs(nowSeconds - Number(time)) > TOLERANCE_SECONDS) return 'too old or too new';
  const expected = secrets.map((secret) =>
    createHmac('sha256', secret).update(`${time}.`).update(delivery.body).digest(),
  );
  const isGood = given.some((hex) => expected.some((digest) => isEqual(Buffer.from(hex, 'hex'), digest)));
  return isGood ? 'good' : 'wrong signature';
}

/** Compares in constant time, so that the duration reveals nothing. */
const isEqual = (a: Buffer, b: Buffer): boolean => a.length === b.length && timingSafeEqual(a, b);
