// A dataset requires what the endpoint with the same rows requires (decision 63): in every form and version, and in the mirror.
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { domains } from '../../../jobs/registry.ts';
import { nodeDisk } from '../../../platform/storage/disk.ts';
import { PLANS, type PlanName, SCOPES } from '../../../schemas/plans.ts';
import { datasetAccess, scopesOf, UNDECLARED } from '../../../server/access/authorize.ts';
import type { AccessRule } from '../../../server/define/caller.ts';
import type { RunningServer } from '../../../server/deps.ts';
import { ENDPOINTS } from '../../../server/endpoints.ts';
import { exportMirror } from '../../../server/export.ts';
import type { TableInfo } from '../../../snapshots/layout.ts';
import { inFolder } from '../../support/in-folder.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { AS_OF, datasetOf, ServerFixture } from '../server-fixture.ts';

const FORMS = ['', '.json', '.ndjson', '.csv', '.parquet', '.arrow'];
const LATER = '2026-03-01T12:05:00Z';
const PUBLISHED = domains.flatMap(({ datasets }) => datasets);
const IDS = [...PUBLISHED.map(({ id }) => id), 'corrections', 'status-history', 'of-tomorrow'];
const accessOf = datasetAccess(ENDPOINTS);
const rules = IDS.flatMap((id) => {
  const access = accessOf(id);
  return access === 'open' ? [] : [[id, access] as const];
});
const OPEN = IDS.filter((id) => accessOf(id) === 'open');

const table: TableInfo = {
  title: 'Numbers',
  key: ['name'],
  separator: '/',
  shape: 'one',
  row: { type: 'object', additionalProperties: false, properties: { n: { type: 'integer' } } },
};
/** The mirror computes figures from rows of vaults, which these are not. */
const ROWLESS = ['vaults', 'vault-holdings'];
const numbers = (id: string, computed_at = AS_OF) => {
  const documents = ROWLESS.includes(id) ? [] : [{ key: 'a', value: { n: 1 } }];
  return datasetOf(id, documents, computed_at, {
    table,
    rows: documents.length,
    parquet: async () => Buffer.from('PAR1'),
  });
};

let fixture: ServerFixture;
let server: RunningServer;
let first: string;
beforeAll(async () => {
  fixture = await ServerFixture.create();
  first = await fixture.publish(IDS.map((id) => numbers(id)));
  await fixture.publish(
    IDS.map((id) => numbers(id, LATER)),
    LATER,
  );
  fixture.nowMs = Date.parse(LATER);
  for (const [id, rule] of rules) keys.set(id, await keysOf(rule));
  server = await fixture.serve({ anonymousPlan: null });
});
afterAll(() => fixture.remove());

interface Keys {
  /** Key of the plan below the required one; undefined if there is none. */
  readonly poor: string | undefined;
  readonly good: string;
  /** Keys that each lack one of the required scopes. */
  readonly unscoped: readonly (readonly [scope: string, key: string])[];
}
const keys = new Map<string, Keys>();

async function keysOf(rule: AccessRule): Promise<Keys> {
  const lower = below(rule.plan);
  const unscoped = scopesOf(rule).map(async (scope) => {
    const scopes = SCOPES.filter((one) => one !== scope);
    return [scope, await fixture.key('custom', { scopes })] as const;
  });
  return {
    poor: lower && (await fixture.key(lower)),
    good: await fixture.key(rule.plan, { scopes: [...scopesOf(rule)] }),
    unscoped: await Promise.all(unscoped),
  };
}

const get = (path: string, key?: string) =>
  fetch(server.url + path, { headers: key === undefined ? {} : { Authorization: `Bearer ${key}` } });
const statusOf = async (path: string, key?: string) => (await get(path, key)).status;
const below = (plan: PlanName) =>
  (Object.keys(PLANS) as PlanName[]).filter((name) => PLANS[name].rank < PLANS[plan].rank).at(-1);

test('every published dataset declares who may read it', () => {
  for (const { id } of PUBLISHED) expect([id, accessOf(id) === UNDECLARED]).toEqual([id, false]);
  expect(OPEN).toEqual([
    'pegs',
    'feeds',
    'lending-markets',
    'vaults',
    'vault-holdings',
    'vault-changes',
    'oracle-paths',
    'networks',
    'proposer-payments',
    'overall-receipts',
    'source-readings',
    'manifest-summary',
    'coverage-history',
    'conditions',
    'event-rules',
    'status-history',
  ]);
  expect(accessOf('corrections')).not.toBe(UNDECLARED);
});

