import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { renderParameters } from '../../../../jobs/engine/parameters.ts';
import { oracles } from '../../../../jobs/families/oracles/domain.ts';
import { pools } from '../../../../jobs/families/pools/domain.ts';
import { restaking } from '../../../../jobs/families/restaking/domain.ts';
import { sources } from '../../../../jobs/families/sources/domain.ts';
import type { BaseRestaking, RestakingProtocol } from '../../../../schemas/restaking.ts';
import { duckDbTarget, openScratchEngine, prepareCases } from '../../../support/case-duckdb.ts';
import type { CaseRow } from '../../../support/case-file.ts';
import { type TestFolder, testFolder } from '../../../support/pipeline-world.ts';
import {
  confidenceOf,
  documentsOf,
  type FilesConfig,
  quarantinedFields,
  runFiles,
} from '../../../support/published-files.ts';
import { withEvents } from '../../../support/with-events.ts';

vi.setConfig({ testTimeout: 120_000 });

const DAY = 86_400;
const TODAY = Date.UTC(2026, 2, 10) / 1000;
const NOON = TODAY + 43_200;

let folder: TestFolder;
beforeEach(() => {
  folder = testFolder();
});
afterEach(() => folder.remove());

type StateRow = Readonly<Record<string, string | number | null>>;

const FIELDS = {
  ...Object.fromEntries(
    restaking.raw
      .flatMap(({ fields }) => fields)
      .filter(({ computed }) => computed === undefined)
      .map(({ name }) => [name, name]),
  ),
  observed_at: { from: 'observed_at', time: 'unix_s' },
};

