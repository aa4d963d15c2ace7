// What the logs of vaults on a real node say of their share prices, against the contracts and the states of the same blocks. What a vault
// books and mints is its quoted price; what depositors paid and received are two whole numbers, which bound it: with a whole share or more, to
// one unit of the asset.
import type { Address } from 'viem';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { decodeLog } from '../../../../../../jobs/families/lending/decode-log.ts';
import { sharePrices } from '../../../../../../jobs/families/vaults/share-price.ts';
import { COUNTS } from '../../../../../reliability/counts.ts';
import { seededRandom } from '../../../../../support/seeded-random.ts';
import { describeOnNode } from '../anvil.ts';
import { KINDS, type Log, type Stage, stageOf, step } from './vault-sequences.ts';
import { VaultWorld } from './vault-world.ts';

const SEQUENCES = COUNTS.vaultSequences;
const STEPS = 12;
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const NO_ONE = `0x${'0'.repeat(64)}`;
/** What a vault holds is rounded down once for each of its markets or strategies, of which it has two at most. */
const ROUNDED = 2n;
/** Of contracts over an asset with six decimals. */
const TRAITS = {
  MetaMorpho10: { kind: 'morpho_v1_0', shareDecimals: 18, booked: 'lastTotalAssets' },
  MetaMorpho11: { kind: 'morpho_v1_1', shareDecimals: 18, booked: 'lastTotalAssets' },
  VaultV2: { kind: 'morpho_v2', shareDecimals: 18, booked: '_totalAssets' },
  EulerEarnVault: { kind: 'euler_earn', shareDecimals: 6, booked: 'lastTotalAssets' },
} as const;
/** Decimals of a price after those of the asset. */
const MORE_PLACES = 10n ** 12n;

const shareOf = ({ kind }: Stage): bigint => 10n ** BigInt(TRAITS[kind].shareDecimals);

interface Entry {
  readonly action: string | undefined;
  readonly amount: (name: string) => bigint;
}

function entryOf({ topics, data }: Log): Entry {
  const { event, values } = decodeLog({ topics: [...topics], data });
  return { action: event?.action, amount: (name) => BigInt(String(values.get(name) ?? 0)) };
}

interface Totals {
  readonly assets: bigint;
  readonly supply: bigint;
}

/** What a vault accounts for by all its logs: shares came from no one and go to no one. */
function totalsIn(logs: readonly Log[]): Totals {
  let [assets, supply] = [0n, 0n];
  let hasAccrued = false;
  for (const log of logs) {
    const [topic, from, to] = log.topics;
    if (topic === TRANSFER) {
      if (from === NO_ONE) supply += BigInt(log.data);
      if (to === NO_ONE) supply -= BigInt(log.data);
      continue;
    }
    const { action, amount } = entryOf(log);
    if (action === 'update_last_total_assets') assets = amount('updated_total_assets');
    // Only version 2 logs what it accrued alone; deposits and withdrawals follow it.
    if (action === 'accrue_interest_and_fees') {
      assets = amount('total_assets');
      hasAccrued = true;
    }
    if (hasAccrued && action === 'deposit') assets += amount('assets');
    if (hasAccrued && action === 'withdraw') assets -= amount('assets');
  }
  return { assets, supply };
}

const isAccrual = (log: Log): boolean =>
  ['accrue_interest', 'accrue_interest_and_fees'].includes(entryOf(log).action ?? '');

interface Bounds {
  readonly low: bigint;
  readonly high: bigint;
  readonly shares: bigint;
}

/** Units of the asset for one whole share, rounded outwards; null for a log that states no price. */
function boundsIn(log: Log, share: bigint): Bounds | null {
  const { action, amount } = entryOf(log);
  const [assets, shares] = [amount('assets'), amount('shares')];
  if (shares < 2n) return null;
  const at = (whole: bigint) => (assets * share) / whole;
  // A deposit is rounded down to shares, a withdrawal up.
  if (action === 'deposit') return { low: at(shares + 1n), high: at(shares) + 1n, shares };
  return action === 'withdraw' ? { low: at(shares), high: at(shares - 1n) + 1n, shares } : null;
}

