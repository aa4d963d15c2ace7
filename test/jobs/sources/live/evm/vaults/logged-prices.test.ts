// What depositors paid and received by the logs of vaults on a real node, against the share price that the states of the same blocks give. A
// log states two whole numbers, so it bounds the price; with a whole share or more, to one unit of the asset.
import type { Address, Hex, TransactionReceipt } from 'viem';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { decodeLog } from '../../../../../../jobs/families/lending/decode-log.ts';
import { sharePrices } from '../../../../../../jobs/families/vaults/share-price.ts';
import { COUNTS } from '../../../../../reliability/counts.ts';
import { seededRandom } from '../../../../../support/seeded-random.ts';
import { describeOnNode } from '../anvil.ts';
import { VaultWorld } from './vault-world.ts';

const SEQUENCES = COUNTS.vaultSequences;
const STEPS = 12;
const USDC = 10n ** 6n;
/** One share of vaults over an asset with six decimals. */
const SHARE = 10n ** 18n;
const FIVE_PERCENT = 1585489599n;
const KINDS = ['MetaMorpho10', 'MetaMorpho11'] as const;

interface Bounds {
  readonly low: bigint;
  readonly high: bigint;
  readonly shares: bigint;
}

/** Units of the asset for one whole share, rounded outwards; null for a log that states no price. */
function boundsIn({ topics, data }: TransactionReceipt['logs'][number]): Bounds | null {
  const { event, values } = decodeLog({ topics: [...topics], data });
  const [assets, shares] = [
    BigInt(String(values.get('assets') ?? 0)),
    BigInt(String(values.get('shares') ?? 0)),
  ];
  if (shares < 2n) return null;
  const at = (whole: bigint) => (assets * SHARE) / whole;
  // A deposit is rounded down to shares, a withdrawal up.
  if (event?.action === 'deposit') return { low: at(shares + 1n), high: at(shares) + 1n, shares };
  return event?.action === 'withdraw' ? { low: at(shares), high: at(shares - 1n) + 1n, shares } : null;
}

describeOnNode('share prices by logs', () => {
  let world: VaultWorld;
  beforeAll(async () => {
    world = await VaultWorld.open();
  });
  afterAll(() => world?.node.stop());

  interface Stage {
    readonly kind: (typeof KINDS)[number];
    readonly vault: Address;
    readonly market: Hex;
  }

  async function stage(random: () => number): Promise<Stage> {
    const market = await world.market({
      supply: BigInt(1 + Math.floor(random() * 1_000_000)) * USDC,
      rate: BigInt(Math.floor(random() * 30)) * FIVE_PERCENT,
    });
    const kind = KINDS[Math.floor(random() * 2)] ?? KINDS[0];
    const fee = (BigInt(Math.floor(random() * 51)) * SHARE) / 100n;
    const vault = await world.first(kind, [market], fee);
    await world.deposit(kind, vault, 1_000n * USDC);
    return { kind, vault, market };
  }

  /** What the contract refuses has no logs. */
  async function step(
    { kind, vault, market }: Stage,
    random: () => number,
  ): Promise<TransactionReceipt['logs']> {
    const amount = BigInt(1 + Math.floor(random() * 10 ** (1 + random() * 10)));
    const on = (name: string, ...args: unknown[]) =>
      world.node.send('MorphoBlue', world.morpho, name, market, amount, ...args);
    const actions: readonly (() => Promise<Partial<TransactionReceipt>>)[] = [
      () => world.deposit(kind, vault, amount),
      () => world.node.send(kind, vault, 'withdraw', amount, world.owner),
      () => on('borrow'),
      () => on('repay'),
      () => on('writeOff'),
      () => on('supply', vault),
      () => world.pass(1 + Math.floor(random() * 10 ** (random() * 7))).then(() => ({})),
    ];
    const done = await actions[Math.floor(random() ** 2 * actions.length)]?.().catch(() => null);
    return done?.logs ?? [];
  }

  /** The quoted price of the newest state, units of the asset for one whole share, and the shares that there are. */
  async function stated(vault: Address): Promise<{ price: bigint; supply: bigint }> {
    const row = (await world.read([vault])).states.get(vault);
    const digits = (field: string) => BigInt(String(row?.[field] ?? 0));
    const supply = digits('total_supply');
    const { quoted } = sharePrices({
      ...{ kind: String(row?.['kind']), assetDecimals: 6, shareDecimals: 18, hasFee: true, supply },
      ...{ assets: digits('total_assets'), feeShares: digits('fee_shares') },
      ...{ addressOneShares: 0n, realAssets: digits('real_assets') },
    });
    return { price: (quoted ?? 0n) / 10n ** 12n, supply };
  }

  it(`of ${SEQUENCES} sequences of ${STEPS} steps are those of the states of the same blocks`, {
    timeout: 60_000 + SEQUENCES * 10_000,
  }, async () => {
    let compared = 0;
    for (let seed = 1; seed <= SEQUENCES; seed++) {
      const random = seededRandom(seed);
      const own = await stage(random);
      for (let count = 0; count < STEPS; count++) {
        const logs = await step(own, random);
        for (const bounds of logs.flatMap((log) => boundsIn(log) ?? [])) {
          const { price, supply } = await stated(own.vault);
          // Rounding of the interaction itself stays in the vault: less than a unit, over the shares that there are.
          const rest = 1n + SHARE / (supply + 1n);
          const name = `${seed}.${count}: ${bounds.low} to ${bounds.high}, ${price} stated`;
          expect(price >= bounds.low - rest && price <= bounds.high + rest, name).toBe(true);
          if (bounds.shares >= 2n * SHARE) expect(bounds.high - bounds.low <= 2n, name).toBe(true);
          compared += 1;
        }
      }
    }
    expect(compared).toBeGreaterThan(SEQUENCES);
  });
});
