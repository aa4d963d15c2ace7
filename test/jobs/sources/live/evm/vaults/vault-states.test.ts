// States of vaults read from a real node: every figure is what the vault's own contract answers, to the last digit.
import { type Address, encodeAbiParameters, type Hex, parseAbiParameters } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sharePrices } from '../../../../../../jobs/families/vaults/share-price.ts';
import { describeOnNode } from '../anvil.ts';
import { type VaultRows, VaultWorld } from './vault-world.ts';

const USDC = 10n ** 6n;
const SHARE = 10n ** 18n;
const WAD = 10n ** 18n;
const FIVE_PERCENT = 1585489599n;
const NONE: Address = `0x${'0'.repeat(40)}`;
const ADDRESS_ONE = `0x${'1'.padStart(40, '0')}`;
const MARKET_PARAMS = parseAbiParameters('address, address, address, address, uint256');

let world: VaultWorld;

/** The prices that the totals of a row give. */
function pricesOf(row: { readonly [field: string]: unknown } | undefined) {
  const digits = (name: string) => BigInt(String(row?.[name] ?? 0));
  const { quoted, backed, coverage } = sharePrices({
    kind: String(row?.['kind']),
    assetDecimals: Number(row?.['asset_decimals']),
    shareDecimals: Number(row?.['share_decimals']),
    assets: digits('total_assets'),
    supply: digits('total_supply'),
    feeShares: digits('fee_shares'),
    addressOneShares: digits('address_one_shares'),
    realAssets: row?.['real_assets'] == null ? null : digits('real_assets'),
    hasFee: true,
  });
  return { quoted, backed, coverage };
}

/** The totals are those of the contract, and give its own conversion. */
async function expectOwnTotals(kind: string, vault: Address, { states, missing }: VaultRows): Promise<void> {
  expect(missing).toEqual([]);
  const row = states.get(vault);
  expect(row?.['total_assets']).toBe(String(await world.ask(kind, vault, 'totalAssets')));
  const converted = await world.ask<bigint>(kind, vault, 'convertToAssets', SHARE);
  expect((pricesOf(row).quoted ?? 0n) / 10n ** 12n).toBe(converted);
}

