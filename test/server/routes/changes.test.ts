import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ConditionChange } from '../../../schemas/changes.ts';
import type { Json } from '../../../platform/base/json.ts';
import type { RunningServer } from '../../../server/deps.ts';
import {
  AS_OF,
  AS_OF_MS,
  DAY_MS,
  datasetOf,
  fixtureDatasets,
  isoSeconds,
  ServerFixture,
} from '../server-fixture.ts';

const YESTERDAY = isoSeconds(AS_OF_MS - DAY_MS);
const LONG_AGO = isoSeconds(AS_OF_MS - 3 * DAY_MS);

const peg = (name: string, more: Readonly<Record<string, Json>> = {}) => ({
  key: `peg.depeg.start|ethereum|${name}|USD`,
  value: {
    ...{ id: `peg.depeg.start|ethereum|${name}|USD`, type: 'peg.depeg.start', severity: 'high' },
    ...{ title: `${name} on ethereum is off its peg`, chain: 'ethereum', protocol: null },
    ...{
      subject_id: `peg:ethereum:${name}`,
      subject_name: `${name} / USD`,
      symbols: [name],
      since: LONG_AGO,
    },
    ...{ measure: 'deviation', unit: 'bps', value_start: -150, value_worst: -200, worst_at: LONG_AGO },
    ...{
      value_now: -150,
      now_at: LONG_AGO,
      rule: [],
      band_multiple: 1.2,
      reach: null,
      policy_version: '1.0.0',
    },
    ...{ event_key: `k${name}`, event_id: null, evidence_url: null, series_url: null },
    ...more,
  } as Json,
});
const conditions = (...all: readonly ReturnType<typeof peg>[]) => datasetOf('conditions', all);
const pegs = (...names: readonly string[]) =>
  datasetOf(
    'pegs',
    names.map((name) => ({ key: `ethereum|${name}`, value: { source_status: 'live' } })),
  );

let fixture: ServerFixture;
let server: RunningServer;
beforeEach(async () => {
  fixture = await ServerFixture.create();
});
afterEach(() => fixture.remove());

interface Answer {
  readonly status: number;
  readonly data: readonly ConditionChange[];
  readonly meta: Readonly<Record<string, unknown>>;
  readonly error: { readonly code: string; readonly message: string; readonly details: Json };
}

async function get(query = ''): Promise<Answer> {
  const answer = await fetch(`${server.url}/v2/changes${query}`);
  return { status: answer.status, ...((await answer.json()) as Omit<Answer, 'status'>) };
}
const kindsOf = ({ data }: Answer) =>
  data.map(({ before, after, change }) => `${(after ?? before)?.symbols[0]} ${change}`);

/** The versions of yesterday and today, published and served. */
async function serve(
  before: Parameters<ServerFixture['publish']>,
  after: Parameters<ServerFixture['publish']>,
) {
  const versions = [await fixture.publish(...before), await fixture.publish(...after)];
  server = await fixture.serve({ anonymousPlan: null });
  return versions;
}

test('a caller without a key sees what opened, worsened and closed between yesterday and now', async () => {
  const before = conditions(peg('AAA'), peg('BBB'), peg('CCC'));
  const after = conditions(peg('BBB', { value_worst: -300 }), peg('CCC'), peg('DDD', { since: AS_OF }));
  const all = pegs('AAA', 'BBB', 'CCC', 'DDD');
  const [from, to] = await serve(
    [[...fixtureDatasets(YESTERDAY), before, all], YESTERDAY],
    [[...fixtureDatasets(), after, all]],
  );
  const answer = await get();
  expect(kindsOf(answer)).toEqual(['DDD opened', 'BBB worsened', 'AAA closed']);
  expect(answer.meta).toMatchObject({
    total: 3,
    has_more: false,
    counts: { opened: 1, reopened: 0, worsened: 1, unknown: 0, closed: 1, eased: 0, unchanged: 1 },
    from: { version: from, as_of: YESTERDAY },
    to: { version: to, as_of: AS_OF },
  });
  expect(answer.data[1]).toMatchObject({ before: { value_worst: -200 }, after: { value_worst: -300 } });
  expect(await get(`?from=${from}&to=${to}`)).toMatchObject({ data: answer.data });
  expect(await get(`?from=${from?.toLowerCase()}`)).toMatchObject({ data: answer.data });
  expect(await get(`?from=${YESTERDAY}&to=${AS_OF}`)).toMatchObject({ data: answer.data });
  expect(await get(`?from=${AS_OF_MS / 1000 - 86_400}`)).toMatchObject({ data: answer.data });
  const first = await get('?limit=1');
  expect([kindsOf(first), first.meta['total'], first.meta['has_more']]).toEqual([['DDD opened'], 3, true]);
});