test('every dataset requires what the endpoints that serve it require', () => {
  for (const { datasets = [], access } of ENDPOINTS)
    for (const id of datasets) expect([id, accessOf(id)]).toEqual([id, access]);
  const one = ENDPOINTS.find(({ datasets = [] }) => datasets.includes('governance'));
  if (one === undefined) throw new Error('no endpoint serves governance');
  expect(() => datasetAccess([...ENDPOINTS, { ...one, access: 'open' }])).toThrow(/governance/);
});

test('corrections require every scope of the datasets whose rows they show', () => {
  const daily = PUBLISHED.filter(({ day }) => day !== undefined)
    .map(({ id }) => accessOf(id))
    .filter((access) => access !== 'open');
  const asked = accessOf('corrections') as AccessRule;
  expect(scopesOf(asked)).toEqual(expect.arrayContaining(daily.flatMap(scopesOf)));
  for (const { plan } of daily) expect(PLANS[asked.plan].rank).toBeGreaterThanOrEqual(PLANS[plan].rank);
});

test.each(rules)('%s is closed without a key, scope or plan, and open with all of them', async (id) => {
  const { poor, good, unscoped } = keys.get(id) as Keys;
  const moments = ['', `?version=${first}`, `?as_of=${AS_OF}`];
  for (const path of FORMS.flatMap((form) => moments.map((when) => `/v2/datasets/${id}${form}${when}`))) {
    expect([path, await statusOf(path)]).toEqual([path, 401]);
    if (poor !== undefined) expect([path, await statusOf(path, poor)]).toEqual([path, 402]);
    for (const [scope, key] of unscoped) {
      const answer = await get(path, key);
      expect([path, answer.status]).toEqual([path, 403]);
      expect(await answer.json()).toMatchObject({ error: { details: { required_scope: scope } } });
    }
    const answer = await get(path, good);
    expect([path, answer.status]).toEqual([path, 200]);
    expect(answer.headers.get('cache-control')).toMatch(/^private, /);
    expect(answer.headers.get('vary')).toContain('Authorization');
  }
});

test('open datasets are open in every form, and public to caches', async () => {
  for (const path of OPEN.flatMap((id) => FORMS.map((form) => `/v2/datasets/${id}${form}`))) {
    const answer = await get(path);
    expect([path, answer.status]).toEqual([path, 200]);
    expect(answer.headers.get('cache-control')).toMatch(/^public, /);
    expect(answer.headers.get('vary')).not.toContain('Authorization');
  }
});

test('the list names the required plan and scopes of each dataset', async () => {
  const { data } = (await (await get('/v2/datasets')).json()) as {
    data: { id: string; required_plan: string | null; required_scopes: string[] }[];
  };
  for (const { id, required_plan, required_scopes } of data) {
    const access = accessOf(id);
    const expected = access === 'open' ? [null, []] : [access.plan, scopesOf(access)];
    expect([id, required_plan, required_scopes]).toEqual([id, ...expected]);
  }
});

test('the mirror contains only open datasets, those of a plan if it is named, and counts the rest', async () => {
  const exported = async (plan: PlanName | null) => {
    const out = temporaryFolder('mirror');
    try {
      const quiet = () => undefined;
      const log = { info: quiet, warn: quiet, error: quiet };
      const snapshots = inFolder(fixture.dir);
      const options = { disk: nodeDisk, snapshots, out, plan, serviceVersion: 'test', log };
      const { withheld } = await exportMirror(options);
      const names = await readdir(join(out, 'v2/datasets'));
      const listed = await readFile(join(out, 'v2/datasets.json'), 'utf8');
      expect(listed).toContain('governance');
      return { withheld, ids: [...new Set(names.map((name) => name.split('.')[0]))].sort() };
    } finally {
      await rm(out, { recursive: true });
    }
  };
  const open = await exported(null);
  expect(open.ids).toEqual(OPEN.toSorted());
  // Every dataset has five forms.
  expect(open.withheld).toBeGreaterThanOrEqual(5 * (IDS.length - OPEN.length));
  const free = rules.filter(([, { plan }]) => plan === 'free').map(([id]) => id);
  expect((await exported('free')).ids).toEqual([...OPEN, ...free].sort());
});

// Last: it publishes a version without most datasets.
test('a dataset that only an older version has keeps its requirements', async () => {
  await fixture.publish([numbers('manifest-summary', LATER)], LATER);
  await server.refresh();
  for (const id of ['governance', 'of-tomorrow'])
    expect([id, await statusOf(`/v2/datasets/${id}.csv?version=${first}`)]).toEqual([id, 401]);
  expect(await statusOf('/v2/datasets/never-there')).toBe(404);
});
