import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { networkB, networkBStatistics } from '../../../../jobs/families/network-b/domain.ts';
import type { Json } from '../../../../platform/base/json.ts';
import type { NetworkBStatistics } from '../../../../schemas/network-b.ts';
import { type DomainWorld, openDomainWorld } from '../../../support/domain-world.ts';

const DAY = 86_400;
const START = 1_704_067_200;

let world: DomainWorld;
beforeEach(async () => {
  world = await openDomainWorld(networkB);
});
afterEach(() => world.close());

type Fields = { readonly [field: string]: Json };

const block = (height: number, more: Fields = {}): Fields => ({
  network: 'near',
  height,
  block_time: new Date((START + height) * 1000).toISOString(),
  ...more,
});

const validator = (account_id: string, stake: Json) => ({ account_id, stake });
const answer = (more: Fields = {}): Fields => ({
  network: 'near',
  observed_at: START,
  epoch_height: 1,
  current_validators: [validator('a', '7')],
  ...more,
});

async function records(): Promise<readonly NetworkBStatistics[]> {
  await world.compute({ start: START, end: START + DAY, now: START + DAY - 1 });
  return (await world.document(networkBStatistics, 'near')) as readonly NetworkBStatistics[];
}

describe('the time of a block', () => {
  test.each([
    ['1704067200000000001', '2024-01-01T00:00:00.000000001Z'],
    ['2024-01-01T00:00:00.999999999Z', '2024-01-01T00:00:00.999999999Z'],
    ['2024-01-01T23:59:59.9999999999Z', null],
    ['2024-01-01T23:59:59.999999999Z', '2024-01-01T23:59:59.999999999Z'],
    ['2024-01-01T12:00:00Z', '2024-01-01T12:00:00.000000000Z'],
    ['2024-01-01T12:00:00.5+00:00', '2024-01-01T12:00:00.500000000Z'],
    ['2024-01-01T12:00:00.5+02:00', null],
    ['2024-01-01 12:00:00', null],
    ['2024-13-01T12:00:00Z', null],
    ['1704067200', null],
    ['01-01-2024', null],
  ])('%s is read to the nanosecond or not at all', async (block_time, timestamp) => {
    const receipt = await world.landRows('network_b_block', [block(1, { block_time })]);
    expect([receipt.rows_landed, receipt.rows_quarantined]).toEqual(timestamp === null ? [0, 1] : [1, 0]);
    if (timestamp !== null) expect((await records())[0]?.timestamp).toBe(timestamp);
  });
});

describe('a block', () => {
  test.each<[string, Fields, string]>([
    ['an amount of 35 digits', { fees: '1'.repeat(35) }, 'fees: has 35 digits before the point, 34 at most'],
    ['a negative amount', { fees: '-1' }, 'fees: negative'],
    [
      'an amount as 1e34',
      { total_supply: '1e34' },
      'total_supply: has 35 digits before the point, 34 at most',
    ],
    ['gas below zero', { gas_used: -5 }, 'gas_used: negative'],
    ['no height', { height: null }, 'height: missing'],
  ])('with %s goes to quarantine with that reason', async (_what, fault, reason) => {
    const receipt = await world.landRows('network_b_block', [block(1), block(2, fault)]);
    expect(receipt).toMatchObject({ rows_in: 2, rows_landed: 1, rows_quarantined: 1 });
    expect(Object.keys(receipt.reasons)).toEqual([expect.stringContaining(reason)]);
  });

  test('that comes again counts once, with another time it is a conflict', async () => {
    await world.landRows('network_b_block', [block(1), block(2)]);
    const again = await world.landRows('network_b_block', [
      block(2),
      block(1, { block_time: '2024-01-01T00:00:09Z' }),
    ]);
    expect(again).toMatchObject({ rows_landed: 0, rows_deduplicated: 1, rows_quarantined: 1 });
  });
});

