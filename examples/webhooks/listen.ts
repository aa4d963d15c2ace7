// `npm run listen -- --forward-to http://127.0.0.1:3000/ --key rk_live_…` forwards events of a running service to a receiver on this
// machine, signed as webhooks are: for developing a receiver without a public address. From now on, or after `--since`.
import { randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { encodeTime } from 'ulid';
import { makeSecret } from '../../server/webhooks/sign.ts';
import { connect, events } from '../client/client.ts';
import { sendSigned } from './send-signed.ts';

const ZERO_RANDOM = '0'.repeat(16);

export interface Listening {
  readonly baseUrl: string;
  readonly key: string;
  readonly forwardTo: string;
  readonly secret: string;
  /** Events after this id. */
  readonly since: string;
  readonly types: readonly string[];
}

type Say = (line: string) => void;

/** Forwards what there is now; answers the id of the last event seen. */
export async function forwardNew(listening: Listening, nowMs: () => number, say: Say): Promise<string> {
  const { baseUrl, key, forwardTo, secret, types } = listening;
  let last = listening.since;
  for await (const event of events(connect({ baseUrl, key }), {}, last)) {
    last = event.event_id;
    if (types.length > 0 && !types.includes(event.type)) continue;
    const status = await sendSigned({ url: forwardTo, secret }, event, nowMs()).catch(
      (error: Error) => error.message,
    );
    say(`${event.ts} ${event.type} ${event.event_id} -> ${status}`);
  }
  return last;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      'forward-to': { type: 'string' },
      'base-url': { type: 'string', default: 'http://127.0.0.1:8080' },
      key: { type: 'string' },
      secret: { type: 'string' },
      since: { type: 'string' },
      types: { type: 'string', default: '' },
      'every-ms': { type: 'string', default: '1000' },
    },
  });
  const { 'forward-to': forwardTo, key } = values;
  if (forwardTo === undefined || key === undefined) {
    console.error('Say where to and with which key: npm run listen -- --forward-to URL --key rk_live_…');
    process.exitCode = 2;
    return;
  }
  const secret = values.secret ?? makeSecret(randomBytes);
  console.error(`Forwarding to ${forwardTo}, signed with ${secret}`);
  console.error(
    'To have the service send webhooks to this machine itself, start it with WEBHOOKS_ALLOW_LOOPBACK=true.',
  );
  let since = values.since ?? encodeTime(Date.now()) + ZERO_RANDOM;
  const types = values.types.split(',').filter((type) => type !== '');
  for (;;) {
    const listening = { baseUrl: values['base-url'], key, forwardTo, secret, since, types };
    since = await forwardNew(listening, Date.now, console.log);
    await wait(Number(values['every-ms']));
  }
}

if (import.meta.main)
  await main().catch((error: Error) => {
    console.error(`Stopped: ${error.message}`);
    process.exitCode = 1;
  });
