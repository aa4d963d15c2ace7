// Parameters of Aave v3 as they were read every day, against the changes that their owners published.
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { lending } from '../../../../jobs/families/lending/domain.ts';
import { oracles } from '../../../../jobs/families/oracles/domain.ts';
import { pools } from '../../../../jobs/families/pools/domain.ts';
import { sources } from '../../../../jobs/families/sources/domain.ts';
import { type DomainWorld, openDomainWorld } from '../../../support/domain-world.ts';
import { describeRealData, realData } from '../../../support/real-data.ts';
import { midnight, records } from './real-records.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const DAY = 86_400;
const END = midnight('2026-01-01');
const RESERVES = 'lending/aave-v3-reserves-daily-2025.csv.gz';

interface Published {
  readonly asset: string;
  readonly network: string;
  readonly parameter: string;
  readonly old_value: number;
  readonly new_value: number;
  readonly timestamp: string;
}

interface Change {
  readonly network: string;
  readonly symbol: string | undefined;
  readonly parameter: string;
  readonly changed_at: number;
  readonly old_value: number;
  readonly new_value: number;
}

const published = (): readonly Published[] =>
  JSON.parse(readFileSync(realData('lending/expected-aave-v3-parameter-changes-2025.json'), 'utf8'));

const isSame = (change: Change, wanted: Published): boolean =>
  change.network === wanted.network &&
  change.symbol === wanted.asset &&
  change.parameter === wanted.parameter &&
  Math.abs(change.old_value - wanted.old_value) < 1e-9 &&
  Math.abs(change.new_value - wanted.new_value) < 1e-9 &&
  Math.abs(change.changed_at - Date.parse(`${wanted.timestamp}Z`) / 1000) <= DAY;

/** What was detected, under the names that the file has. */
async function detected(world: DomainWorld): Promise<readonly Change[]> {
  const symbols = new Map(
    (await records(RESERVES)).map((row) => [
      `${row['network']}|${row['a_token_address']}|${row['date']}`,
      row['symbol'],
    ]),
  );
  const rows = await world.rows('select * from derived.market_parameter_change');
  return rows.map((row) => {
    const day = new Date(Number(row['changed_at']) * 1000).toISOString().slice(0, 10);
    const network = row['chain'] === 'bsc' ? 'bnb' : String(row['chain']);
    return {
      network,
      symbol: symbols.get(`${network}|${row['market_id']}|${day}`),
      parameter: String(row['parameter']),
      changed_at: Number(row['changed_at']),
      old_value: Number(row['old_value']),
      new_value: Number(row['new_value']),
    };
  });
}

const countsBy = (changes: readonly Change[]) =>
  Object.fromEntries(
    [...Map.groupBy(changes, ({ parameter }) => parameter)].map(([name, list]) => [name, list.length]),
  );

describeRealData('Aave v3, 162 days of 2025', () => {
  let world: DomainWorld;
  beforeAll(async () => {
    world = await openDomainWorld(lending, [sources, oracles, pools]);
    const [receipt] = await world.landExample('lending', 'aave-v3-parameters');
    expect(receipt).toMatchObject({ rows_in: 32_478, rows_landed: 32_478, reasons: {} });
    await world.compute({ start: midnight('2025-07-01'), end: END, now: END - 1 });
  });
  afterAll(() => world.close());

  test('every published change is detected within a day', async () => {
    const changes = await detected(world);
    expect(published()).toHaveLength(71);
    expect(published().filter((wanted) => !changes.some((change) => isSame(change, wanted)))).toEqual([]);
  });

  test('every extra one is of a parameter that the owners do not list', async () => {
    const extra = (await detected(world)).filter(
      (change) => !published().some((wanted) => isSame(change, wanted)),
    );
    // They list loan-to-value, threshold, bonus and reserve factor: of those there is no extra change at all.
    expect(countsBy(extra)).toEqual({
      borrow_cap: 300,
      debt_ceiling: 21,
      emode_category: 233,
      is_frozen: 3,
      is_paused: 1,
      liquidation_protocol_fee: 272,
      supply_cap: 170,
    });
  });

  test('bonuses reported with the principal, and fees above all of it, are kept and called implausible', async () => {
    const rows = await world.rows(
      'select parameter, count(*) as n from derived.market_parameter_change where not is_plausible group by parameter order by parameter',
    );
    expect(rows.map(({ parameter, n }) => [parameter, Number(n)])).toEqual([
      ['liquidation_bonus', 40],
      ['liquidation_protocol_fee', 253],
    ]);
  });

  test('changes of caps are not of caps: the source has cut one number in two, which is round only when joined', async () => {
    const rows = (await records(RESERVES)).filter(
      (row) => row['date'] === '2025-12-31' && Number(row['supply_cap']) > 0,
    );
    const isRound = (value: number) => value % 1_000 === 0;
    const joined = rows.filter((row) =>
      isRound(Number(row['borrow_cap']) + 65_536 * Number(row['supply_cap'])),
    );
    expect(rows.length).toBeGreaterThan(50);
    expect(joined.length / rows.length).toBeGreaterThan(0.9);
    expect(rows.filter((row) => isRound(Number(row['borrow_cap']))).length / rows.length).toBeLessThan(0.3);
  });
});
