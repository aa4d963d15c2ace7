import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { RunningServer } from '../../../server/deps.ts';
import {
  AS_OF,
  AS_OF_MS,
  CADENCE_S,
  coverageRow,
  fixtureDatasets,
  isoSeconds,
  ServerFixture,
  SUMMARY,
} from '../server-fixture.ts';

interface CoverageAnswer {
  readonly data: readonly { readonly scope_id: string; readonly history_completeness_pct: number | null }[];
  readonly meta: { readonly total: number; readonly has_more: boolean; readonly cursor: string | null };
}

let fixture: ServerFixture;
beforeEach(async () => {
  fixture = await ServerFixture.create();
});
afterEach(() => fixture.remove());

const COVERAGE = '/v2/data-manifest/coverage';
const get = (server: RunningServer, query = '') => fetch(`${server.url}${COVERAGE}${query}`);
const page = async (server: RunningServer, query = ''): Promise<CoverageAnswer> => {
  const answer = await get(server, query);
  expect([query, answer.status]).toEqual([query, 200]);
  return (await answer.json()) as CoverageAnswer;
};
const idsOf = ({ data }: CoverageAnswer) => data.map(({ scope_id }) => scope_id);

const ROWS = [
  coverageRow('0xd', 50),
  coverageRow('0xb', 100),
  coverageRow('0xa', 100),
  coverageRow('0xc', null),
  coverageRow('0xv', 50, 'lending_vault'),
];

test('the summary has its version’s time, freshness, confidence, sources and verdict', async () => {
  await fixture.publish();
  fixture.nowMs += 42_999;
  const answer = await fetch(`${(await fixture.serve()).url}/v2/data-manifest`);
  expect(answer.headers.get('x-schema-version')).toBe('2.0.0');
  expect(await answer.json()).toEqual({
    data: { generated_at: AS_OF, protocols: {}, ...SUMMARY },
    meta: {
      _agentic: {
        schema_version: '2.0.0',
        freshness: {
          age_seconds: 42,
          status: 'fresh',
          update_cadence_seconds: CADENCE_S,
          next_update_at: '2026-03-01T12:05:00Z',
          computed_at: AS_OF,
        },
        confidence: { score: 1, level: 'high', inputs_used: 1, inputs_expected: 1, reasons: [] },
        sources: [expect.objectContaining({ id: 'test-feeds', kind: 'simulated' })],
        quality_gate: { verdict: 'pass', checks: [], evaluated_at: AS_OF, policy_version: '1.0.0' },
      },
    },
    error: null,
  });
});

test.each([
  [0, 'fresh'],
  [330, 'fresh'],
  [331, 'aging'],
  [600, 'aging'],
  [601, 'stale'],
])('at an age of %i seconds, data with a cadence of 300 is %s', async (age_seconds, status) => {
  await fixture.publish();
  const server = await fixture.serve();
  fixture.nowMs = AS_OF_MS + age_seconds * 1000;
  for (const path of ['/v2/data-manifest', COVERAGE]) {
    const answer = await (await fetch(server.url + path)).json();
    expect(answer).toMatchObject({ meta: { _agentic: { freshness: { age_seconds, status } } } });
  }
});

test('rows are ordered worst covered first, unknown before everything, then by id', async () => {
  await fixture.publish(fixtureDatasets(AS_OF, ROWS));
  const answer = await page(await fixture.serve());
  expect(idsOf(answer)).toEqual(['0xc', '0xv', '0xd', '0xa', '0xb']);
  expect(answer.meta).toMatchObject({ total: 5, has_more: false, cursor: null });
});

test.each([
  ['scope=oracle_feed', ['0xc', '0xd', '0xa', '0xb']],
  ['scope=lending_vault', ['0xv']],
  ['scope=protocol', []],
  ['scope_id=0xa', ['0xa']],
  ['scope_id=0xv&scope=oracle_feed', []],
  ['scope_id=__proto__', []],
  ['min_completeness_pct=0', ['0xc', '0xv', '0xd', '0xa', '0xb']],
  ['min_completeness_pct=-5', ['0xc', '0xv', '0xd', '0xa', '0xb']],
  ['min_completeness_pct=0.1', ['0xv', '0xd', '0xa', '0xb']],
  ['min_completeness_pct=50', ['0xv', '0xd', '0xa', '0xb']],
  ['min_completeness_pct=50.1&scope=oracle_feed', ['0xa', '0xb']],
  ['min_completeness_pct=100.5', []],
])('%s keeps %j', async (query, expected) => {
  await fixture.publish(fixtureDatasets(AS_OF, ROWS));
  const server = await fixture.serve();
  const answer = await page(server, `?${query}`);
  expect([idsOf(answer), answer.meta.total]).toEqual([expected, expected.length]);
  const byOne: string[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const one = await page(server, `?${query}&limit=1${cursor === '' ? '' : `&cursor=${cursor}`}`);
    byOne.push(...idsOf(one));
    expect(one.meta.has_more).toBe(one.meta.cursor !== null);
    cursor = one.meta.cursor;
  }
  expect(byOne).toEqual(expected);
});

test('paging stays on the version it started on while newer ones are published', async () => {
  const rows = Array.from({ length: 20 }, (_, i) => coverageRow(`0x${String(i).padStart(3, '0')}`, i));
  await fixture.publish(fixtureDatasets(AS_OF, rows));
  const server = await fixture.serve();
  const seen: string[] = [];
  let cursor: string | null = '';
  for (let step = 1; cursor !== null; step++) {
    const part: CoverageAnswer = await page(server, `?limit=3${cursor === '' ? '' : `&cursor=${cursor}`}`);
    expect(part.meta.total).toBe(20);
    seen.push(...idsOf(part));
    cursor = part.meta.cursor;
    const later = isoSeconds(AS_OF_MS + step * 60_000);
    await fixture.publish(fixtureDatasets(later, rows.slice(step)), later);
    await server.refresh();
  }
  expect(seen).toEqual(rows.map(({ value }) => value.scope_id));
  expect((await page(server)).meta.total).toBe(13);
});