function stateFiles(files: { readonly [source: string]: readonly StateRow[] }): FilesConfig {
  const sources = Object.entries(files).map(([id, rows]) => {
    writeFileSync(join(folder.dir, `${id}.ndjson`), rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
    return [
      id,
      { table: 'restaking_state', path: `${id}.ndjson`, format: 'ndjson', name: id, fields: FIELDS },
    ];
  });
  return { profile: 'files', sources: Object.fromEntries(sources) };
}

const WHOLE = {
  total_restaked_native: 4_100_000.1234567,
  total_restaked_usd: 12_710_000_000.456,
  registered_node_operators: 1_540,
  staker_rewards: 0.9,
  protocol_fees: 0,
  node_operator_fees: 0.1,
  total_staked_native: 4_450_000,
  total_staked_usd: 13_795_000_000,
  strategy_count: 27,
  deployed_pods: 38_000,
};
const state = (protocol: string, observed_at: number, figures: StateRow = WHOLE): StateRow => ({
  protocol,
  observed_at,
  ...figures,
});

const latest = (name: string) =>
  documentsOf<readonly RestakingProtocol[]>(folder.dir, 'restaking-latest')[name];
const week = () => documentsOf<readonly RestakingProtocol[]>(folder.dir, 'restaking-week')['all'] ?? [];

test('records have the fields of the specification, as JSON numbers, in the order of time', async () => {
  const rows = [state('EigenLayer', TODAY + 10), state('EigenLayer', TODAY - 10), state('Renzo', TODAY + 10)];
  expect(await runFiles(folder.dir, stateFiles({ rows }), NOON)).toEqual([]);
  const record = (name: string, timestamp: number) =>
    `{"name":"${name}","node_operator_fees":0.1,"protocol_fees":0,"registered_node_operators":1540,"staker_rewards":0.9,` +
    `"timestamp":${timestamp},"total_restaked_native":4100000.123457,"total_restaked_usd":12710000000.46}`;
  expect(JSON.stringify(week())).toBe(
    `[${record('eigenlayer', TODAY + 10)},${record('renzo', TODAY + 10)},${record('eigenlayer', TODAY - 10)}]`,
  );
  expect(JSON.stringify(latest('renzo'))).toBe(`[${record('renzo', TODAY + 10)}]`);
  expect(
    JSON.stringify(
      documentsOf<readonly BaseRestaking[]>(folder.dir, 'base-restaking-week')['eigenlayer']?.[1],
    ),
  ).toBe(
    `{"deployed_pods":38000,"name":"eigenlayer","strategy_count":27,"timestamp":${TODAY - 10},"total_restaked_native":4100000.123457,` +
      '"total_restaked_usd":12710000000.46,"total_staked_native":4450000,"total_staked_usd":13795000000}',
  );
  expect(confidenceOf(folder.dir, 'base-restaking-week')).toMatchObject({ score: 1, reasons: [] });
});

test('figures of two sources make one record, and which protocols are base protocols is configuration', async () => {
  const config = stateFiles({
    amounts: [state('Symbiotic', TODAY + 5, { total_restaked_usd: 7 })],
    operators: [state('symbiotic', TODAY + 3, { registered_node_operators: 2, strategy_count: 4 })],
  });
  const policy = { restaking: { base_protocols: ['symbiotic'] } };
  await runFiles(folder.dir, { ...config, policy }, NOON);
  expect(latest('symbiotic')).toMatchObject([
    {
      total_restaked_usd: 7,
      registered_node_operators: 2,
      total_restaked_native: null,
      timestamp: TODAY + 5,
    },
  ]);
  expect(documentsOf(folder.dir, 'base-restaking-week')).toMatchObject({
    symbiotic: [{ total_restaked_usd: 7, strategy_count: 4, deployed_pods: null }],
  });
});

describe('what sources get wrong', () => {
  test('what is no figure is quarantined, each for its reason, and the rest is kept', async () => {
    const good = Array.from({ length: 1_000 }, (_, index) => state('Renzo', NOON - index));
    const bad = [
      state('a', NOON, { total_restaked_usd: -1 }),
      state('a', NOON, { staker_rewards: 1.01 }),
      state('a', NOON, { registered_node_operators: 1.5 }),
      state('a', NOON, { deployed_pods: 'many' }),
      state('a', NOON + 1),
      state('', NOON),
      state('  ', NOON),
      { ...state('a', 0), observed_at: null },
    ];
    expect(await runFiles(folder.dir, stateFiles({ rows: [...good, ...bad] }), NOON)).toEqual(
      ['restaking-week', 'restaking-latest', 'base-restaking-week'].map((id) =>
        expect.stringContaining(`${id}: a: 6 of 6 rows of restaking_state from rows were refused`),
      ),
    );
    expect(week().map(({ name }) => name)).toEqual(['renzo']);
    expect(quarantinedFields(folder.dir, 'restaking_state')).toEqual([
      'deployed_pods',
      'observed_at',
      'observed_at',
      'protocol',
      'protocol',
      'registered_node_operators',
      'staker_rewards',
      'total_restaked_usd',
    ]);
  });

  test('names with capitals, spaces, dots and slashes become one path value each', async () => {
    const names = ['ether.fi Stake', 'ETHER.FI  STAKE', 'A/B  Restaking', 'Gen\tesis', 'Ünited'];
    const rows = names.map((name, index) => state(name, TODAY + index));
    await runFiles(folder.dir, stateFiles({ rows }), NOON);
    expect(
      week()
        .map(({ name }) => name)
        .sort(),
    ).toEqual(['a/brestaking', 'ether.fistake', 'genesis', 'ünited']);
    expect(latest('ether.fistake')).toMatchObject([{ timestamp: TODAY + 1 }]);
  });

  test('an observation that comes twice is one; with other figures the second is quarantined', async () => {
    const rows = Array.from({ length: 200 }, (_, index) => state('Renzo', NOON - index));
    const twice = [...rows, ...rows, state('Renzo', NOON, { ...WHOLE, total_restaked_usd: 9e12 })];
    await runFiles(folder.dir, stateFiles({ rows: twice }), NOON);
    expect(confidenceOf(folder.dir, 'restaking-week')?.reasons).toEqual(['1 of 401 rows is in quarantine']);
    expect(week()).toHaveLength(1);
  });

  test('shares that are more than the whole hold the datasets back', async () => {
    const rows = [state('Renzo', NOON, { staker_rewards: 0.9, protocol_fees: 0.2, node_operator_fees: 0 })];
    const problems = await runFiles(folder.dir, stateFiles({ rows }), NOON);
    expect(problems.join('\n')).toMatch(/restaking-week: .*shares/);
  });

  test('a day without data is a gap, and after seven days a protocol has no record', async () => {
    const rows = [state('Renzo', TODAY - 6 * DAY), state('Renzo', TODAY), state('Kelp', TODAY - 6 * DAY)];
    await runFiles(folder.dir, stateFiles({ rows }), NOON);
    expect(week().map(({ name, timestamp }) => [name, (TODAY - timestamp) / DAY])).toEqual([
      ['renzo', 0],
      ['kelp', 6],
      ['renzo', 6],
    ]);
    // Without a record of the next day yet, the week still ends with this one.
    await runFiles(folder.dir, stateFiles({ rows }), NOON + DAY);
    expect(week()).toHaveLength(3);
    expect(latest('kelp')).toHaveLength(1);
    await runFiles(folder.dir, stateFiles({ rows }), NOON + 2 * DAY);
    expect(week()).toHaveLength(1);
    expect(latest('kelp')).toBeUndefined();
  });
});

describe('against an independent reading', () => {
  const figure = fc.option(fc.integer({ min: 0, max: 9 }), { freq: 1 });
  const rows = fc.uniqueArray(
    fc.record({
      name: fc.constantFrom('a', 'b'),
      observed_at: fc.integer({ min: TODAY - 2 * DAY, max: TODAY + DAY - 1 }),
      total_restaked_usd: figure,
      registered_node_operators: figure,
      strategy_count: figure,
    }),
    { selector: ({ name, observed_at }) => `${name} ${observed_at}`, maxLength: 12 },
  );

  test('the figures of a day are the same, whatever was seen when', async () => {
    const { set, catalogue } = await prepareCases(withEvents([restaking, sources, oracles, pools]));
    const engine = await openScratchEngine();
    const target = duckDbTarget(engine);
    const model = set.models.find(({ name }) => name === 'derived.restaking_day');
    const sql = renderParameters(model?.sql ?? '', { start: TODAY - DAY, end: NOON + 1, now: NOON });
    await fc.assert(
      fc.asyncProperty(rows, async (seen) => {
        const stored = seen.map((row) => ({ ...row, day: row.observed_at - (row.observed_at % DAY) }));
        await target.fill('obs.restaking_state', catalogue.tables('obs.restaking_state'), stored);
        const found = await target.rows(sql, []);
        const order = (list: readonly CaseRow[]) =>
          list.toSorted((a, b) => (`${a['day']} ${a['name']}` < `${b['day']} ${b['name']}` ? -1 : 1));
        expect(order(found)).toMatchObject(order(modelled(stored)));
      }),
      { numRuns: 150, seed: 5 },
    );
    await engine.close();
  });
});

/** Walks the observations in time and lets each figure overwrite the one before. */
function modelled(rows: readonly CaseRow[]): readonly CaseRow[] {
  const days = new Map<string, CaseRow>();
  for (const row of rows.toSorted((a, b) => Number(a['observed_at']) - Number(b['observed_at']))) {
    const at = Number(row['observed_at']);
    const reported = Object.entries(row).filter(
      ([field, value]) => value !== null && !['name', 'day', 'observed_at'].includes(field),
    );
    if (at < TODAY - DAY || at > NOON || reported.length === 0) continue;
    const key = `${row['name']} ${row['day']}`;
    const empty = { total_restaked_usd: null, registered_node_operators: null, strategy_count: null };
    const { name = null, day = null } = row;
    days.set(key, {
      ...empty,
      ...days.get(key),
      ...Object.fromEntries(reported),
      name,
      day,
      observed_at: at,
    });
  }
  return [...days.values()];
}
