// Random sequences of what happens to markets and vaults on a real node: after each, what is read equals what the contracts answer, to the
// last digit; and an outage of the node never yields a part of a vault.
import type { Address, Hex } from 'viem';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sharePrices } from '../../../../../../jobs/families/vaults/share-price.ts';
import { type Rpc, RpcError } from '../../../../../../jobs/sources/live/evm/rpc.ts';
import { COUNTS } from '../../../../../reliability/counts.ts';
import { seededRandom } from '../../../../../support/seeded-random.ts';
import { describeOnNode } from '../anvil.ts';
import { VaultWorld } from './vault-world.ts';

const SEQUENCES = COUNTS.vaultSequences;
const STEPS = 12;
const USDC = 10n ** 6n;
const WAD = 10n ** 18n;
const FIVE_PERCENT = 1585489599n;
const ADDRESS_ONE = `0x${'1'.padStart(40, '0')}`;
const KINDS = ['MetaMorpho10', 'MetaMorpho11'] as const;

describeOnNode('random sequences', () => {
  let world: VaultWorld;
  beforeAll(async () => {
    world = await VaultWorld.open();
  });
  afterAll(() => world.node.stop());

  type Random = () => number;
  interface Stage {
    readonly kind: (typeof KINDS)[number];
    readonly vault: Address;
    readonly markets: readonly Hex[];
  }

  async function stage(random: Random): Promise<Stage> {
    const markets = await Array.fromAsync({ length: 2 }, () =>
      world.market({
        supply: BigInt(1 + Math.floor(random() * 1_000_000)) * USDC,
        rate: BigInt(Math.floor(random() * 30)) * FIVE_PERCENT,
      }),
    );
    const kind = KINDS[Math.floor(random() * 2)] ?? KINDS[0];
    const fee = (BigInt(Math.floor(random() * 51)) * WAD) / 100n;
    return { kind, vault: await world.first(kind, markets, fee), markets };
  }

  /** One of the things that happen; a call that the contract refuses changes nothing. */
  async function step({ kind, vault, markets }: Stage, random: Random): Promise<void> {
    const [first = '0x', second = '0x'] = markets;
    const market = random() < 0.7 ? first : second;
    const amount = BigInt(1 + Math.floor(random() * 10 ** (1 + random() * 12)));
    const on = (name: string, ...args: unknown[]) =>
      world.node.send('MorphoBlue', world.morpho, name, ...args);
    const actions: readonly (() => Promise<unknown>)[] = [
      () => world.deposit(kind, vault, amount),
      () => world.node.send(kind, vault, 'withdraw', amount, world.owner),
      () => on('borrow', market, amount),
      () => on('repay', market, amount),
      () => world.pass(1 + Math.floor(random() * 10 ** (random() * 7))),
      () => on('writeOff', market, amount),
      () => on('supply', market, amount, vault),
      () => world.node.send(kind, vault, 'setFee', (BigInt(Math.floor(random() * 51)) * WAD) / 100n),
      () => world.deposit(kind, vault, amount, ADDRESS_ONE),
    ];
    await actions[Math.floor(random() * actions.length)]?.().catch(() => {});
  }

  async function expectExact({ kind, vault, markets }: Stage, seed: number): Promise<void> {
    const { states, positions, missing } = await world.read([vault]);
    const name = `sequence ${seed}`;
    expect(missing, name).toEqual([]);
    const row = states.get(vault);
    const digits = (field: string) => BigInt(String(row?.[field] ?? 0));
    const ask = <T>(functionName: string, ...args: unknown[]) =>
      world.ask<T>(kind, vault, functionName, ...args);
    expect(digits('total_assets'), name).toBe(await ask<bigint>('totalAssets'));
    expect(digits('real_assets'), name).toBe(await ask<bigint>('real'));
    expect(digits('total_supply'), name).toBe(await ask<bigint>('totalSupply'));
    const { quoted, backed } = sharePrices({
      ...{ kind: String(row?.['kind']), assetDecimals: 6, shareDecimals: 18, hasFee: true },
      ...{ assets: digits('total_assets'), supply: digits('total_supply'), feeShares: digits('fee_shares') },
      ...{ addressOneShares: digits('address_one_shares'), realAssets: digits('real_assets') },
    });
    // 18 places of a price against units of the asset.
    const converted = await ask<bigint>('convertToAssets', WAD);
    const gap = (quoted ?? 0n) / 10n ** 12n - converted;
    expect(gap >= -1n && gap <= 1n, `${name}: ${quoted} against ${converted}`).toBe(true);
    expect((backed ?? 0n) <= (quoted ?? 0n), name).toBe(true);
    expect(
      positions.map(({ held }) => held),
      name,
    ).toEqual(markets);
    for (const { held, shares, assets } of positions) {
      const own = await world.ask<readonly bigint[]>('MorphoBlue', world.morpho, 'position', held, vault);
      expect(String(shares), name).toBe(String(own[0]));
      const worth = await world.ask<bigint>('MorphoBlue', world.morpho, 'expected', held, own[0]);
      expect(String(assets), name).toBe(String(worth));
    }
  }

  it(`${SEQUENCES} of ${STEPS} steps give what the contracts answer`, {
    timeout: 60_000 + SEQUENCES * 3_000,
  }, async () => {
    for (let seed = 1; seed <= SEQUENCES; seed++) {
      const random = seededRandom(seed);
      const own = await stage(random);
      for (let count = 0; count < STEPS; count++) await step(own, random);
      await expectExact(own, seed);
    }
  });

  it('a node that fails in any call yields a whole vault, a named one or none, never a part', async () => {
    const random = seededRandom(77);
    const own = await stage(random);
    await world.deposit(own.kind, own.vault, 10n ** 9n);
    let calls = 0;
    const counted: Rpc = (method, params) => {
      calls += 1;
      return world.node.rpc(method, params);
    };
    const whole = await world.read([own.vault], null, { rpc: counted });
    const troubles: readonly ((method: string, params: readonly unknown[]) => ReturnType<Rpc>)[] = [
      () => Promise.reject(new RpcError('429 too many requests')),
      () => Promise.reject(new RpcError('execution reverted')),
      () => Promise.reject(new RpcError('out of gas: gas required exceeds allowance')),
      async (method, params) => {
        const { result, body } = await world.node.rpc(method, params);
        return { result: typeof result === 'string' ? result.slice(0, -64) : result, body };
      },
      async (method, params) => {
        const { result, body } = await world.node.rpc(method, params);
        const other =
          typeof result === 'string' ? result : { ...(result as object), hash: `0x${'7'.repeat(64)}` };
        return { result: other, body };
      },
    ];
    for (const trouble of troubles)
      for (let at = 0; at < calls; at++) {
        let count = 0;
        const rpc: Rpc = (method, params) =>
          count++ === at ? trouble(method, params) : world.node.rpc(method, params);
        const read = await world.read([own.vault], null, { rpc }).catch((error: unknown) => error);
        if (read instanceof Error) continue;
        const { states, positions, missing } = read as Awaited<ReturnType<typeof world.read>>;
        const row = states.get(own.vault);
        if (row?.['kind'] !== 'unknown' && row !== undefined) {
          expect(row).toEqual(whole.states.get(own.vault));
          expect(positions).toHaveLength(2);
        } else expect(row === undefined ? missing.length : positions.length).toBe(row === undefined ? 1 : 0);
      }
  });
});