describe('an answer about validators', () => {
  test.each<[string, Fields]>([
    ['a stake that is no number', { current_validators: [validator('a', '7'), validator('b', 'much')] }],
    ['a stake of 35 digits', { current_validators: [validator('a', '1'.repeat(35))] }],
    ['a stake in scientific notation', { next_validators: [validator('a', '1e24')] }],
    ['a stake below zero', { current_proposals: [validator('a', '-7')] }],
    ['an entry without a stake', { current_fishermen: [{ account_id: 'a' }] }],
    ['an entry without an account', { current_validators: [{ stake: '7' }] }],
    ['an account over two lines', { current_validators: [validator('a\nb', '7')] }],
    ['an account with a bar', { current_validators: [validator('a|9', '7')] }],
    ['an object for a list', { current_validators: { a: 1 } }],
    ['text for a list', { current_validators: 'none' }],
    ['a list that is cut off', { current_validators: '[{"account_id":"a"' }],
    ['a kickout without a validator', { prev_epoch_kickout: [{ reason: 'Slashed' }] }],
  ])('with %s is quarantined whole', async (_what, fault) => {
    const receipt = await world.landRows('network_b_validators', [
      answer(),
      answer({ observed_at: START + 1, ...fault }),
    ]);
    expect(receipt).toMatchObject({ rows_in: 2, rows_landed: 1, rows_quarantined: 1 });
    expect(Object.keys(receipt.reasons)).toEqual(['is_readable: cannot be computed']);
  });

  test('of a newer node that has no fishermen and no slashing any more leaves those unknown', async () => {
    await world.landRows('network_b_validators', [
      answer({ next_validators: [validator('a', '7')], current_proposals: [], epoch_height: 2 }),
    ]);
    expect((await records())[0]).toMatchObject({
      num_validators: 1,
      num_val_candidates: 1,
      num_proposals: 0,
      fishermen_reporters: null,
      num_slashes: null,
      seat_price: null,
      num_shards: null,
    });
  });

  test('with empty lists counts no validator, and has no stake to share', async () => {
    await world.landRows('network_b_validators', [
      answer({
        current_validators: [],
        next_validators: [],
        current_fishermen: [],
        current_proposals: [],
        prev_epoch_kickout: [],
        num_seats: 100,
      }),
    ]);
    expect((await records())[0]).toMatchObject({
      num_validators: 0,
      num_val_candidates: 0,
      fishermen_reporters: 0,
      num_slashes: 0,
      total_stake: null,
      gini_coeff: null,
      seat_price: null,
    });
  });

  test('names slashing however the reason is written', async () => {
    await world.landRows('network_b_validators', [
      answer({
        prev_epoch_kickout: [
          { account_id: 'x', reason: 'Slashed' },
          { account_id: 'y', reason: { NotEnoughBlocks: { produced: 1, expected: 9 } } },
          { account_id: 'z', reason: { Slashed: { why: 'a|b\nc' } } },
        ],
      }),
    ]);
    expect((await records())[0]?.num_slashes).toBe(2);
    const [row] = await world.rows(
      `select cast(count(*) as bigint) as kickouts from derived.network_b_validator where role = 'kickout'`,
    );
    expect(row).toEqual({ kickouts: 3 });
  });
});

test('users, supply and treasury are null where no source has them, and zero where a source says zero', async () => {
  await world.landRows('network_b_state', [
    { network: 'near', observed_at: START, total_users: 0, treasury_funds: '0' },
  ]);
  expect((await records())[0]).toMatchObject({
    total_num_users: 0,
    treasury_funds: 0,
    circulating_supply: null,
  });
});

test('a stake past the supply stops the publication, one of the whole supply does not', async () => {
  const audit = async (stake: string, observedAt: number) => {
    await world.landRows('network_b_validators', [
      answer({ observed_at: observedAt, current_validators: [validator('a', stake)] }),
    ]);
    await records();
    const findings = await world.audit({ start: START, end: START + DAY, now: START + DAY - 1 });
    return findings.filter(({ verdict }) => verdict === 'fail');
  };
  await world.landRows('network_b_block', [block(1, { total_supply: '7' })]);
  expect(await audit('7', START)).toEqual([]);
  expect(await audit('8', START + 1)).toMatchObject([
    { verdict: 'fail', rows: [{ total_stake_yocto: '8', total_supply_yocto: '7' }] },
  ]);
});

test('what no response has is named, and so is a figure that stands in for another', async () => {
  const reasons = async (more: Fields, state: Fields = {}) => {
    await world.landRows('network_b_validators', [answer(more)]);
    await world.landRows('network_b_state', [
      { network: 'near', observed_at: START, total_users: 1, ...state },
    ]);
    await records();
    const findings = await world.audit({ start: START, end: START + DAY, now: START + DAY - 1 });
    return findings.flatMap(({ rows }) => rows.map(({ reason }) => String(reason)));
  };
  expect(await reasons({})).toEqual([
    expect.stringMatching(/^near: on 1 of 1 days gini_coeff is that of the validators' stakes/),
    expect.stringMatching(/^near: on 1 of 1 days num_shards is missing/),
    expect.stringMatching(/^near: on 1 of 1 days seat_price is missing/),
  ]);
  const whole = { observed_at: START + 60, num_seats: 1, num_shards: 9, protocol_version: 74 };
  expect(await reasons(whole, { observed_at: START + 60, balance_gini: 0.875 })).toEqual([]);
  expect((await records())[0]).toMatchObject({ gini_coeff: 0.875, num_shards: 9 });
});
