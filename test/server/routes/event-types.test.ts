// The event types, with and without published rules.
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { EVENT_TYPES } from '../../../schemas/events.ts';
import { datasetOf, fixtureDatasets, ServerFixture } from '../server-fixture.ts';

const PATH = '/v2/event-types';

interface Described {
  readonly type: string;
  readonly thresholds: unknown;
  readonly schema: object;
}

let fixture: ServerFixture;
beforeEach(async () => {
  fixture = await ServerFixture.create();
});
afterEach(() => fixture.remove());

const rule = (position: number, role: string, name: string, value: number, unit: string | null) => ({
  type: 'oracle.stale',
  position,
  role,
  name,
  value,
  unit,
  policy_version: '1.2.3',
});
const RULES = [
  rule(1, 'threshold', 'oracle.grace_s', 60, 'seconds'),
  rule(2, 'confirmation', 'oracle.something', 2, null),
  rule(3, 'cooldown', 'storm.cooldown_s.oracle.stale', 90, 'seconds'),
];

async function ask(): Promise<{
  answer: Response;
  data: readonly Described[];
  meta: Record<string, unknown>;
}> {
  const server = await fixture.serve({ anonymousPlan: null });
  const answer = await fetch(server.url + PATH);
  return {
    answer,
    ...((await answer.clone().json()) as { data: Described[]; meta: Record<string, unknown> }),
  };
}

test('any caller can read every type, before anything is published and without rules', async () => {
  const { answer, data, meta } = await ask();
  expect(answer.status).toBe(200);
  expect(data.map(({ type }) => type)).toEqual(EVENT_TYPES);
  expect(data[0]).toMatchObject({
    thresholds: null,
    confirmation: null,
    cooldown_seconds: null,
    policy_version: null,
  });
  expect(meta).toEqual({});
});

test('the rules are those of the served version, with their age and source', async () => {
  await fixture.publish([
    ...fixtureDatasets(),
    datasetOf('event-rules', [{ key: 'oracle.stale', value: RULES }]),
  ]);
  const { answer, data, meta } = await ask();
  expect(data.find(({ type }) => type === 'oracle.stale')).toMatchObject({
    severities: ['warn', 'high', 'critical'],
    subject: 'oracle:<chain>:<feed>:<market>',
    thresholds: [{ name: 'oracle.grace_s', value: 60, unit: 'seconds' }],
    confirmation: [{ name: 'oracle.something', value: 2, unit: null }],
    cooldown_seconds: 90,
    policy_version: '1.2.3',
  });
  expect(data.find(({ type }) => type === 'mev.spike')).toMatchObject({ thresholds: null });
  expect(meta).toMatchObject({ _agentic: { freshness: { status: 'fresh' } } });
  expect(answer.headers.get('cache-control')).toContain('public');
  expect(answer.headers.get('etag')).toMatch(/^W\/"/);
});

test('the schema of each type is valid by itself, and allows additional members', async () => {
  const { data } = await ask();
  const ajv = new Ajv({ strict: false });
  (addFormats as unknown as { default: (ajv: Ajv) => void }).default(ajv);
  const stale = data.find(({ type }) => type === 'oracle.stale')?.schema ?? {};
  const check = ajv.compile(stale);
  const good = { chain: 'ethereum', oracle_address: '0x1', market_id: '0x1', stale_age_s: 5 };
  expect([check(good), check({ ...good, more: 1 }), check({ ...good, stale_age_s: 'x' })]).toEqual([
    true,
    true,
    false,
  ]);
  for (const { schema } of data) expect(ajv.validateSchema(schema)).toBe(true);
});
