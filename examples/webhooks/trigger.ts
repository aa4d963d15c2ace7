// `npm run trigger -- <type> --forward-to http://127.0.0.1:3000/ --secret whsec_…` sends a signed sample of an event type to a receiver.
// With `--webhook wh_… --key rk_live_…`, the service sends a sample to that subscription. Without a type, it lists the types.
import { randomBytes } from 'node:crypto';
import { randomUlid } from '../../platform/base/ulid.ts';
import { SAMPLES } from '../../schemas/events.ts';
import { makeSecret } from '../../server/webhooks/sign.ts';
import { readOptions } from '../read-options.ts';
import { sendSigned } from './send-signed.ts';

/** Returns undefined for an unknown type. */
export function sampleEvent(type: string, nowMs: number) {
  const sample = SAMPLES[type];
  if (sample === undefined) return undefined;
  const ts = new Date(nowMs).toISOString().replace(/\.\d{3}Z$/, 'Z');
  // The id is older than any event's, so a client that uses it as a cursor skips no events.
  return { event_id: randomUlid(0, randomBytes), ...sample, test: true, ts, type };
}

interface Service {
  readonly baseUrl: string;
  readonly key: string;
  readonly webhook: string;
}

async function askService({ baseUrl, key, webhook }: Service, type: string): Promise<string> {
  const answer = await fetch(`${baseUrl}/v2/webhooks/${webhook}/test`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ type }),
  });
  return `${answer.status} ${await answer.text()}`;
}

async function main(): Promise<void> {
  const { values, positionals } = readOptions(
    'npm run trigger -- TYPE (--forward-to URL [--secret SECRET] | --webhook ID --key KEY [--base-url URL])',
    {
      allowPositionals: true,
      options: {
        'forward-to': { type: 'string' },
        secret: { type: 'string' },
        'base-url': { type: 'string', default: 'http://127.0.0.1:8080' },
        webhook: { type: 'string' },
        key: { type: 'string' },
      },
    },
  );
  const [type = ''] = positionals;
  const event = sampleEvent(type, Date.now());
  if (event === undefined) {
    console.error(`npm run trigger -- <type>, one of:\n  ${Object.keys(SAMPLES).join('\n  ')}`);
    process.exitCode = 2;
    return;
  }
  const { webhook, key } = values;
  if (webhook !== undefined && key !== undefined) {
    console.log(await askService({ baseUrl: values['base-url'], key, webhook }, type));
    return;
  }
  const secret = values.secret ?? makeSecret(randomBytes);
  const url = values['forward-to'] ?? 'http://127.0.0.1:3000/';
  console.log(
    `${event.event_id} -> ${url}, signed with ${secret}: ${await sendSigned({ url, secret }, event, Date.now())}`,
  );
}

if (import.meta.main)
  await main().catch((error: Error) => {
    console.error(`Nothing was sent: ${error.message}`);
    process.exitCode = 1;
  });