describeOnNode('share prices by logs', () => {
  let world: VaultWorld;
  beforeAll(async () => {
    world = await VaultWorld.open();
  });
  afterAll(() => world?.node.stop());

  /** The quoted price of the newest state, units of the asset for one whole share, and the shares that there are. */
  async function stated(vault: Address): Promise<{ price: bigint; supply: bigint }> {
    const row = (await world.read([vault])).states.get(vault);
    const digits = (field: string) => BigInt(String(row?.[field] ?? 0));
    const supply = digits('total_supply');
    const { quoted } = sharePrices({
      ...{ kind: String(row?.['kind']), assetDecimals: 6, shareDecimals: Number(row?.['share_decimals']) },
      ...{ hasFee: true, supply, assets: digits('total_assets'), feeShares: digits('fee_shares') },
      ...{ addressOneShares: 0n, realAssets: digits('real_assets') },
    });
    return { price: (quoted ?? 0n) / MORE_PLACES, supply };
  }

  async function expectBounds(stage: Stage, logs: readonly Log[], name: string): Promise<void> {
    const share = shareOf(stage);
    for (const { low, high, shares } of logs.flatMap((log) => boundsIn(log, share) ?? [])) {
      const { price, supply } = await stated(stage.vault);
      // Rounding of the interaction itself stays in the vault: less than a unit, over the shares that there are.
      const rest = 1n + share / (supply + 1n);
      expect(price >= low - rest && price <= high + rest, `${name}: ${low} to ${high}, ${price}`).toBe(true);
      if (shares >= 2n * share) expect(high - low <= 2n + high / shares, name).toBe(true);
    }
  }

  /** The totals of the logs are those of the contract; so is their price, but for what the contract has rounded away since. */
  async function expectQuote(stage: Stage, logs: readonly Log[], name: string): Promise<void> {
    const { kind, shareDecimals, booked } = TRAITS[stage.kind];
    const ask = (getter: string, ...args: unknown[]) =>
      world.ask<bigint>(stage.kind, stage.vault, getter, ...args);
    const { assets, supply } = totalsIn(logs);
    expect([assets, supply], name).toEqual([await ask(booked), await ask('totalSupply')]);
    const { quoted } = sharePrices({
      ...{ kind, assetDecimals: 6, shareDecimals, hasFee: true, assets, supply, feeShares: 0n },
      ...{ addressOneShares: 0n, realAssets: null },
    });
    const gap = (await ask('totalAssets')) - assets;
    expect(gap >= -ROUNDED && gap <= ROUNDED, `${name}: ${gap}`).toBe(true);
    const share = shareOf(stage);
    const apart = (quoted ?? 0n) / MORE_PLACES - (await ask('convertToAssets', share));
    const rest = gap === 0n ? 0n : 1n + (ROUNDED * share) / (supply + 1n);
    expect(apart >= -rest && apart <= rest, `${name}: ${apart} with ${gap}`).toBe(true);
  }

  it(`of ${SEQUENCES} sequences of ${STEPS} steps are those of the contracts and of the states of the same blocks`, {
    timeout: 60_000 + SEQUENCES * 10_000,
  }, async () => {
    const compared = new Map<string, number>();
    for (let seed = 1; seed <= SEQUENCES; seed++) {
      const random = seededRandom(seed);
      const kind = KINDS[seed % KINDS.length] ?? KINDS[0];
      const stage = await stageOf(world, kind, random);
      const ofVault = ({ address }: Log) => address.toLowerCase() === stage.vault;
      for (let count = 0; count < STEPS; count++) {
        const logs = (await step(stage, random)).filter(ofVault);
        const name = `${kind} ${seed}.${count}`;
        await expectBounds(stage, logs, name);
        if (!logs.some(isAccrual)) continue;
        const all = await world.node.client.getLogs({ address: stage.vault, fromBlock: 0n });
        await expectQuote(stage, all, name);
        compared.set(kind, (compared.get(kind) ?? 0) + 1);
      }
    }
    for (const kind of KINDS) expect([kind, (compared.get(kind) ?? 0) > SEQUENCES / 2]).toEqual([kind, true]);
  });
});
