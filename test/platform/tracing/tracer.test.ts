import { expect, test } from 'vitest';
import { TraceIds } from '../../../platform/tracing/trace-context.ts';
import { createTracer, NO_TRACER, type Span } from '../../../platform/tracing/tracer.ts';

function recording() {
  const spans: Span[] = [];
  let nowMs = 0;
  let byte = 0;
  const ids = new TraceIds((count) => Uint8Array.from({ length: count }, () => ++byte % 251));
  const tracer = createTracer({ sink: { add: (span) => spans.push(span) }, ids, nowMs: () => ++nowMs });
  return { tracer, spans };
}

test('stages are children of their root, and end before it', async () => {
  const { tracer, spans } = recording();
  const result = await tracer.trace('run', async (span) => {
    await span.stage('landing', async (stage) => stage.note({ rows: 7 }));
    span.note({ version: 'V1' });
    return 'done';
  });
  expect(result).toBe('done');
  const [landing, run] = spans;
  expect(run).toMatchObject({ name: 'run', parentId: null, attributes: { version: 'V1' }, isError: false });
  expect(landing).toMatchObject({ name: 'landing', attributes: { rows: 7 } });
  expect(landing?.parentId).toBe(run?.spanId);
  expect(landing?.traceId).toBe(run?.traceId);
  expect([run?.startMs, landing?.startMs, landing?.endMs, run?.endMs]).toEqual([1, 2, 3, 4]);
});

test('work that fails ends its spans with the kind of the error, without its message, and is thrown', async () => {
  const { tracer, spans } = recording();
  const failure = new TypeError('of a secret');
  const work = tracer.trace('run', (span) => span.stage('publish', () => Promise.reject(failure)));
  await expect(work).rejects.toBe(failure);
  expect(spans.map(({ name, isError, attributes }) => [name, isError, attributes])).toEqual([
    ['publish', true, { 'error.type': 'TypeError' }],
    ['run', true, { 'error.type': 'TypeError' }],
  ]);
});

test('without a collector the work runs as it is', async () => {
  const failure = new Error('as it is');
  expect(await NO_TRACER.trace('run', (span) => span.stage('a', async (stage) => stage.ref))).toBeNull();
  await expect(NO_TRACER.trace('run', () => Promise.reject(failure))).rejects.toBe(failure);
  expect(NO_TRACER.sink).toBeNull();
});
