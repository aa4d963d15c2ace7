// Every endpoint with every error it can return, each produced once for real.
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ERRORS, type ErrorCode } from '../../../schemas/errors.ts';
import { ENDPOINTS } from '../../../server/endpoints.ts';
import { errorsOf, openPositions, type Places, RECIPES } from './error-recipes.ts';

/** Part of the contract, but not returned by any endpoint. */
const UNUSED: ReadonlySet<string> = new Set(['forbidden']);
/** Produced in the tests of their subjects: idempotency, and paths that have ended. */
const ELSEWHERE: ReadonlySet<string> = new Set(['idempotency_in_flight', 'gone', 'conflict']);

const PROJECT = fileURLToPath(new URL('../../../', import.meta.url));
/** What an attacker could use: files of this machine, lines of code, programs and their versions. */
const INTERNALS = [
  ...[PROJECT, `${tmpdir()}/`, process.version, 'node_modules', '.ts:', 'SQLITE'],
  ...['["x-powered-by"', '["server"'],
];

let positions: Places;
beforeAll(async () => {
  positions = await openPositions();
}, 60_000);
afterAll(async () => {
  await positions.fixture.remove();
  await positions.empty.remove();
  await positions.storelessFixture.remove();
});

const codeIn = (body: { error: string | { code: string } }): string =>
  typeof body.error === 'string' ? body.error : body.error.code;

const cases = ENDPOINTS.flatMap((endpoint) =>
  errorsOf(endpoint)
    .filter((code) => !ELSEWHERE.has(code))
    .map((code) => [`${endpoint.method} ${endpoint.path}`, code, endpoint] as const),
);

test.each(cases)('%s returns %s', async (_, code, endpoint) => {
  const produce = RECIPES[`${endpoint.path} ${code}`] ?? RECIPES[code];
  if (produce === undefined) throw new Error(`no recipe produces ${code}: add one to error-recipes.ts`);
  const answer = await produce(endpoint, positions);
  const body = (await answer.json()) as { error: string | { code: string } };
  expect([codeIn(body), answer.status]).toEqual([
    code,
    code === 'internal_error' ? (endpoint.internalErrorStatus ?? ERRORS[code].http) : ERRORS[code].http,
  ]);
  const text = JSON.stringify(body);
  expect(text).toContain(answer.headers.get('x-request-id'));
  const all = text + JSON.stringify([...answer.headers]);
  expect(INTERNALS.filter((part) => all.includes(part))).toEqual([]);
});

test('every code of the catalogue is returned by some endpoint, or listed as unused', () => {
  const produced = new Set<string>([...cases.map(([, code]) => code), ...ELSEWHERE]);
  const missing = (Object.keys(ERRORS) as ErrorCode[]).filter((code) => !produced.has(code));
  expect(missing.toSorted()).toEqual([...UNUSED].toSorted());
});
