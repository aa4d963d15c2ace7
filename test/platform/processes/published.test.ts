// What `npm start` waits for before it announces what is published.
import { expect, test } from 'vitest';
import { published } from '../../../platform/processes/published.ts';

const STATUS = { version: 'B', as_of: '2026-01-01T00:00:00Z', datasets: {}, events: { published: 0 } };
const READY = { ok: true, status: 200, json: async () => ({ status: 'ready', version: 'B' }) };
const LIMITED = {
  ok: false,
  status: 429,
  json: async () => ({ error: { code: 'rate_limit_exceeded', message: 'The limit is exceeded.' } }),
};

interface Responses {
  readonly ready: readonly object[];
  readonly status: readonly object[];
  /** How long each request takes. */
  readonly tookMs?: number;
}

function server({ tookMs = 0, ...responses }: Responses) {
  let nowMs = 0;
  const left = { ready: [...responses.ready], status: [...responses.status] };
  const pauses: number[] = [];
  const said: string[] = [];
  return {
    pauses,
    said,
    waiting: {
      async fetch(url: string) {
        nowMs += tookMs;
        const response = left[url.endsWith('/v1/ready') ? 'ready' : 'status'].shift();
        if (response === undefined) throw new TypeError('fetch failed');
        return response as Response;
      },
      async pause(milliseconds: number) {
        nowMs += milliseconds;
        pauses.push(milliseconds);
      },
      steadyMs: () => nowMs,
      isStopping: () => pauses.length > 250,
      say: (line: string) => said.push(line),
    },
  };
}

test('waits while the server is unreachable, and until it has data', async () => {
  const status = { ok: true, json: async () => STATUS };
  const { waiting, pauses } = server({ ready: [LIMITED, READY], status: [status] });
  expect(await published('http://localhost', waiting)).toEqual(STATUS);
  expect(pauses).toEqual([100]);
});

test('retries when its address has no requests left', async () => {
  const status = { ok: true, json: async () => STATUS };
  const { waiting, pauses } = server({ ready: [READY, READY], status: [LIMITED, status] });
  expect(await published('http://localhost', waiting)).toEqual(STATUS);
  expect(pauses).toEqual([1_000]);
});

test('waits for a version other than the known one', async () => {
  const status = { ok: true, json: async () => STATUS };
  const known = { ok: true, json: async () => ({ status: 'ready', version: 'A' }) };
  const { waiting } = server({ ready: [known, known, READY], status: [status] });
  expect((await published('http://localhost', waiting, 'A')).version).toBe('B');
});

test('ends when everything is stopping', async () => {
  const { waiting } = server({ ready: [], status: [] });
  await expect(published('http://localhost', waiting)).rejects.toThrow(
    'Stopped before anything was published',
  );
});

test('says once what it waits for, after ten seconds', async () => {
  const status = { ok: true, json: async () => STATUS };
  const limited = (times: number) => Array.from({ length: times }, () => LIMITED);
  const ready = (times: number) => Array.from({ length: times }, () => READY);
  const short = server({ ready: ready(10), status: [...limited(9), status] });
  await published('http://localhost', short.waiting);
  expect(short.said).toEqual([]);
  const long = server({ ready: ready(31), status: [...limited(30), status] });
  await published('http://localhost', long.waiting);
  expect(long.said).toEqual([
    'Still waiting for published data: http://localhost/v1/status responds with 429, The limit is exceeded.',
  ]);
});

test('restarts its count for another reason, and names a server that does not respond', async () => {
  const empty = { ok: false, status: 503, json: async () => Promise.reject(new SyntaxError('no JSON')) };
  const { waiting, said } = server({ ready: Array.from({ length: 99 }, () => empty), status: [] });
  await expect(published('http://localhost', waiting)).rejects.toThrow();
  expect(said).toEqual(['Still waiting for published data: http://localhost/v1/ready does not respond.']);
  const all = server({ ready: Array.from({ length: 250 }, () => empty), status: [] });
  await expect(published('http://localhost', all.waiting)).rejects.toThrow();
  expect(all.said).toEqual([
    'Still waiting for published data: http://localhost/v1/ready responds with 503.',
  ]);
});

test('counts the time of requests that hang', async () => {
  const status = { ok: true, json: async () => STATUS };
  const away = server({ ready: [], status: [], tookMs: 4_899 });
  await expect(
    published('http://localhost', { ...away.waiting, isStopping: () => away.pauses.length > 2 }),
  ).rejects.toThrow();
  expect(away.said).toEqual([
    'Still waiting for published data: http://localhost/v1/ready does not respond.',
  ]);
  const busy = server({ ready: [READY, READY], status: [LIMITED, status], tookMs: 4_000 });
  await published('http://localhost', busy.waiting);
  expect(busy.said).toEqual([]);
});
