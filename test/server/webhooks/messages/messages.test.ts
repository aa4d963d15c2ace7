// Messages of every event type and format within the limits of each product, with hostile names; golden files for one event of each format.
import { Ajv } from 'ajv';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { RiskEvent } from '../../../../schemas/event.ts';
import { SAMPLES } from '../../../../schemas/events.ts';
import { WebhookSummarySchema } from '../../../../schemas/webhooks.ts';
import { factsOf } from '../../../../server/replies/story/event-story.ts';
import type { HeldEvents } from '../../../../server/store/webhook-store.ts';
import { type Alert, alertOf } from '../../../../server/webhooks/messages/alert.ts';
import { fitted, inert, jsonBytes } from '../../../../server/webhooks/messages/message-text.ts';
import { messageBody } from '../../../../server/webhooks/messages/messages.ts';
import { dedupKeyOf } from '../../../../server/webhooks/messages/pages.ts';
import { alertOfSummary, summaryOf } from '../../../../server/webhooks/messages/summary.ts';
import { BASE } from '../../../support/test-messages.ts';
import { heldEvents } from '../../store/webhook-records.ts';
import { expectWellFormed, LIMITS_OF, type Product } from './product-limits.ts';

const NOW_MS = Date.parse('2026-03-01T12:00:00Z');
const PRODUCTS = Object.keys(LIMITS_OF) as Product[];
const TARGET = { url: 'https://x.example.com/', routing_key: 'k'.repeat(32), chat_id: '-1001' };
const NAMES = [
  ...['USD0++', 'PT-sUSDE-27NOV2025', 'a_b*c[d]', 'YEARN_TIMELOCK', '@everyone', '<!channel>', '<@U123>'],
  ...['USD"\\', 'شبكة الدولار', 'evil.com', 'https://evil.example/x', '&lt;b&gt;', '\u202egnp.exe', ''],
  ...['n'.repeat(200), '😀'.repeat(200), '👩‍👩‍👧‍👦'.repeat(60), '\ud83d', '_'.repeat(200), '"'.repeat(4_000)],
];

function eventOf(type: string, more: Partial<RiskEvent> = {}): RiskEvent {
  const sample = SAMPLES[type];
  if (sample === undefined) throw new Error(`${type} has no sample.`);
  const { data, ...members } = sample;
  return {
    event_id: '01HZX3K9Q4T2V7B8N6M5P1R0SD',
    type,
    ts: '2026-03-01T11:00:00Z',
    ...members,
    data: { ...data },
    ...more,
  };
}

const alertNamed = (name: string, sentence = `${name} fell below ${name}`): Alert => ({
  ...alertOf(factsOf(eventOf('peg.depeg.start')), BASE),
  name,
  sentence,
});

function bodyOf(product: Product, alert: Alert) {
  const envelope = Buffer.from('{}');
  const parts = { envelope, alert, target: TARGET, base: BASE, nowMs: NOW_MS };
  return JSON.parse(messageBody(product, parts).toString());
}

describe.each(PRODUCTS)('%s', (product) => {
  test('accepts every event type', () => {
    for (const type of Object.keys(SAMPLES))
      expect([type, LIMITS_OF[product](bodyOf(product, alertOf(factsOf(eventOf(type)), BASE)))]).toEqual([
        type,
        undefined,
      ]);
  });

  test.each(NAMES)('accepts the name %j', (name) => {
    const body = bodyOf(product, alertNamed(name));
    expect(LIMITS_OF[product](body)).toBeUndefined();
    expectWellFormed(body);
  });

  test.each([255, 256, 1_023, 1_024, 1_025, 2_500, 2_501, 3_000, 3_001, 4_096, 4_097, 30_000])(
    'accepts a sentence of %i characters of one to four bytes',
    (length) => {
      for (const character of ['x', '<', '_', '"', 'ش', '😀']) {
        const body = bodyOf(product, alertNamed('USDT', character.repeat(length)));
        expect(LIMITS_OF[product](body)).toBeUndefined();
        expectWellFormed(body);
      }
    },
  );

  test('accepts any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (text) => {
        expect(LIMITS_OF[product](bodyOf(product, alertNamed(text)))).toBeUndefined();
      }),
      { numRuns: 50 },
    );
  });
});