test('a server that was started later continues paging from disk', async () => {
  const rows = Array.from({ length: 6 }, (_, i) => coverageRow(`0x${i}`, i));
  await fixture.publish(fixtureDatasets(AS_OF, rows));
  const { meta } = await page(await fixture.serve(), '?limit=2');
  await fixture.publish(fixtureDatasets(AS_OF, rows.slice(1)), isoSeconds(AS_OF_MS + 1000));
  const other = await fixture.serve();
  expect(idsOf(await page(other, `?limit=10&cursor=${meta.cursor}`))).toEqual(['0x2', '0x3', '0x4', '0x5']);
});

test('a cursor whose version is gone is refused with the advice to start again', async () => {
  await fixture.publish(fixtureDatasets(AS_OF, ROWS));
  const first = await fixture.serve();
  const { meta } = await page(first, '?limit=2');
  const version = await fixture.publish(fixtureDatasets(AS_OF, ROWS.slice(1)), isoSeconds(AS_OF_MS + 1000));
  const names = await readdir(join(fixture.dir, 'versions'));
  for (const name of names.filter((other) => other !== version)) {
    await rm(join(fixture.dir, 'versions', name), { recursive: true });
  }
  const answer = await get(await fixture.serve(), `?limit=2&cursor=${meta.cursor}`);
  expect(answer.status).toBe(400);
  const body = await answer.json();
  expect(body).toMatchObject({ error: { code: 'validation_failed' } });
  expect(JSON.stringify(body)).toContain('start again');
});

test('a cursor is bound to its filters', async () => {
  await fixture.publish(fixtureDatasets(AS_OF, ROWS));
  const server = await fixture.serve();
  const { meta } = await page(server, '?limit=1&scope=oracle_feed');
  for (const query of [
    'limit=1',
    'limit=1&scope=lending_vault',
    'scope=oracle_feed&min_completeness_pct=1',
  ]) {
    const answer = await get(server, `?${query}&cursor=${meta.cursor}`);
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({
      error: { code: 'validation_failed', details: { fields: [{ field: 'cursor' }] } },
    });
  }
  expect((await get(server, `?limit=3&scope=oracle_feed&cursor=${meta.cursor}`)).status).toBe(200);
});

test.each([
  ['limit=0', 'limit'],
  ['limit=501', 'limit'],
  ['limit=-1', 'limit'],
  ['limit=1.5', 'limit'],
  ['limit=ten', 'limit'],
  ['limit=', 'limit'],
  ['limit=0x10', 'limit'],
  ['limit=5&limit=6', 'limit'],
  ['scope=feeds', 'scope'],
  ['scope=', 'scope'],
  ['min_completeness_pct=NaN', 'min_completeness_pct'],
  ['min_completeness_pct=1e2', 'min_completeness_pct'],
  ['cursor=', 'cursor'],
  ['cursor=abc', 'cursor'],
  ['cursor=%00%C3%BC', 'cursor'],
])('%s fails validation and names the field', async (query, field) => {
  await fixture.publish(fixtureDatasets(AS_OF, ROWS));
  const answer = await get(await fixture.serve(), `?${query}`);
  expect(answer.status).toBe(400);
  expect(await answer.json()).toEqual({
    error: {
      code: 'validation_failed',
      message: expect.stringContaining(field),
      details: { parameter: field, fields: [{ field, problem: expect.any(String) }] },
      request_id: answer.headers.get('x-request-id'),
      documentation_url: 'https://docs.example/errors/validation_failed',
    },
  });
});

test('limit accepts 1 and 500, and defaults to 50', async () => {
  const rows = Array.from({ length: 600 }, (_, i) => coverageRow(`0x${String(i).padStart(3, '0')}`, 10));
  await fixture.publish(fixtureDatasets(AS_OF, rows));
  const server = await fixture.serve();
  expect((await page(server)).data.length).toBe(50);
  expect((await page(server, '?limit=1')).data.length).toBe(1);
  expect((await page(server, '?limit=500')).data.length).toBe(500);
});

test('a cursor that was never issued is refused, and so is one of another version than as_of selects', async () => {
  const then = isoSeconds(AS_OF_MS - 3_600_000);
  await fixture.publish(fixtureDatasets(then, ROWS), then);
  const before = await fixture.serve();
  const old = (await page(before, '?limit=2')).meta.cursor ?? '';
  await fixture.publish(fixtureDatasets(undefined, ROWS));
  const server = await fixture.serve();
  expect((await page(server, `?limit=2&cursor=${old}`)).data).toHaveLength(2);
  expect((await page(server, `?limit=2&cursor=${old}&as_of=${then}`)).data).toHaveLength(2);
  const [version, , hash] = Buffer.from(old, 'base64url').toString().split('.');
  const beyond = Buffer.from([version, 999_999, hash].join('.')).toString('base64url');
  const refused = {
    [`?limit=2&cursor=${old}&as_of=${AS_OF}`]: 'another version than the one that as_of selects',
    [`?limit=2&cursor=${beyond}`]: 'was not issued by this endpoint',
  };
  for (const [query, problem] of Object.entries(refused)) {
    const answer = await get(server, query);
    expect([query, answer.status]).toEqual([query, 400]);
    expect(JSON.stringify(await answer.json())).toContain(problem);
  }
});
