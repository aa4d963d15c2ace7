import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { networkA, networkATransactions } from '../../../../jobs/families/network-a/domain.ts';
import type { TransactionStatistics } from '../../../../schemas/network-a.ts';
import { type DomainWorld, openDomainWorld } from '../../../support/domain-world.ts';
import { describeRealData, realData } from '../../../support/real-data.ts';
import { DAY, dayOf, span } from './days.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

/** Lines of JSON with every integer as text, so that none passes through a double. */
function exactLines(path: string): readonly { readonly [field: string]: string | null }[] {
  const lines = readFileSync(realData(path), 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line.replace(/([:[]\s*)(-?\d+)(?=\s*[,}\]])/g, '$1"$2"')));
}

const big = (value: string | null | undefined) => BigInt(value ?? Number.NaN);
const sum = (values: readonly bigint[]) => values.reduce((total, value) => total + value, 0n);
const lowest = (values: readonly bigint[]) => values.reduce((low, value) => (value < low ? value : low));
const highest = (values: readonly bigint[]) => values.reduce((high, value) => (value > high ? value : high));
const statistic = (name: string, values: readonly bigint[], unit: '' | '_wei') => ({
  [`${name}_count`]: values.length,
  [`${name}_min${unit}`]: String(lowest(values)),
  [`${name}_max${unit}`]: String(highest(values)),
  [`${name}_total${unit}`]: String(sum(values)),
});

const asText = (row: { readonly [column: string]: unknown } | undefined) =>
  Object.fromEntries(
    Object.entries(row ?? {}).map(([name, value]) => [name, name.endsWith('_count') ? value : String(value)]),
  );

