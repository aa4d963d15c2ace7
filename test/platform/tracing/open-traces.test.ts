import { expect, test } from 'vitest';
import { openTraces, type TraceEffects } from '../../../platform/tracing/open-traces.ts';

const SECRET = 'Bearer%20t0p-s3cret';
const effects = (headers?: string): TraceEffects => ({
  nowMs: () => 0,
  steadyMs: () => 0,
  random: () => 0,
  randomBytes: (count) => new Uint8Array(count),
  env: { TRACES_HEADERS: headers },
  program: 'test',
  version: '1',
  instance: 'one',
  warn: () => undefined,
});
const open = (traces_url: string, headers?: string) =>
  openTraces({ traces_url, traces_ratio: 0.5 }, effects(headers));

test('nothing is opened unless a collector is configured', () => {
  expect(open('')).toBeUndefined();
  expect(open('', 'what is this')).toBeUndefined();
});

test.each([
  ['http://127.0.0.1:4318/v1/traces', undefined],
  ['http://collector.internal:4318', undefined],
  ['http://localhost:4318/', `authorization=${SECRET}`],
  ['http://[::1]:4318/', `authorization=${SECRET}`],
  ['https://traces.example/otlp/v1/traces', `authorization=${SECRET},x-scope-orgid=7`],
])('%s is a collector', (url, headers) => {
  expect(open(url, headers)).toMatchObject({ ratio: 0.5 });
});

test.each([
  ['http://', undefined, 'one such as http://127.0.0.1:4318/v1/traces'],
  ['https://me:pw@traces.example/', undefined, 'TRACES_URL: contains a user or a password'],
  ['http://traces.example/', `authorization=${SECRET}`, 'https, because TRACES_HEADERS'],
  ['https://traces.example/', SECRET, 'TRACES_HEADERS: cannot be read'],
  ['https://traces.example/', 'authorization=', 'TRACES_HEADERS: cannot be read'],
  ['https://traces.example/', 'a b=c', 'TRACES_HEADERS: cannot be read'],
  ['https://traces.example/', 'authorization=%0d%0aX: y', 'TRACES_HEADERS: cannot be read'],
  ['https://traces.example/', 'authorization=%zz', 'TRACES_HEADERS: cannot be read'],
])('%s with the headers %s is refused', (url, headers, message) => {
  expect(() => open(url, headers)).toThrow(message);
  try {
    open(url, headers);
  } catch (error) {
    expect(String(error)).not.toContain('s3cret');
    expect(String(error)).not.toContain('pw');
  }
});
