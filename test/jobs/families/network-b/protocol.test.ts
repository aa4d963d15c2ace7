import fc from 'fast-check';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { networkB } from '../../../../jobs/families/network-b/domain.ts';
import { type DomainWorld, openDomainWorld } from '../../../support/domain-world.ts';
import { findSeatPrice, findSeatPriceAfter49, giniOf } from './protocol.ts';

vi.setConfig({ testTimeout: 60_000 });

const DAY = 86_400;
const START = 1_704_067_200;

let world: DomainWorld;
beforeAll(async () => {
  world = await openDomainWorld(networkB);
});
afterAll(() => world.close());

interface Epoch {
  readonly stakes: readonly bigint[];
  readonly seats: number;
  readonly version: number;
}

/** Small stakes where the price changes often, and stakes of up to 34 digits. */
const stake = fc.oneof(fc.bigInt({ min: 1n, max: 60n }), fc.bigInt({ min: 1n, max: 10n ** 34n - 1n }));
const epoch: fc.Arbitrary<Epoch> = fc.record({
  stakes: fc.array(stake, { minLength: 1, maxLength: 12 }),
  seats: fc.integer({ min: 1, max: 40 }),
  version: fc.constantFrom(1, 48, 49, 70, 71, 73, 74, 84),
});

/** One answer a day, so that many epochs are computed at once. */
const answerOf = ({ stakes, seats, version }: Epoch, index: number) => ({
  network: 'near',
  observed_at: START + index * DAY,
  current_validators: stakes.map((amount, index) => ({ account_id: `v${index}`, stake: String(amount) })),
  num_seats: seats,
  protocol_version: version,
});

test('seat prices and Gini coefficients are those of the protocol and of the definition', async () => {
  const epochs = fc.sample(epoch, { numRuns: 400, seed: 11 });
  const receipt = await world.landRows('network_b_validators', epochs.map(answerOf));
  expect(receipt.rows_landed).toBe(400);
  const end = START + 400 * DAY;
  await world.compute({ start: START, end, now: end - 1 });
  const rows = await world.rows(`
    select v.gini, s.seat_price_yocto from derived.network_b_validator_day v
    left join derived.network_b_seat s on s.day = v.day order by v.day`);
  expect(rows).toEqual(
    epochs.map((one) => ({
      gini: expect.closeTo(giniOf(one.stakes.map(Number)), 9),
      seat_price_yocto: priceOf(one),
    })),
  );
});

/** As digits; stakes too small to be divided have no price. */
function priceOf({ stakes, seats, version }: Epoch): string | null {
  const price = version < 49 ? findSeatPrice(stakes, seats) : findSeatPriceAfter49(stakes, seats, version);
  return price === null || price === 0n ? null : String(price);
}