test.each(PRODUCTS)('a depeg for %s looks as in the golden file', async (product) => {
  const alert = alertOf(factsOf(eventOf('peg.depeg.start', { severity: 'high' })), BASE);
  const text = `${JSON.stringify(bodyOf(product, alert), null, 2)}\n`;
  await expect(text).toMatchFileSnapshot(`./golden/${product}.json`);
});

const heldOf = (subject: string, change: Partial<HeldEvents> = {}): HeldEvents =>
  heldEvents({ subject_id: subject, chain: 'ethereum', symbol: subject.split(':')[2] ?? null, ...change });
const DEPEG = heldOf('peg:ethereum:USDT', {
  count: 1_234,
  types: { 'peg.depeg.start': 1, 'peg.depeg.end': 1, 'liquidity.depth.collapse': 1_232 },
  severity: 'high',
  last_type: 'peg.depeg.end',
  to: '2026-03-01T11:59:00Z',
});

function summaryAlert(kind: 'summary' | 'digest', held: readonly HeldEvents[]): Alert {
  const summary = summaryOf(kind, held, { id: 'wh_1', asOfMs: NOW_MS });
  return alertOfSummary(summary, factsOf(summary as unknown as RiskEvent), BASE);
}

const SUMMARIES = {
  summary: [DEPEG],
  digest: [DEPEG, heldOf('peg:ethereum:DAI', { severity: null }), heldOf('peg:ethereum:FRAX')],
} as const;

test.each(
  PRODUCTS.flatMap((product) => (['summary', 'digest'] as const).map((kind) => [product, kind] as const)),
)('several events for %s as a %s look as in the golden file', async (product, kind) => {
  const text = `${JSON.stringify(bodyOf(product, summaryAlert(kind, SUMMARIES[kind])), null, 2)}\n`;
  await expect(text).toMatchFileSnapshot(`./golden/${product}-${kind}.json`);
});

test('several events as `standard` look as in the golden file', async () => {
  const summaries = (['summary', 'digest'] as const).map((kind) =>
    summaryOf(kind, SUMMARIES[kind], { id: 'wh_1', asOfMs: NOW_MS }),
  );
  const isValid = new Ajv({ strict: false, validateFormats: false }).compile(WebhookSummarySchema);
  for (const summary of summaries) expect(isValid(summary), JSON.stringify(isValid.errors)).toBe(true);
  await expect(`${JSON.stringify(summaries, null, 2)}\n`).toMatchFileSnapshot(
    './golden/standard-summaries.json',
  );
});

describe.each(PRODUCTS)('%s, several events', (product) => {
  const types = Object.fromEntries(Object.keys(SAMPLES).map((type) => [type, 1_000_000]));

  test.each([0, 1, 19, 20, 21, 5_000])(
    'accepts a digest of %i more subjects with long names and all types',
    (more) => {
      const held = Array.from({ length: more + 1 }, (_, n) =>
        heldOf(`peg:ethereum:${'N'.repeat(200)}${n}`, { count: 1_000_000, types, symbol: 'S'.repeat(200) }),
      );
      const alert = summaryAlert('digest', held);
      const body = bodyOf(product, alert);
      expect(LIMITS_OF[product](body)).toBeUndefined();
      expect(alert.sentence.includes(' more.')).toBe(more > 19);
      expect(JSON.stringify(body)).toContain('as_of=2026-03-01');
    },
  );

  test.each(NAMES)('accepts a summary about the symbol %j', (name) => {
    const body = bodyOf(product, summaryAlert('summary', [heldOf(`peg:ethereum:${name}`, { symbol: name })]));
    expect(LIMITS_OF[product](body)).toBeUndefined();
    expectWellFormed(body);
  });
});

test('names mention no one and link to nothing', () => {
  const chat = PRODUCTS.filter((product) => !['pagerduty', 'alertmanager'].includes(product));
  for (const product of chat) {
    const text = JSON.stringify(
      bodyOf(product, alertNamed('@everyone <!channel> https://evil.com <at>a</at>')),
    );
    expect(text).not.toContain('@everyone');
    expect(text).not.toContain('<!channel>');
    expect(text).not.toMatch(/evil\.com|https:\/\/evil/);
  }
  expect(bodyOf('discord', alertNamed('a_b*c[d]')).embeds[0].title).toContain('a\\_b\\*c\\[d\\]');
  expect(bodyOf('discord', alertNamed('x')).allowed_mentions).toEqual({ parse: [] });
});

