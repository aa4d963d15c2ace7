// `listen`: forwards live events to a receiver on this machine, signed like webhooks, to develop it without a public address.
import type { Event } from '../api-types.ts';
import { checkSecret, sign } from '../webhooks.ts';
import { type Command, required, UsageError } from './options.ts';
import { followOptionsOf } from './tail.ts';

/** The same timeout as the service's. */
const ANSWER_MS = 15_000;

export interface Receiver {
  readonly url: string;
  readonly secret: string;
}

export const LISTEN: Command = {
  usage: 'listen --forward-to URL [--secret SECRET] [--since EVENT_ID] [--types TYPE,…]',
  options: {
    'forward-to': { type: 'string' },
    secret: { type: 'string' },
    since: { type: 'string' },
    types: { type: 'string' },
  },
  async run(input) {
    const { client, option, print, say } = input;
    const receiver = receiverOf(
      required(option('forward-to'), 'The address (--forward-to)'),
      option('secret'),
    );
    required(client.key, 'The key (--key, or DEFI_RISK_KEY)');
    const since = option('since') ?? (await client.latestEventId());
    say(`Forwarding events after ${since} to ${receiver.url}, signed with ${receiver.secret}`);
    say(
      'To let the service itself send webhooks to this machine, start it with WEBHOOKS_ALLOW_LOOPBACK=true.',
    );
    for await (const event of client.follow({ ...followOptionsOf(input), since })) {
      const outcome = await sendSigned(receiver, event, Date.now()).catch(problemOf);
      print(`${event.ts} ${event.type} ${event.event_id} -> ${outcome}`.replaceAll(/\s/g, ' '));
    }
  },
};

/** Without a secret, a new one is made. @throws UsageError */
export function receiverOf(url: string, secret = newSecret()): Receiver {
  if (!/^https?:\/\//.test(url)) throw new UsageError(`"${url}" is not an address: it must begin with http.`);
  try {
    checkSecret(secret);
  } catch (cause) {
    throw new UsageError(cause instanceof Error ? cause.message : String(cause), { cause });
  }
  return { url, secret };
}

const newSecret = (): string =>
  `whsec_${btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(32))))}`;

export function problemOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}

/** Posts an event as the service would, and returns the status of the response. @throws if there is none */
export async function sendSigned(
  { url, secret }: Receiver,
  event: Pick<Event, 'event_id' | 'test'>,
  nowMs: number,
): Promise<number> {
  const body = JSON.stringify(event);
  const signed = await sign({ id: event.event_id, body, nowSeconds: nowMs / 1_000 }, secret);
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      ...(event.test === true && { 'Service-Event-Test': 'true' }),
      ...signed,
    },
    body,
    redirect: 'manual',
    signal: AbortSignal.timeout(ANSWER_MS),
  });
  await response.body?.cancel();
  return response.status;
}
