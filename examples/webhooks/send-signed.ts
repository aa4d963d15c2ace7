// Posts an event to a receiver as the service would, with the same headers and signatures.
import { request } from 'undici';
import { signatureHeaders, signingKey } from '../../server/webhooks/sign.ts';

/** The same timeout as the service's. */
const ANSWER_MS = 15_000;

export interface Receiver {
  readonly url: string;
  readonly secret: string;
}

/** Returns the status of the response. @throws if there is none */
export async function sendSigned(
  { url, secret }: Receiver,
  event: { readonly event_id: string; readonly test?: boolean },
  nowMs: number,
): Promise<number> {
  const body = Buffer.from(JSON.stringify(event));
  const message = { id: event.event_id, body, sentSeconds: Math.floor(nowMs / 1_000) };
  const signed = signatureHeaders(message, [signingKey(secret)], false);
  const answer = await request(url, {
    method: 'POST',
    headers: [
      'Content-Type',
      'application/json',
      ...(event.test ? ['Service-Event-Test', 'true'] : []),
      ...signed,
    ],
    body,
    headersTimeout: ANSWER_MS,
    bodyTimeout: ANSWER_MS,
  });
  await answer.body.dump();
  return answer.statusCode;
}
