import { expect, test } from 'vitest';
import { otlpBody } from '../../../platform/tracing/otlp.ts';
import type { Span } from '../../../platform/tracing/span.ts';

const SPAN: Span = {
  traceId: '0af7651916cd43dd8448eb211c80319c',
  spanId: 'b7ad6b7169203331',
  parentId: '00f067aa0ba902b7',
  name: 'GET /v2/events',
  kind: 'server',
  startMs: 1_767_225_600_000.25,
  endMs: 1_767_225_600_001.5,
  attributes: { route: '/v2/events', status: 200, ratio: 0.5, is_new: true },
  isError: true,
  links: [{ traceId: 'f'.repeat(32), spanId: 'e'.repeat(16) }],
};
const spansOf = (...spans: readonly Span[]) =>
  JSON.parse(otlpBody({}, spans)).resourceSpans[0].scopeSpans[0].spans;

test('a span in the form of the protocol', () => {
  expect(JSON.parse(otlpBody({ 'service.name': 'defi-risk-server' }, [SPAN]))).toEqual({
    resourceSpans: [
      {
        resource: { attributes: [{ key: 'service.name', value: { stringValue: 'defi-risk-server' } }] },
        scopeSpans: [
          {
            scope: { name: 'defi-risk-data-service' },
            spans: [
              {
                traceId: '0af7651916cd43dd8448eb211c80319c',
                spanId: 'b7ad6b7169203331',
                parentSpanId: '00f067aa0ba902b7',
                name: 'GET /v2/events',
                kind: 2,
                startTimeUnixNano: '1767225600000250000',
                endTimeUnixNano: '1767225600001500000',
                attributes: [
                  { key: 'route', value: { stringValue: '/v2/events' } },
                  { key: 'status', value: { intValue: '200' } },
                  { key: 'ratio', value: { doubleValue: 0.5 } },
                  { key: 'is_new', value: { boolValue: true } },
                ],
                links: [{ traceId: 'f'.repeat(32), spanId: 'e'.repeat(16) }],
                status: { code: 2 },
              },
            ],
          },
        ],
      },
    ],
  });
});

test('a root has no parent, and what went well no status', () => {
  const [root] = spansOf({ ...SPAN, parentId: null, isError: false });
  expect(root).not.toHaveProperty('parentSpanId');
  expect(root).not.toHaveProperty('status');
});

test('a clock that goes back makes no span that ends before it starts', () => {
  const [span] = spansOf({ ...SPAN, startMs: 2_000, endMs: 1_000 });
  expect(span.endTimeUnixNano).toBe(span.startTimeUnixNano);
});

test('fractions of a millisecond never round to a whole one', () => {
  const [span] = spansOf({ ...SPAN, startMs: 7.9999999, endMs: 8 });
  expect([span.startTimeUnixNano, span.endTimeUnixNano]).toEqual(['7999999', '8000000']);
});
