// The spans of two runs over one feed, of which the second finds an event.
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { lending } from '../../../../jobs/families/lending/domain.ts';
import { oracles } from '../../../../jobs/families/oracles/domain.ts';
import { pools } from '../../../../jobs/families/pools/domain.ts';
import { sources } from '../../../../jobs/families/sources/domain.ts';
import { eventSpanId, traceIdOf } from '../../../../platform/base/ulid.ts';
import { TraceIds } from '../../../../platform/tracing/trace-context.ts';
import { createTracer, type Span } from '../../../../platform/tracing/tracer.ts';
import { type FileWorld, openFileWorld } from '../../../support/file-world.ts';
import { FEED, invalidRound, NOW, rounds } from './one-feed.ts';

const spans: Span[] = [];
let world: FileWorld;
const tracer = createTracer({
  sink: { add: (span) => spans.push(span) },
  ids: new TraceIds(randomBytes),
  nowMs: () => NOW * 1_000,
});

beforeAll(async () => {
  world = openFileWorld({
    domains: [sources, oracles, lending, pools],
    policy: { oracle: { is_untracked_reported: true } },
    tracer,
  });
  world.write('feed_registry', { 'feeds.ndjson': [FEED(NOW)] });
  world.write('feed_round', { 'a.ndjson': rounds(NOW) });
  await world.run(NOW);
  spans.length = 0;
  world.write('feed_round', { 'b.ndjson': [invalidRound(NOW + 300)] });
  await world.run(NOW + 360);
});
afterAll(() => world.remove());

const named = (name: string): Span => {
  const found = spans.find((span) => span.name === name);
  if (found === undefined) throw new Error(`There is no span ${name} among ${spans.map((one) => one.name)}.`);
  return found;
};

test('a run is one trace of its stages, in their order', () => {
  const run = named('run');
  const stages = spans.filter(({ traceId }) => traceId === run.traceId);
  expect(stages.map(({ name }) => name)).toEqual([
    'landing',
    'models of events',
    'events',
    'publish events',
    'models',
    'audits',
    'publish',
    'run',
  ]);
  for (const stage of stages.slice(0, -1)) expect(stage.parentId).toBe(run.spanId);
  expect(run.attributes).toMatchObject({ 'run.version': world.manifest().version, 'run.events': 1 });
});

test('an event is the root of its own trace, which is linked to its run and names the version that has it', () => {
  const id = world.manifest().events.last_event_id ?? '';
  const event = named('event');
  expect(event).toMatchObject({
    traceId: traceIdOf(id),
    spanId: eventSpanId(traceIdOf(id)),
    parentId: null,
    attributes: { 'event.id': id, 'event.type': 'oracle.feed.invalid', 'event.severity': 'high' },
  });
  expect(event.links).toEqual([{ traceId: named('events').traceId, spanId: named('events').spanId }]);
  expect(named('published')).toMatchObject({ traceId: event.traceId, parentId: event.spanId });
  // Events are published before their datasets, in a version of their own.
  expect(named('published').attributes['run.version']).toBe(world.manifest().previous);
});

test('a run without news makes no span of an event', async () => {
  spans.length = 0;
  await world.run(NOW + 660);
  expect(spans.map(({ name }) => name)).not.toContain('event');
  expect(named('run').attributes).toMatchObject({ 'run.events': 0 });
});