describeRealData('two whole blocks of 2023', () => {
  let world: DomainWorld;
  const folder = 'network-a/blocks-17173049-17173050';
  const now = 1_683_030_011;
  beforeAll(async () => {
    world = await openDomainWorld(networkA);
    await world.landExample('network-a', 'ethereum-blocks', 'ethereum-transactions');
    await world.compute(span(dayOf('2023-05-02'), now));
  });
  afterAll(() => world.close());

  test('reproduce their headers in gas and wei', async () => {
    const blocks = exactLines(`${folder}/expected_blocks.json`);
    const of = (field: string) => blocks.map((block) => big(block[field]));
    const [row] = await world.rows('select * from derived.network_a_block_day');
    const burnt = blocks.map((block) => big(block['base_fee_per_gas']) * big(block['gas_used']));
    const unused = blocks.map((block) => big(block['gas_limit']) - big(block['gas_used']));
    expect(row).toMatchObject({
      blocks: 2,
      first_block: 17_173_049,
      last_block: 17_173_050,
      block_time_s: 12,
    });
    expect(asText(row)).toMatchObject({
      transactions: String(sum(of('transaction_count'))),
      ...statistic('base_fee', of('base_fee_per_gas'), '_wei'),
      ...statistic('gas_used', of('gas_used'), ''),
      ...statistic('gas_not_used', unused, ''),
      ...statistic('gas_limit', of('gas_limit'), ''),
      ...statistic('burnt', burnt, '_wei'),
    });
  });

  test('reproduce the sums over their transactions in wei, with the prices of their receipts', async () => {
    const transactions = exactLines(`${folder}/expected_transactions.json`);
    const isDynamic = (type: string | null | undefined) => type === '2';
    const rows = transactions.map((tx) => ({
      gas: big(tx['receipt_gas_used']),
      price: big(tx['receipt_effective_gas_price']),
      cap: big(isDynamic(tx['transaction_type']) ? tx['max_fee_per_gas'] : tx['gas_price']),
      tip: big(isDynamic(tx['transaction_type']) ? tx['max_priority_fee_per_gas'] : tx['gas_price']),
    }));
    const [row] = await world.rows('select * from derived.network_a_transaction_day');
    expect(rows).toHaveLength(298);
    expect(row).toMatchObject({ transactions: 298, disputed_prices: 0 });
    expect(asText(row)).toMatchObject({
      ...statistic(
        'fee_cap',
        rows.map(({ cap }) => cap),
        '_wei',
      ),
      ...statistic(
        'tip_cap',
        rows.map(({ tip }) => tip),
        '_wei',
      ),
      ...statistic(
        'price',
        rows.map(({ price }) => price),
        '_wei',
      ),
      ...statistic(
        'fee',
        rows.map(({ gas, price }) => gas * price),
        '_wei',
      ),
      ...statistic(
        'saved',
        rows.map(({ gas, price, cap }) => (cap - price) * gas),
        '_wei',
      ),
    });
  });

  test('pay in fees what is burnt and what the validators get', async () => {
    const [row] = await world.rows(`
      select t.fee_total_wei - b.burnt_total_wei as tips_wei from derived.network_a_block_day b
      join derived.network_a_transaction_day t on t.day = b.day`);
    const blocks = new Map(
      exactLines(`${folder}/expected_blocks.json`).map((block) => [block['number'], block]),
    );
    const tips = exactLines(`${folder}/expected_transactions.json`).map((tx) => {
      const base = big(blocks.get(tx['block_number'] ?? '')?.['base_fee_per_gas']);
      return (big(tx['receipt_effective_gas_price']) - base) * big(tx['receipt_gas_used']);
    });
    expect(row?.['tips_wei']).toBe(String(sum(tips)));
  });

  test('are one published record in the units of decision 7', async () => {
    const [record, ...more] = (await world.document(
      networkATransactions,
      'ethereum',
    )) as readonly TransactionStatistics[];
    expect(more).toEqual([]);
    expect(record).toMatchObject({
      timestamp: '02-05-2023',
      daily_num_blocks_created: 2,
      daily_new_tx: 298,
      daily_new_contract: 1,
      latest_block: 17_173_050,
    });
    const stats = record?.daily_block_num_stats;
    expect(stats?.tx_type_stats.map(({ tx_type, tx_type_freq }) => [tx_type, tx_type_freq])).toEqual([
      [0, 48],
      [2, 250],
    ]);
    expect(stats?.native_burnt.total_value).toBeCloseTo(1.98691325573305, 14);
    expect(stats?.base_fee.max_value).toBe(80.869370967);
    expect(stats?.sc_burnt).toEqual({ min_value: null, max_value: null, avg_value: null, total_value: null });
  });

  test('tell creations, calls and transfers apart as the transactions themselves do', async () => {
    const transactions = exactLines(`${folder}/expected_transactions.json`);
    const creations = transactions.filter((tx) => tx['receipt_contract_address'] !== null).length;
    const transfers = transactions.filter(
      (tx) => tx['input'] === '0x' && tx['receipt_gas_used'] === '21000',
    ).length;
    const [row] =
      await world.rows(`select cast(sum(creations) as bigint) as creations, cast(sum(transfers) as bigint) as transfers,
      cast(sum(contract_calls) as bigint) as calls from derived.network_a_type_day`);
    expect(row).toEqual({ creations, transfers, calls: 298 - creations - transfers });
  });
});

describeRealData('a thousand blocks of 2015', () => {
  test('have no base fee, and what follows from it is unknown instead of zero', async () => {
    const world = await openDomainWorld(networkA);
    const receipts = await world.landExample(
      'network-a',
      'ethereum-blocks-2015',
      'ethereum-transactions-2015',
    );
    expect(receipts.map(({ rows_in, rows_landed }) => [rows_in, rows_landed])).toEqual([
      [1001, 1001],
      [2106, 2106],
    ]);
    const now = dayOf('2015-11-07') + DAY - 1;
    await world.compute(span(now + 1 - 2 * DAY, now));
    const [record] = (await world.document(
      networkATransactions,
      'ethereum',
    )) as readonly TransactionStatistics[];
    expect(record).toMatchObject({
      daily_num_blocks_created: 1001,
      daily_new_tx: 2106,
      daily_new_contract: 7,
    });
    const stats = record?.daily_block_num_stats;
    const unknown = { min_value: null, max_value: null, avg_value: null, total_value: null };
    expect(stats).toMatchObject({
      base_fee: unknown,
      native_burnt: unknown,
      tx_fee: unknown,
      tx_fee_savings: unknown,
    });
    expect(stats?.gas_price.min_value).toBeGreaterThan(0);
    expect(stats?.gas_fee_cap).toEqual(stats?.gas_price);
    expect(stats?.tx_type_stats).toMatchObject([
      { tx_type: 0, tx_type_freq: 2106, num_contract_creation: 7 },
    ]);
    await world.close();
  });
});
