import { describe, expect, test } from 'vitest';
import { readCommandLine } from '../../../platform/command-line/command-line.ts';
import { KEYS } from '../../../platform/command-line/keys-commands.ts';
import { UsageError } from '../../../platform/command-line/usage-error.ts';
import { PLANS, type PlanName, SCOPES } from '../../../schemas/plans.ts';
import { ENDPOINTS } from '../../../server/endpoints.ts';
import { LOWEST_PLAN, scopesOf } from '../../../server/keys/issue.ts';
import { parseCommand, parseInstant, parseSpan } from '../../../server/keys/parse.ts';

const NOW_MS = Date.parse('2026-03-01T12:00:00Z');
const parse = (text: string) => {
  const line = readCommandLine(KEYS, text.split(' ').filter(Boolean));
  if (line.help !== null) throw new Error(`${text} asks for help`);
  return parseCommand(line.command, NOW_MS);
};

test('create takes an organisation and a plan, and grants every scope of the plan without expiry', () => {
  expect(parse('create --org acme --plan analyst')).toEqual({
    name: 'create',
    org: 'acme',
    plan: 'analyst',
    scopes: scopesOf('analyst'),
    limits: {},
    expires_ms: null,
    json: false,
  });
});

test.each([
  ['90d', NOW_MS + 90 * 86_400_000],
  ['12h', NOW_MS + 12 * 3_600_000],
  ['2026-04-01', Date.parse('2026-04-01T00:00:00Z')],
  ['2026-04-01T10:00:00Z', Date.parse('2026-04-01T10:00:00Z')],
  ['1800000000', 1_800_000_000_000],
  ['never', null],
])('--expires %s', (text, expires_ms) => {
  expect(parse(`create --org a --plan free --expires ${text}`)).toMatchObject({ expires_ms });
});

test('scopes are kept once and in the order of the catalogue', () => {
  const { scopes } = parse('create --org a --plan team --scopes events:read,data:read,events:read') as never;
  expect(scopes).toEqual(['data:read', 'events:read']);
});

test('contractual limits', () => {
  expect(
    parse('create --org a --plan custom --requests-per-minute 50 --replay-window-days 365'),
  ).toMatchObject({
    limits: { requests_per_minute: 50, replay_window_days: 365 },
  });
});

test.each([
  ['list', { name: 'list', org: undefined, json: false }],
  ['list --org acme --json', { name: 'list', org: 'acme', json: true }],
  ['show key_1', { name: 'show', id: 'key_1', json: false }],
  ['revoke key_1 --json', { name: 'revoke', id: 'key_1', json: true }],
  [
    'rotate key_1',
    { name: 'rotate', id: 'key_1', overlapMs: 86_400_000, expires_ms: undefined, json: false },
  ],
  ['rotate key_1 --overlap 0s --expires never', { name: 'rotate', overlapMs: 0, expires_ms: null }],
  ['audit --verify', { name: 'audit', does: 'verify', json: false }],
])('%s', (line, command) => {
  expect(parse(line)).toMatchObject(command);
});

describe('refused with a message:', () => {
  test.each([
    ['', 'Name a command.'],
    ['delete key_1', 'no command "delete"'],
    ['constructor', 'no command "constructor"'],
    ['create --plan team', '--org is missing'],
    ['create --org a', '--plan is missing'],
    ['create --org a --plan gold', '"gold" is not one of'],
    ['create --org a --plan toString', '"toString" is not one of'],
    ['create --org a/b --plan free', '--org: 1 to 64'],
    ['create --org -- --plan free', '--org'],
    [`create --org ${'a'.repeat(65)} --plan free`, '--org: 1 to 64'],
    ['create --org a --plan free --scopes data:reed', 'Did you mean data:read?'],
    ['create --org a --plan free --scopes ,', 'no scope ""'],
    ['create --org a --plan analyst --scopes webhooks:write', 'requires the plan team'],
    ['create --org a --plan team --requests-per-minute 5', 'only keys of the plan custom'],
    ['create --org a --plan custom --requests-per-minute 0', 'from 1 to 3000'],
    ['create --org a --plan custom --requests-per-minute 3001', 'from 1 to 3000'],
    ['create --org a --plan custom --requests-per-minute 1e3', 'from 1 to 3000'],
    ['create --org a --plan custom --replay-window-days=-1', 'from 0 to 365'],
    ['create --org a --plan free --expires soon', 'is not a duration'],
    ['create --org a --plan free --expires 2026-02-31', 'is not a duration'],
    ['create --org a --plan free --expires 2026-01-01', 'is in the past'],
    ['create --org a --plan free --expires 0s', 'is in the past'],
    ['create --org a --plan free --overlap 1h', 'create has no flag --overlap'],
    ['create extra --org a --plan free', 'unexpected argument "extra"'],
    ['rotate', 'ID is missing: Id of the key'],
    ['rotate key_1 key_2', 'unexpected argument "key_2"'],
    ['rotate key_1 --overlap 8d', 'must be at most 7d'],
    ['rotate key_1 --overlap 24', 'not a duration'],
    ['revoke rk_live_abc', 'this is a key'],
    ['list --plan team', 'list has no flag --plan'],
    ['show key_1 --verify', 'show has no flag --verify'],
  ])('%s', (line, words) => {
    expect(() => parse(line)).toThrow(UsageError);
    expect(() => parse(line)).toThrow(words);
  });
});

test('durations and instants', () => {
  expect(['1s', '2m', '3h', '4d', '5w', 'd', '-1d', '1.5h', ''].map(parseSpan)).toEqual([
    1_000,
    120_000,
    10_800_000,
    345_600_000,
    ...Array.from({ length: 5 }, () => undefined),
  ]);
  expect(['2026-13-01', '2026-01-01T10:00:00', '12', '99999999999999', 'now'].map(parseInstant)).toEqual(
    Array.from({ length: 5 }, () => undefined),
  );
});

test('every scope belongs to a plan, a higher plan has those of every lower one, and the highest has all', () => {
  const plans = (Object.keys(PLANS) as PlanName[]).toSorted((a, b) => PLANS[a].rank - PLANS[b].rank);
  expect(scopesOf(plans.at(-1) ?? 'free')).toEqual(SCOPES);
  for (const [index, plan] of plans.entries())
    expect(scopesOf(plan)).toEqual(expect.arrayContaining([...scopesOf(plans[index - 1] ?? plan)]));
});

test('a key with the scopes of its plan may use every endpoint of its plan', () => {
  const gates = ENDPOINTS.flatMap(({ path, access }) => (access === 'open' ? [] : [{ path, ...access }]));
  expect(gates.length).toBeGreaterThan(5);
  const missing = gates.filter(({ plan, scope }) => PLANS[LOWEST_PLAN[scope]].rank > PLANS[plan].rank);
  expect(missing).toEqual([]);
});