test('what the later version cannot say has not closed, and the dataset is named', async () => {
  const before = [
    ...fixtureDatasets(YESTERDAY),
    conditions(peg('AAA'), peg('BBB'), peg('CCC')),
    pegs('AAA', 'BBB', 'CCC'),
  ];
  const silent = { key: 'ethereum|BBB', value: { source_status: 'silent' } };
  const after = datasetOf('pegs', [silent, { key: 'ethereum|CCC', value: { source_status: 'live' } }]);
  await serve([before, YESTERDAY], [[...fixtureDatasets(), conditions(), after]]);
  const answer = await get();
  expect(kindsOf(answer)).toEqual(['AAA unknown', 'BBB unknown', 'CCC closed']);
  expect(answer.data.map(({ reason, dataset }) => [reason, dataset])).toEqual([
    ['no_row', 'pegs'],
    ['not_live', 'pegs'],
    [null, null],
  ]);
});

test('a dataset that a version does not have, or holds back, is named, and nothing that needs it has closed', async () => {
  const before = [...fixtureDatasets(YESTERDAY), conditions(peg('AAA')), pegs('AAA')];
  await serve([before, YESTERDAY], [[...fixtureDatasets(), conditions()]]);
  const missing = await get();
  expect(kindsOf(missing)).toEqual(['AAA unknown']);
  expect(missing.meta['not_compared']).toContainEqual({
    ...{ moment: 'to', dataset: 'pegs', reason: 'not_published' },
    message: expect.stringContaining('pegs'),
  });
  const gate = { verdict: 'fail' as const, checks: [], evaluated_at: AS_OF, policy_version: '1.0.0' };
  const carried = { id: 'conditions', kept: true as const, quality_gate: gate };
  const own = [...fixtureDatasets(), pegs('AAA')];
  await fixture.publish([...own, carried as never], isoSeconds(AS_OF_MS + 60_000), '1.0.0', {
    held_subjects: {
      total: 1,
      list: [{ dataset: 'conditions', subject: '*', since: AS_OF, checks: ['a'], reason: 'It is wrong.' }],
    },
  });
  fixture.nowMs += 60_000;
  await server.refresh();
  const held = await get();
  expect(kindsOf(held)).toEqual(['AAA unknown']);
  expect(held.meta['not_compared']).toContainEqual(
    expect.objectContaining({ moment: 'to', dataset: 'conditions', reason: 'held_back' }),
  );
});

test('a version compared with itself has not changed', async () => {
  const all = [conditions(peg('AAA')), pegs('AAA')];
  const [, to] = await serve(
    [[...fixtureDatasets(YESTERDAY), ...all], YESTERDAY],
    [[...fixtureDatasets(), ...all]],
  );
  const answer = await get(`?from=${to}&to=${to}`);
  expect(answer).toMatchObject({ status: 200, data: [], meta: { counts: { unchanged: 1 } } });
  expect(answer.meta['from']).toEqual(answer.meta['to']);
});

test('bad moments are refused with the parameter, and the oldest version is offered', async () => {
  const all = [conditions(peg('AAA')), pegs('AAA')];
  const [from, to] = await serve(
    [[...fixtureDatasets(YESTERDAY), ...all], YESTERDAY],
    [[...fixtureDatasets(), ...all]],
  );
  const refused = (parameter: string) => ({
    status: 400,
    error: { code: 'validation_failed', details: { parameter } },
  });
  expect(await get(`?from=${AS_OF}&to=${YESTERDAY}`)).toMatchObject(refused('from'));
  expect(await get(`?from=${to}&to=${from}`)).toMatchObject(refused('from'));
  expect(await get(`?from=${isoSeconds(AS_OF_MS + 1_000)}`)).toMatchObject(refused('from'));
  expect(await get('?from=2026-02-30')).toMatchObject(refused('from'));
  for (const query of [
    '?from=yesterday',
    '?to=',
    '?from=2026-03-01T12:00:00',
    '?limit=0',
    '?limit=1001',
    '?form=1',
  ])
    expect(await get(query), query).toMatchObject({ status: 400 });
  const early = await get(`?from=${LONG_AGO}`);
  const oldest = { oldest_as_of: YESTERDAY, oldest_version: from };
  expect(early).toMatchObject({
    status: 404,
    error: { code: 'not_found', details: { parameter: 'from', ...oldest } },
  });
  expect(early.error.message).toContain(`from=${from}`);
  expect(await get('?to=01HZX3K9Q4T2V7B8N6M5P1R0SD')).toMatchObject({
    status: 404,
    error: { details: { parameter: 'to' } },
  });
});

test('without a version of 24 hours before, changes are those since the oldest version; as_of moves the later one', async () => {
  const recent = isoSeconds(AS_OF_MS - 3_600_000);
  const [from] = await serve(
    [[...fixtureDatasets(recent), conditions(), pegs('AAA')], recent],
    [[...fixtureDatasets(), conditions(peg('AAA')), pegs('AAA')]],
  );
  expect(await get()).toMatchObject({
    data: [{ change: 'opened' }],
    meta: { from: { version: from, as_of: recent } },
  });
  expect(await get(`?as_of=${recent}`)).toMatchObject({ data: [], meta: { to: { version: from } } });
});

test('without conditions in either version, and without a version, changes are unavailable', async () => {
  server = await fixture.serve({ anonymousPlan: null });
  expect(await get()).toMatchObject({ status: 503 });
  await fixture.publish();
  await server.refresh();
  expect(await get()).toMatchObject({ status: 503, error: { code: 'unavailable' } });
});
