// What `npm start` waits for before it says what is published.
import { expect, test } from 'vitest';
import { published } from '../../launch/published.ts';

const STATUS = { version: 'B', as_of: '2026-01-01T00:00:00Z', datasets: {}, events: { published: 0 } };
const READY = { ok: true, json: async () => ({ status: 'ready', version: 'B' }) };
const LIMITED = { ok: false, json: async () => ({ error: { code: 'rate_limited' } }) };

function server(responses: { readonly ready: readonly object[]; readonly status: readonly object[] }) {
  const left = { ready: [...responses.ready], status: [...responses.status] };
  const pauses: number[] = [];
  return {
    pauses,
    waiting: {
      async fetch(url: string) {
        const response = left[url.endsWith('/v1/ready') ? 'ready' : 'status'].shift();
        if (response === undefined) throw new TypeError('fetch failed');
        return response as Response;
      },
      pause: async (milliseconds: number) => pauses.push(milliseconds),
      isStopping: () => pauses.length > 10,
    },
  };
}

test('waits while the server is away, and until it has data', async () => {
  const status = { ok: true, json: async () => STATUS };
  const { waiting, pauses } = server({ ready: [LIMITED, READY], status: [status] });
  expect(await published('http://localhost', waiting)).toEqual(STATUS);
  expect(pauses).toEqual([100]);
});

test('asks again when its address has no requests left', async () => {
  const status = { ok: true, json: async () => STATUS };
  const { waiting, pauses } = server({ ready: [READY, READY], status: [LIMITED, status] });
  expect(await published('http://localhost', waiting)).toEqual(STATUS);
  expect(pauses).toEqual([1_000]);
});

test('waits for another version than the known one', async () => {
  const status = { ok: true, json: async () => STATUS };
  const known = { ok: true, json: async () => ({ status: 'ready', version: 'A' }) };
  const { waiting } = server({ ready: [known, known, READY], status: [status] });
  expect((await published('http://localhost', waiting, 'A')).version).toBe('B');
});

test('ends when everything is stopping', async () => {
  const { waiting } = server({ ready: [], status: [] });
  await expect(published('http://localhost', waiting)).rejects.toThrow(
    'stopped before anything was published',
  );
});