test('names stay readable', () => {
  for (const name of ['USD0++', 'PT-sUSDE-27NOV2025', 'a_b*c[d]', 'YEARN_TIMELOCK', '0.985 USD, 1.5 %'])
    expect(inert(name)).toBe(name);
});

test('a text is cut between characters, at the limit', () => {
  expect(fitted('abc', { max: 3 })).toBe('abc');
  expect(fitted('abcd', { max: 3 })).toBe('ab…');
  expect(fitted('ab😀d', { max: 4 })).toBe('ab…');
  expect(fitted('a<<', { max: 6, escaped: (text) => text.replaceAll('<', '&lt;') })).toBe('a&lt;…');
  expect(jsonBytes('"é')).toBe(4);
});

test('a depeg and its end have one key; two long subjects have two', () => {
  const keyOf = (type: string) => dedupKeyOf(alertOf(factsOf(eventOf(type)), BASE));
  expect(keyOf('peg.depeg.start')).toBe(keyOf('peg.depeg.end'));
  expect(keyOf('peg.depeg.start')).toBe(keyOf('peg.depeg.recovered'));
  expect(keyOf('oracle.stale')).not.toBe(keyOf('oracle.feed.invalid'));
  const long = (end: string) => dedupKeyOf({ condition: `${'x'.repeat(300)}${end}` });
  expect(long('a')).not.toBe(long('b'));
  for (const length of [254, 255, 256, 400])
    expect(dedupKeyOf({ condition: '😀'.repeat(length / 2) }).length).toBeLessThanOrEqual(255);
});

describe('what opens and closes an incident', () => {
  const start = eventOf('peg.depeg.start');
  const facts = factsOf(start);
  const actionOf = (change: object) => alertOf({ ...facts, ...change }, BASE).action;

  test('a start opens, an end and a recovery close', () => {
    expect(actionOf({})).toBe('trigger');
    for (const type of ['peg.depeg.end', 'peg.depeg.recovered'])
      expect(alertOf(factsOf(eventOf(type)), BASE).action).toBe('resolve');
  });

  test('a retraction of a start closes, of an end opens again', () => {
    const retracts_event_id = '01HZX3K9Q4T2V7B8N6M5P00001';
    const retraction = eventOf('peg.depeg.start', { retracts_event_id });
    expect(alertOf(factsOf(retraction), BASE).action).toBe('resolve');
    expect(alertOf(factsOf(eventOf('peg.depeg.end', { retracts_event_id })), BASE).action).toBe('trigger');
    const course = { ...facts.course, start: eventOf('peg.depeg.start', { event_id: 'other' }) };
    expect(alertOf({ ...factsOf(retraction), course }, BASE).action).toBe('trigger');
  });

  test('a start that is sent after its end opens nothing', () => {
    expect(actionOf({ course: { ...facts.course, end: eventOf('peg.depeg.end') } })).toBe('resolve');
  });

  test('Alertmanager gets an end in the future for what is open, and the time of the event for what is not', () => {
    const endsOf = (alert: Alert) =>
      bodyOf('alertmanager', alert).map((one: { labels: { severity: string }; endsAt: string }) => [
        one.labels.severity,
        Date.parse(one.endsAt) > NOW_MS,
      ]);
    const open = endsOf(alertOf(factsOf({ ...start, severity: 'high' }), BASE));
    expect(open.filter(([, isOpen]: [string, boolean]) => isOpen)).toEqual([['high', true]]);
    const closed = endsOf(alertOf(factsOf(eventOf('peg.depeg.end')), BASE));
    expect(closed.some(([, isOpen]: [string, boolean]) => isOpen)).toBe(false);
  });
});

test('a CloudEvent carries the envelope byte for byte', () => {
  const envelope = Buffer.from(JSON.stringify(eventOf('oracle.stale')));
  const alert = alertNamed('x');
  const body = messageBody('cloudevents', { envelope, alert, target: TARGET, base: BASE, nowMs: NOW_MS });
  expect(body.includes(envelope)).toBe(true);
  expect(JSON.parse(body.toString())).toMatchObject({
    specversion: '1.0',
    id: '01HZX3K9Q4T2V7B8N6M5P1R0SD',
    source: `${BASE}/v2/events`,
    type: 'oracle.stale',
    subject: SAMPLES['oracle.stale']?.subject_id,
    time: '2026-03-01T11:00:00Z',
    data: { event_id: '01HZX3K9Q4T2V7B8N6M5P1R0SD' },
  });
});
