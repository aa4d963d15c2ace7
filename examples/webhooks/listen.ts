// `npm run listen -- --forward-to http://127.0.0.1:3000/ --key rk_live_…` forwards live events of a running service to a receiver on this
// machine, signed like webhooks, to develop a receiver without a public address. It starts from now, or after `--since`.
import { randomBytes } from 'node:crypto';
import { makeSecret } from '../../server/webhooks/sign.ts';
import { readOptions } from '../read-options.ts';
import { type Following, follow, latestId } from '../stream/follow.ts';
import { type Receiver, sendSigned } from './send-signed.ts';

export interface Listening extends Following {
  readonly receiver: Receiver;
  readonly nowMs: () => number;
  /** Called with the receiver's response to each event. */
  readonly tell: (line: string) => void;
}

/** Forwards every event once, in order, until its signal is aborted. An event that the receiver rejects is not sent again. */
export async function listen({ receiver, nowMs, tell, ...following }: Listening): Promise<void> {
  for await (const event of follow(following)) {
    const outcome = await sendSigned(receiver, event, nowMs()).catch((error: Error) => error.message);
    tell(`${event.ts} ${event.type} ${event.event_id} -> ${outcome}`);
  }
}

async function main(): Promise<void> {
  const { values } = readOptions(
    'npm run listen -- --forward-to URL --key KEY [--base-url URL] [--secret SECRET] [--since EVENT_ID] [--types TYPE,…]',
    {
      options: {
        'forward-to': { type: 'string' },
        'base-url': { type: 'string', default: 'http://127.0.0.1:8080' },
        key: { type: 'string' },
        secret: { type: 'string' },
        since: { type: 'string' },
        types: { type: 'string', default: '' },
      },
    },
  );
  const { 'forward-to': url, 'base-url': baseUrl, key, secret = makeSecret(randomBytes) } = values;
  if (url === undefined || key === undefined) {
    console.error('An address and a key are required: npm run listen -- --forward-to URL --key rk_live_…');
    process.exitCode = 2;
    return;
  }
  const since = values.since ?? (await latestId({ baseUrl, key }));
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort());
  console.error(`Forwarding events after ${since} to ${url}, signed with ${secret}`);
  console.error(
    'To let the service itself send webhooks to this machine, start it with WEBHOOKS_ALLOW_LOOPBACK=true.',
  );
  await listen({
    ...{ baseUrl, key, since, signal: stop.signal },
    types: values.types.split(',').filter((type) => type !== ''),
    say: (line) => console.error(line),
    receiver: { url, secret },
    nowMs: Date.now,
    tell: (line) => console.info(line),
  });
}

if (import.meta.main)
  await main().catch((error: Error) => {
    console.error(`Stopped: ${error.message}`);
    process.exitCode = 1;
  });
