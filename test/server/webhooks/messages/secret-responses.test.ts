// A product repeats the address or the key of a subscription in its response: wherever it stands and however it is written, neither the
// record, nor the error, nor the log has a part of it.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { WebhookFormat } from '../../../../schemas/webhooks.ts';
import { Messages } from '../../../../server/webhooks/messages/messages.ts';
import type { MessageTarget } from '../../../../server/webhooks/messages/targets.ts';
import { traceOf } from '../../../jobs/sources/live/secret-traces.ts';

const TOKEN = 'Zq7-Xk2_Vb9wQeRt5Yu8Io1PaSdFg3Hj';
const SIGNATURE = 'aB3/dE6+gH9=jK2/mN5+pQ8';
const KEY = 'R0ut1ngKeyR0ut1ngKeyR0ut1ngKey00';

/** A target of each product, and what of it is secret. */
const TARGETS: Readonly<Record<string, readonly [target: MessageTarget, secret: string]>> = {
  slack: [{ url: `https://hooks.slack.com/services/T0/B0/${TOKEN}` }, TOKEN],
  discord: [{ url: `https://discord.com/api/webhooks/12/${TOKEN}` }, TOKEN],
  telegram: [
    { url: `https://api.telegram.org/bot42:${TOKEN}/sendMessage`, chat_id: '-1009876543210' },
    TOKEN,
  ],
  teams: [{ url: `https://x.logic.azure.com/workflows/1?sig=${encodeURIComponent(SIGNATURE)}` }, SIGNATURE],
  pagerduty: [{ url: 'https://events.pagerduty.com/v2/enqueue', routing_key: KEY }, KEY],
  alertmanager: [{ url: `https://alerts.example.com/${TOKEN}/api/v2/alerts` }, TOKEN],
};

const everyByte = (text: string) =>
  [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
const WRITTEN: readonly ((secret: string) => string)[] = [
  (secret) => secret,
  (secret) => secret.toUpperCase(),
  encodeURIComponent,
  (secret) => encodeURIComponent(encodeURIComponent(secret)),
  everyByte,
  (secret) => JSON.stringify(JSON.stringify(secret)).replaceAll('/', '\\/'),
  (secret) => Buffer.from(secret).toString('hex'),
  (secret) => Buffer.from(secret).toString('base64'),
];

const response = fc.record({
  product: fc.constantFrom(...Object.keys(TARGETS)),
  written: fc.constantFrom(...WRITTEN),
  /** Around the places where errors and records are cut. */
  before: fc.oneof(fc.integer({ min: 0, max: 140 }), fc.integer({ min: 1_000, max: 1_030 })),
  member: fc.constantFrom('description', 'message', null),
  status: fc.constantFrom(200, 400, 401, 404, 413, 429, 500),
});

test('nothing that is kept of a response has a part of the secrets of its target', () => {
  fc.assert(
    fc.property(response, ({ product, written, before, member, status }) => {
      const [target, secret] = TARGETS[product] ?? [{ url: 'https://x.example/' }, ''];
      const said = `${'. '.repeat(before / 2)} ${written(secret)} is not valid`;
      const body = member === null ? said : JSON.stringify({ ok: false, [member]: said });
      const logged: string[] = [];
      const log = (facts: object, message: string) => void logged.push(message + JSON.stringify(facts));
      const messages = new Messages({
        factsOf: () => Promise.reject(new Error('not needed')),
        base: () => '',
        nowMs: () => 0,
        log: { info: log, warn: log, error: log },
      });
      const queue = { id: 'wh_1', record: { format: product as WebhookFormat }, target } as Parameters<
        Messages['judged']
      >[0];
      const outcome = { status, error: null, retryAfter: undefined, body, endedMs: 0, duration_ms: 1 };
      const judged = messages.judged(queue, outcome);
      const shown = (judged.body ?? '').slice(0, 1_024);
      for (const text of [shown, judged.error?.message ?? '', ...logged])
        expect([text, traceOf(secret, text)]).toEqual([text, null]);
    }),
    { numRuns: 40, endOnFailure: true },
  );
});

test('a response that repeats no secret is kept as it is', () => {
  const messages = new Messages({
    factsOf: () => Promise.reject(new Error('not needed')),
    base: () => '',
    nowMs: () => 0,
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
  });
  const [target] = TARGETS['slack'] ?? [{ url: 'https://x.example/' }];
  const queue = { id: 'wh_1', record: { format: 'slack' }, target } as Parameters<Messages['judged']>[0];
  const outcome = { status: 404, error: null, retryAfter: undefined, body: 'no_service: é 😀', endedMs: 0 };
  expect(messages.judged(queue, { ...outcome, duration_ms: 1 }).body).toBe('no_service: é 😀');
});