describeOnNode('states of vaults on a real node', () => {
  beforeAll(async () => {
    world = await VaultWorld.open();
  });
  afterAll(() => world.node.stop());

  describe('of version 1', () => {
    it('include interest, and shares of the fee on it', async () => {
      const id = await world.market({ supply: 9n * 10n ** 12n, borrow: 9n * 10n ** 12n, rate: FIVE_PERCENT });
      const vault = await world.first('MetaMorpho10', [id], WAD / 10n);
      await world.deposit('MetaMorpho10', vault, 10n ** 12n);
      await world.pass(86_400);
      const read = await world.read([vault]);
      await expectOwnTotals('MetaMorpho10', vault, read);
      expect(Number(read.states.get(vault)?.['total_assets'])).toBeGreaterThan(1_000_120_000_000);
      expect(read.states.get(vault)).toMatchObject({
        kind: 'morpho_v1_0',
        performance_fee: String(WAD / 10n),
      });
      expect(BigInt(String(read.states.get(vault)?.['fee_shares']))).toBeGreaterThan(0n);
      expect(read.positions).toEqual([
        expect.objectContaining({
          ...{ vault_address: vault, via_address: null, held_kind: 'market', held: id, queue_index: 0 },
          ...{
            assets: read.states.get(vault)?.['total_assets'],
            absolute_cap: '1000000000000000000000000000000',
          },
        }),
      ]);
    });

    it('fall with bad debt in version 1.0', async () => {
      const id = await world.market({ supply: 8_000_000n * USDC, borrow: 500_000n * USDC });
      const vault = await world.first('MetaMorpho10', [id]);
      await world.deposit('MetaMorpho10', vault, 2_000_000n * USDC);
      await world.node.send('MorphoBlue', world.morpho, 'writeOff', id, 250_000n * USDC);
      const read = await world.read([vault]);
      await expectOwnTotals('MetaMorpho10', vault, read);
      expect(read.states.get(vault)?.['total_assets']).toBe(String(1_950_000n * USDC));
    });

    it('keep the quoted price of version 1.1, and lower the backed one before the loss is booked', async () => {
      const id = await world.market({ supply: 8_000_000n * USDC, borrow: 500_000n * USDC });
      const vault = await world.first('MetaMorpho11', [id]);
      await world.deposit('MetaMorpho11', vault, 2_000_000n * USDC);
      await world.node.send('MorphoBlue', world.morpho, 'writeOff', id, 250_000n * USDC);
      const lost = await world.read([vault]);
      await expectOwnTotals('MetaMorpho11', vault, lost);
      expect(lost.states.get(vault)).toMatchObject({
        ...{ kind: 'morpho_v1_1', lost_assets: '0' },
        ...{ total_assets: String(2_000_000n * USDC), real_assets: String(1_950_000n * USDC) },
      });
      expect(pricesOf(lost.states.get(vault))).toMatchObject({ quoted: WAD, coverage: (WAD * 975n) / 1000n });

      await world.deposit('MetaMorpho11', vault, 50_000n * USDC, ADDRESS_ONE);
      const paid = await world.read([vault]);
      await expectOwnTotals('MetaMorpho11', vault, paid);
      expect(paid.states.get(vault)?.['lost_assets']).toBe(String(50_000n * USDC));
      const { backed, coverage } = pricesOf(paid.states.get(vault));
      expect([backed, coverage]).toEqual([WAD, WAD]);
    });

    it('contain what was supplied on behalf of the vault', async () => {
      const id = await world.market();
      const vault = await world.first('MetaMorpho11', [id], WAD / 10n);
      await world.deposit('MetaMorpho11', vault, 10n ** 12n);
      await world.node.send('MorphoBlue', world.morpho, 'supply', id, 5n * 10n ** 10n, vault);
      const read = await world.read([vault]);
      await expectOwnTotals('MetaMorpho11', vault, read);
      expect((pricesOf(read.states.get(vault)).quoted ?? 0n) / 10n ** 12n).toBe(1_044_999n);
    });

    it('have no figures when one of their markets cannot be read', async () => {
      const id = await world.market({ supply: 10n ** 12n, borrow: 10n ** 11n, rate: FIVE_PERCENT });
      const other = await world.market();
      const [vault, healthy] = [
        await world.first('MetaMorpho10', [other, id]),
        await world.first('MetaMorpho10', [other]),
      ];
      await world.deposit('MetaMorpho10', vault, 10n ** 9n);
      await world.pass(10);
      const [, , , irm] = await world.ask<readonly Address[]>(
        'MorphoBlue',
        world.morpho,
        'idToMarketParams',
        id,
      );
      await world.node.client.setCode({ address: irm ?? NONE, bytecode: '0xfe' });
      const read = await world.read([vault, healthy]);
      expect([...read.states.keys()]).toEqual([healthy]);
      expect(read.positions.map(({ vault_address }) => vault_address)).toEqual([healthy]);
      expect(read.missing).toEqual([{ subject: vault, reason: `its market ${id} cannot be read` }]);
    });
  });

  describe('of version 2', () => {
    const limited = async (vault: Address, assets: bigint) => {
      await world.deposit('VaultV2', vault, assets);
      return vault;
    };
    const paramsOf = async (id: Hex): Promise<Hex> => {
      const values = await world.ask<readonly [Hex, Hex, Hex, Hex, bigint]>(
        ...(['MorphoBlue', world.morpho, 'idToMarketParams', id] as const),
      );
      return encodeAbiParameters(MARKET_PARAMS, values);
    };

    it('spread a donation by the maximum rate', async () => {
      const vault = await limited(await world.node.deploy('VaultV2', [world.usd, 6]), 1_000_000n * USDC);
      await world.node.send('VaultV2', vault, 'setRates', FIVE_PERCENT, 0n, 0n);
      const since = Number(await world.ask('VaultV2', vault, 'lastUpdate'));
      await world.node.send('Token', world.usd, 'move', world.owner, vault, 50_000n * USDC);
      await world.node.client.setNextBlockTimestamp({ timestamp: BigInt(since + 3_600) });
      await world.node.client.mine({ blocks: 1 });
      const read = await world.read([vault]);
      await expectOwnTotals('VaultV2', vault, read);
      expect(read.states.get(vault)).toMatchObject({
        ...{ kind: 'morpho_v2', total_assets: '1000005707762', undistributed_assets: '49994292238' },
        ...{ real_assets: String(1_050_000n * USDC), idle_assets: String(1_050_000n * USDC) },
        ...{ max_rate: String(FIVE_PERCENT), send_shares_gate: NONE, position_count: 0 },
      });
    });

    it('lose the management fee without interest', async () => {
      const vault = await limited(await world.node.deploy('VaultV2', [world.usd, 6]), 1_000_000n * USDC);
      await world.node.send('VaultV2', vault, 'setRates', 0n, 0n, 317097919n);
      const since = Number(await world.ask('VaultV2', vault, 'lastUpdate'));
      await world.node.client.setNextBlockTimestamp({ timestamp: BigInt(since + 31_536_000) });
      await world.node.client.mine({ blocks: 1 });
      const read = await world.read([vault]);
      await expectOwnTotals('VaultV2', vault, read);
      expect(read.states.get(vault)?.['fee_shares']).toBe('10101010073461789614056');
      expect((pricesOf(read.states.get(vault)).quoted ?? 0n) / 10n ** 12n).toBe(990_000n);
    });

    it('hold markets and vaults through adapters, whose shares are worth what backs them', async () => {
      const [id, lossy] = [
        await world.market({ supply: 10n ** 12n, borrow: 5n * 10n ** 11n, rate: FIVE_PERCENT }),
        await world.market({ supply: 9n * 10n ** 11n, borrow: 5n * 10n ** 11n }),
      ];
      const held = await world.first('MetaMorpho11', [lossy]);
      const vault = await world.node.deploy('VaultV2', [world.usd, 6]);
      const markets = await world.node.deploy('MarketAdapter', [vault, world.morpho]);
      const shares = await world.node.deploy('VaultAdapter', [vault, held]);
      for (const adapter of [markets, shares]) await world.node.send('VaultV2', vault, 'addAdapter', adapter);
      const data = await paramsOf(id);
      await world.node.send('VaultV2', vault, 'setLiquidity', markets, data);
      await world.node.send('VaultV2', vault, 'setPenalty', shares, WAD / 100n);
      await limited(vault, 3n * 10n ** 11n);
      await world.node.send('VaultV2', vault, 'setLiquidity', NONE, '0x');
      await limited(vault, 10n ** 11n);
      await world.node.send('VaultV2', vault, 'allocate', shares, '0x', 10n ** 11n);
      await world.node.send('VaultV2', vault, 'setLiquidity', markets, data);
      await world.node.send('MorphoBlue', world.morpho, 'writeOff', lossy, 10n ** 11n);
      await world.pass(3_600);
      const read = await world.read([vault]);
      await expectOwnTotals('VaultV2', vault, read);
      const row = read.states.get(vault);
      expect(BigInt(String(row?.['total_assets'])) - BigInt(String(row?.['real_assets']))).toBeGreaterThan(
        9n * 10n ** 9n,
      );
      expect(read.positions.filter(({ vault_address }) => vault_address === vault)).toEqual([
        expect.objectContaining({ via_address: markets, held: id, held_kind: 'market', is_liquidity: true }),
        expect.objectContaining({
          ...{ via_address: shares, held, held_kind: 'vault', is_liquidity: false },
          ...{ assets: '100000000000', penalty: String(WAD / 100n) },
        }),
      ]);
      // The vault that it holds is read too.
      expect(read.states.get(held)).toMatchObject({ kind: 'morpho_v1_1' });
    });

    it('keep their total when an adapter is not known, and have no backed one', async () => {
      const vault = await world.node.deploy('VaultV2', [world.usd, 6]);
      const strange = await world.node.deploy('StrangeAdapter', [7n * USDC]);
      await world.node.send('VaultV2', vault, 'setRates', 63419583967n, 0n, 0n);
      await limited(vault, 100n * USDC);
      await world.node.send('VaultV2', vault, 'addAdapter', strange);
      await world.pass(31_536_000);
      const read = await world.read([vault]);
      await expectOwnTotals('VaultV2', vault, read);
      expect(read.states.get(vault)).toMatchObject({ total_assets: String(107n * USDC), real_assets: null });
      expect(read.positions).toEqual([
        expect.objectContaining({ held_kind: 'unknown', held: strange, assets: null }),
      ]);
    });
  });

  it('of Euler Earn, Yearn and plain vaults are what their contracts say', async () => {
    const plain = await world.node.deploy('PlainVault', [world.usd, 6]);
    await world.deposit('PlainVault', plain, 3n * USDC);
    await world.node.send('Token', world.usd, 'move', world.owner, plain, USDC);
    const euler = await world.node.deploy('EulerEarnVault', [world.usd, 6]);
    await world.node.send('EulerEarnVault', euler, 'deposit', 10n ** 9n, world.owner, plain);
    const yearn = await world.node.deploy('YearnVault', [world.usd, 6]);
    await world.deposit('YearnVault', yearn, 10n ** 9n);
    await world.node.send('YearnVault', yearn, 'lend', plain, 4n * 10n ** 8n);
    const { states, positions, missing } = await world.read([plain, euler, yearn]);
    expect(missing).toEqual([]);
    const total = async (kind: string, vault: Address) => String(await world.ask(kind, vault, 'totalAssets'));
    expect(states.get(plain)).toMatchObject({ kind: 'erc4626', share_price: '1.333333', position_count: 0 });
    expect(states.get(euler)).toMatchObject({
      ...{ kind: 'euler_earn', total_assets: await total('EulerEarnVault', euler), position_count: 1 },
    });
    expect(states.get(yearn)).toMatchObject({
      ...{ kind: 'yearn_v3', total_assets: String(10n ** 9n), idle_assets: String(6n * 10n ** 8n) },
      real_assets: String(10n ** 9n),
    });
    expect(positions.map(({ held }) => held)).toEqual([plain, plain]);
  });

  it('are of unknown kind for contracts that lie, refuse, or are no vaults, and the others are still read', async () => {
    const id = await world.market();
    const vault = await world.first('MetaMorpho10', [id]);
    const proxy = await world.node.deploy('Proxy1967', [vault]);
    const strangers = [
      await world.node.deploy('Liar'),
      await world.node.deploy('Reverting'),
      await world.node.deploy('MorphoBlue'),
      world.usd,
      `0x${'9'.repeat(40)}` as Address,
    ];
    const { states, missing } = await world.read([vault, proxy, ...strangers]);
    expect(missing).toEqual([]);
    expect([vault, proxy].map((one) => states.get(one)?.['kind'])).toEqual(['morpho_v1_0', 'morpho_v1_0']);
    for (const one of strangers)
      expect(states.get(one)).toEqual({
        ...{ table: 'vault_state', chain: 'anvil', vault_address: one, kind: 'unknown', position_count: 0 },
        ...{ observed_at: expect.any(Number), block_number: expect.any(Number) },
      });
  });

  it('that their contract contradicts are not published', async () => {
    const id = await world.market();
    const vault = await world.first('MetaMorpho10', [id]);
    await world.deposit('MetaMorpho10', vault, USDC);
    const liar = await world.node.deploy('Overstating', [world.usd, 6, world.morpho]);
    await world.node.send('MetaMorpho10', liar, 'setQueue', [id]);
    await world.deposit('MetaMorpho10', liar, USDC);
    const { states, missing } = await world.read([vault, liar]);
    expect([...states.keys()]).toEqual([vault]);
    expect(missing).toEqual([
      { subject: liar, reason: 'it states total assets of 1000001, its positions give 1000000' },
    ]);
  });

  it('are read from what the last reading knew, and again after a day', async () => {
    const id = await world.market();
    const vault = await world.first('MetaMorpho10', [id]);
    const first = await world.read([vault]);
    await world.node.send('MetaMorpho10', vault, 'setQueue', [id, await world.market()]);
    const second = await world.read([vault], first.state);
    expect(second.positions).toHaveLength(2);
    expect(second.positions[1]?.['absolute_cap']).toBe('1000000000000000000000000000000');
    await world.node.client.setCode({ address: vault, bytecode: '0xfe' });
    const broken = await world.read([vault], second.state);
    expect(broken.missing).toEqual([{ subject: vault, reason: 'it does not answer supply' }]);
    await world.pass(86_400);
    const later = await world.read([vault], broken.state);
    expect(later.states.get(vault)?.['kind']).toBe('unknown');
  });
});
