// Seat prices that nearcore's own tests expect of select_validators (chain/epoch-manager/src/validator_selection.rs, MIT or Apache-2.0), and
// what its version list says of the share that version 71 brought back.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { networkB } from '../../../../jobs/families/network-b/domain.ts';
import { type DomainWorld, openDomainWorld } from '../../../support/domain-world.ts';

const DAY = 86_400;
const START = 1_704_067_200;
const YOCTO = 10n ** 24n;

let world: DomainWorld;
beforeEach(async () => {
  world = await openDomainWorld(networkB);
});
afterEach(() => world.close());

interface Epoch {
  readonly stakes: readonly bigint[];
  readonly num_seats: number;
  readonly protocol_version: number;
  readonly stake_ratio_denominator?: number;
}

async function seatPrice({ stakes, ...protocol }: Epoch): Promise<string> {
  await world.landRows('network_b_validators', [
    {
      network: 'near',
      observed_at: START,
      current_validators: stakes.map((stake, index) => ({
        account_id: `test${index}`,
        stake: String(stake),
      })),
      ...protocol,
    },
  ]);
  await world.compute({ start: START, end: START + DAY, now: START + DAY - 1 });
  const [row] = await world.rows('select seat_price_yocto from derived.network_b_seat');
  return String(row?.['seat_price_yocto']);
}

test('free seats at a ratio of a tenth: three stakes of 1000 give 334 (test_validator_assignment_ratio_condition)', async () => {
  const stakes = [1_000n, 1_000n, 1_000n];
  expect(await seatPrice({ stakes, num_seats: 300, protocol_version: 74, stake_ratio_denominator: 10 })).toBe(
    '334',
  );
});

test('all forty seats taken, the smallest by 2010: 2011 (test_validator_assignment_with_chunk_only_producers)', async () => {
  const stakes = Array.from({ length: 40 }, (_, index) => 2_010n + BigInt(index));
  expect(await seatPrice({ stakes, num_seats: 40, protocol_version: 74 })).toBe('2011');
});

test.each([
  [70, 100_000n],
  [71, 10_000n],
])(
  'a seat of version %i costs %i native units of 625 million staked (FixMinStakeRatio)',
  async (protocol_version, price) => {
    const stakes = Array.from({ length: 250 }, () => 2_500_000n * YOCTO);
    expect(await seatPrice({ stakes, num_seats: 300, protocol_version })).toBe(String(price * YOCTO));
  },
);
