import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { networkB, networkBStatistics } from '../../../../jobs/families/network-b/domain.ts';
import type { NetworkBStatistics } from '../../../../schemas/network-b.ts';
import { type DomainWorld, openDomainWorld } from '../../../support/domain-world.ts';
import { describeRealData, realData } from '../../../support/real-data.ts';
import { findSeatPrice, giniOf } from './protocol.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

interface Staker {
  readonly account_id: string;
  readonly stake: string;
  readonly is_slashed?: boolean;
  readonly shards?: readonly number[];
}

interface Answer {
  readonly current_validators: readonly Staker[];
  readonly next_validators: readonly Staker[];
  readonly current_fishermen: readonly Staker[];
  readonly current_proposals: readonly Staker[];
  readonly prev_epoch_kickout: readonly unknown[];
}

const answer = (): Answer =>
  JSON.parse(readFileSync(realData('network-b/validation_status_response.json'), 'utf8')).result;

const SEATS = 100;
const YOCTO = 10n ** 24n;
const NOW = Date.parse('2020-09-27T23:59:59Z') / 1000;

describeRealData('the answers of a NEAR node in September 2020', () => {
  let world: DomainWorld;
  let record: NetworkBStatistics;
  beforeAll(async () => {
    world = await openDomainWorld(networkB);
    const receipts = await world.landExample('network-b');
    expect(receipts.map(({ rows_in, rows_landed }) => [rows_in, rows_landed])).toEqual([
      [1, 1],
      [1, 1],
    ]);
    await world.compute({ start: NOW - (NOW % 86_400), end: NOW + 1, now: NOW });
    [record] = (await world.document(networkBStatistics, 'near')) as unknown as [NetworkBStatistics];
  });
  afterAll(() => world.close());

  test('give the validators, candidates, fishermen, proposals and shards that they list', () => {
    const { current_validators: current, next_validators: next, ...lists } = answer();
    const candidates = new Set([...next, ...lists.current_proposals].map(({ account_id }) => account_id));
    const shards = new Set(current.flatMap((validator) => validator.shards ?? []));
    expect(record).toMatchObject({
      num_validators: current.length,
      num_val_candidates: candidates.size,
      fishermen_reporters: lists.current_fishermen.length,
      num_proposals: lists.current_proposals.length,
      num_slashes: current.filter(({ is_slashed }) => is_slashed).length,
      num_validator_shards: shards.size,
      num_shards: Math.max(...shards) + 1,
    });
    expect([record.num_validators, record.fishermen_reporters, record.num_proposals]).toEqual([41, 5, 3]);
  });

  test('give a total stake of thirty-two digits, none of them lost', async () => {
    const total = answer().current_validators.reduce((sum, { stake }) => sum + BigInt(stake), 0n);
    const written = record.total_stake ?? '';
    const [whole = '', fraction = ''] = written.split('.');
    expect(BigInt(whole) * YOCTO + BigInt(fraction.padEnd(24, '0'))).toBe(total);
    expect(written).toBe('12436191.77994581919226388214944');
  });

  test('give the seat price that a binary search over the stakes finds, between fishermen and validators', async () => {
    const stakes = answer().current_validators.map(({ stake }) => BigInt(stake));
    const [row] = await world.rows('select seat_price_yocto from derived.network_b_seat');
    const price = BigInt(String(row?.['seat_price_yocto']));
    expect(price).toBe(findSeatPrice(stakes, SEATS));
    expect(stakes.every((stake) => stake >= price)).toBe(true);
    expect(answer().current_fishermen.every(({ stake }) => BigInt(stake) < price)).toBe(true);
    expect(record.seat_price).toBeCloseTo(Number(price) / 1e24, 6);
  });

  test('give the Gini coefficient of the stakes', () => {
    const stakes = answer().current_validators.map(({ stake }) => Number(BigInt(stake) / 10n ** 18n));
    expect(record.gini_coeff).toBeCloseTo(giniOf(stakes), 6);
  });

  test('are stamped with the last block to the nanosecond, and leave unknown what they do not say', () => {
    expect(record.timestamp).toBe('2020-09-27T23:59:38.008063088Z');
    expect(record).toMatchObject({
      beacon_new_block_speed: null,
      total_num_users: null,
      daily_new_users: null,
      inflation_rate: null,
      total_supply: null,
      total_tx_fees: null,
      daily_new_tx: null,
      treasury_funds: null,
    });
  });
});
