// `trigger`: sends a signed sample of an event type to a receiver, or lets the service send one to a subscription.
import type { Event, TestRequest } from '../api-types.ts';
import { EVENT_SAMPLES } from '../event-samples.ts';
import { receiverOf, sendSigned } from './listen.ts';
import { type Command, required, UsageError } from './options.ts';

export const TRIGGER: Command = {
  usage: 'trigger TYPE (--forward-to URL [--secret SECRET] | --webhook ID)',
  options: { 'forward-to': { type: 'string' }, secret: { type: 'string' }, webhook: { type: 'string' } },
  async run({ client, positionals, option, print, signal }) {
    const [type = ''] = positionals;
    const event = sampleEvent(type, Date.now());
    const webhook = option('webhook');
    if (webhook !== undefined) {
      required(client.key, 'The key (--key, or DEFI_RISK_KEY)');
      const input = { params: { id: webhook }, body: { type } as TestRequest, signal };
      const answer = await client.post('/v2/webhooks/{id}/test', input);
      print(`${answer.status} ${JSON.stringify(answer.data)}`);
      return;
    }
    const receiver = receiverOf(
      required(option('forward-to'), 'The address (--forward-to)'),
      option('secret'),
    );
    const status = await sendSigned(receiver, event, Date.now());
    print(`${event.event_id} -> ${receiver.url}, signed with ${receiver.secret}: ${status}`);
  },
};

/** Events of the log have later ids, so a client that uses this one as a cursor skips none. */
const FIRST_ID = '0'.repeat(10);
const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** @throws UsageError for an unknown type */
export function sampleEvent(type: string, nowMs: number): Event {
  const sample = Object.hasOwn(EVENT_SAMPLES, type) ? EVENT_SAMPLES[type] : undefined;
  if (sample === undefined)
    throw new UsageError(`"${type}" is not an event type:\n  ${Object.keys(EVENT_SAMPLES).join('\n  ')}`);
  const random = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => DIGITS[byte % 32]);
  const ts = new Date(nowMs).toISOString().replace(/\.\d{3}Z$/, 'Z');
  return { ...sample, event_id: FIRST_ID + random.join(''), type, test: true, ts } as Event;
}
