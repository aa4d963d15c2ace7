// The sums over the positions of vaults are the same to the last digit with any number of threads, and in whatever order the rows were written.
import { tmpdir } from 'node:os';
import { expect, test, vi } from 'vitest';
import { policyTablesOf } from '../../../../jobs/define/domain.ts';
import { renderParameters } from '../../../../jobs/engine/parameters.ts';
import { openDuckDb } from '../../../../jobs/engine/duckdb/duckdb.ts';
import { DuckDbWarehouse } from '../../../../jobs/engine/duckdb/warehouse.ts';
import { materialize } from '../../../../jobs/engine/materialize.ts';
import { DEFAULT_POLICY } from '../../../../jobs/policies.ts';
import { domains } from '../../../../jobs/registry.ts';
import { duckDbTarget, modelsOf, openScratchEngine, prepareCases } from '../../../support/case-duckdb.ts';
import type { CaseRow } from '../../../support/case-file.ts';
import { neededFor } from '../../../support/needed-models.ts';

vi.setConfig({ testTimeout: 60_000 });

const DAY = 86_400;
const START = 20_000 * DAY;
const STATES = 16_000;
/** More positions than one thread takes at once. */
const POSITIONS = 8;

/** Amounts of 18 decimals, whose sums as doubles depend on their order. */
const amount = (salt: number) =>
  `concat(cast(1 + hash(s, p, ${salt}) % 999999999 as varchar), cast(hash(p, s, ${salt}) % 1000000000000000 as varchar))`;
const STATE = `insert into obs.vault_state by name
  select 'ethereum' as chain, concat('0x', s % 1000) as vault_address, ${START} + s // 1000 * 600 as observed_at, ${START} as day,
    'morpho_v1_1' as kind, 18 as asset_decimals, ${POSITIONS} as position_count
  from range(${STATES}) r(s)`;
const positions = (order: string) => `insert into obs.vault_position by name
  select 'ethereum' as chain, concat('0x', s % 1000) as vault_address, ${START} + s // 1000 * 600 as observed_at, ${START} as day,
    case when s % 10 = 0 then concat('0xad', p % 2) else concat('0x', s % 1000) end as holder_address, 'market' as held_kind,
    concat('0xm', p // case when s % 10 = 0 then 2 else 1 end) as held, ${amount(1)} as assets, ${amount(2)} as market_supply,
    ${amount(3)} as market_cash, p as queue_index, '7' as max_in, '9' as max_out, '1' as absolute_cap
  from range(${STATES}) r(s), range(${POSITIONS}) q(p) order by ${order}`;

async function digest(threads: number, order: string): Promise<unknown> {
  const domains = neededFor({ tables: ['derived.vault_reading'] });
  const { models } = await modelsOf(domains);
  const db = await openDuckDb({ file: ':memory:', memoryLimit: '1GB', threads, tempDir: tmpdir() });
  try {
    const warehouse = new DuckDbWarehouse(db);
    for (const table of policyTablesOf(domains))
      await warehouse.bindPolicy(table, table.rows(DEFAULT_POLICY));
    await warehouse.prepare({ models, raw: domains.flatMap(({ raw }) => raw) });
    await db.execute(STATE);
    await db.execute(positions(order));
    const reading = models.find(({ name }) => name === 'derived.vault_reading');
    if (reading === undefined) throw new Error('there is no model derived.vault_reading');
    await materialize(warehouse, reading, { start: START, end: START + DAY, now: START + DAY - 1 });
    const [row] = await db.rows(
      'select count(withdrawable_shared) as known, cast(sum(hash(r)) as varchar) as digest from derived.vault_reading r',
    );
    return row;
  } finally {
    await db.close();
  }
}

test('one, two and four threads give the same digits', async () => {
  const one = await digest(1, 's, p');
  expect(one).toMatchObject({ known: STATES });
  expect(await digest(2, 'hash(s, p)')).toEqual(one);
  expect(await digest(4, 's, p desc')).toEqual(one);
});

const LENT = { chain: 'ethereum', observed_at: START + 600, day: START };
const BEARERS = Array.from({ length: 40 }, (_, index) => `0xv${index}`);
const MARKETS = Array.from({ length: 7 }, (_, index) => `0xm${index}`);

const given: Readonly<Record<string, readonly CaseRow[]>> = {
  'derived.vault_point': BEARERS.map((vault_address) => ({
    ...{ ...LENT, vault_address, kind: 'morpho_v1_1', unit: 1e6, total_assets: 1000, is_complete: true },
  })),
  'obs.vault_position': BEARERS.flatMap((vault_address, vault) =>
    MARKETS.map((held, market) => ({
      ...{ ...LENT, vault_address, holder_address: vault_address, held_kind: 'market', held },
      ...{ assets: String(7 + vault * 11 + market * 13), market_supply: String(1_000_003 + market) },
    })),
  ),
  'derived.oracle_point': MARKETS.map((market_id, index) => ({
    ...{ ...LENT, market_id, bad_debt_low_usd: 1e5 / (index + 3), bad_debt_high_usd: 1e5 / (index + 1) },
  })),
};

test('the bad debt of vaults over time is the same in whatever order the rows come', async () => {
  const { set, catalogue } = await prepareCases(domains);
  const query = set.models.find(({ name }) => name === 'derived.vault_loss');
  if (query === undefined) throw new Error('there is no model derived.vault_loss');
  const engine = await openScratchEngine();
  const target = duckDbTarget(engine);
  const lossesOf = async (ordered: (rows: readonly CaseRow[]) => readonly CaseRow[]) => {
    for (const table of [...query.reads, query.name])
      await target.fill(table, catalogue.tables(table), ordered(given[table] ?? catalogue.defaults(table)));
    const rows = await target.rows(
      renderParameters(query.sql, { start: START, end: START + DAY, now: START + DAY - 1 }),
      catalogue.answer(query),
    );
    return new Map(rows.map(({ vault_address, low_usd, high_usd }) => [vault_address, [low_usd, high_usd]]));
  };
  const losses = await lossesOf((rows) => rows);
  expect(losses.size).toBe(BEARERS.length);
  expect([...losses.values()].flat().every((loss) => Number(loss) > 0)).toBe(true);
  for (let turn = 1; turn < MARKETS.length; turn++)
    expect(await lossesOf((rows) => [...rows.slice(turn), ...rows.slice(0, turn)].toReversed())).toEqual(
      losses,
    );
  await engine.close();
});
