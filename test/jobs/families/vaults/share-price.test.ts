import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { exactPrices, sharePrices, type VaultTotals } from '../../../../jobs/families/vaults/share-price.ts';

const usdc: VaultTotals = {
  ...{ kind: 'morpho_v1_1', assetDecimals: 6, shareDecimals: 18, hasFee: false, feeShares: null },
  ...{
    assets: 2_000_000_000_000n,
    supply: 2n * 10n ** 24n,
    addressOneShares: 0n,
    realAssets: 2_000_000_000_000n,
  },
};
/** What a contract's `convertToAssets` gives for a whole share. */
const wholeUnits = (price: bigint | null, decimals = 6) => (price ?? -1n) / 10n ** BigInt(18 - decimals);

describe('share prices', () => {
  it('are one after a first deposit, whatever the decimals of the asset', () => {
    for (const [assetDecimals, shareDecimals] of [
      [0, 18],
      [2, 18],
      [6, 18],
      [8, 18],
      [18, 18],
      [24, 24],
    ] as const) {
      const assets = 10n ** BigInt(assetDecimals) * 1_000n;
      const supply = assets * 10n ** BigInt(Math.max(0, 18 - assetDecimals));
      const { quoted, backed } = sharePrices({
        ...usdc,
        assetDecimals,
        shareDecimals,
        assets,
        supply,
        realAssets: assets,
      });
      expect(quoted).toBe(10n ** 18n);
      expect(backed).toBe(10n ** 18n);
    }
  });

  it('contain the fee that the next interaction mints', () => {
    const fee = {
      ...usdc,
      hasFee: true,
      assets: 1_010_000_000_000n,
      realAssets: 1_010_000_000_000n,
      supply: 10n ** 24n,
    };
    expect(wholeUnits(sharePrices({ ...fee, feeShares: 991080277502486540854n }).quoted)).toBe(1_008_999n);
  });

  it('are unknown where the vault takes a fee, or may take one, and its shares are not known', () => {
    for (const hasFee of [true, null]) expect(sharePrices({ ...usdc, hasFee }).quoted).toBeNull();
    expect(sharePrices({ ...usdc, kind: 'yearn_v3', hasFee: null }).quoted).not.toBeNull();
  });

  it('fall with what backs them while the quote stands still, and recover by shares of address(1)', () => {
    const lossy = sharePrices({ ...usdc, realAssets: 1_950_000_000_000n });
    expect(lossy).toMatchObject({ quoted: 10n ** 18n, coverage: 975n * 10n ** 15n, lost: 50_000_000_000n });
    expect(wholeUnits(lossy.backed)).toBe(975_000n);
    const repaid = sharePrices({
      ...usdc,
      assets: 2_050_000_000_000n,
      supply: 2_050_000n * 10n ** 18n,
      addressOneShares: 50_000n * 10n ** 18n,
      realAssets: 2_000_000_000_000n,
    });
    expect(repaid).toMatchObject({ backed: 10n ** 18n, coverage: 10n ** 18n, lost: 0n });
  });

  it('know no backing of a plain ERC-4626, and none without the real assets', () => {
    expect(sharePrices({ ...usdc, kind: 'erc4626' })).toMatchObject({
      backed: null,
      coverage: null,
      lost: null,
    });
    expect(sharePrices({ ...usdc, realAssets: null })).toMatchObject({
      quoted: 10n ** 18n,
      backed: null,
      coverage: null,
    });
    expect(sharePrices({ ...usdc, kind: 'morpho_v1_0', realAssets: null }).backed).toBe(10n ** 18n);
    expect(sharePrices({ ...usdc, kind: 'unknown' }).quoted).toBeNull();
  });

  it('of an empty vault are one, and nothing backs it', () => {
    const empty = { ...usdc, assets: 0n, supply: 0n, realAssets: 0n };
    expect(sharePrices(empty)).toEqual({ quoted: 10n ** 18n, backed: null, coverage: null, lost: null });
    expect(sharePrices({ ...empty, kind: 'yearn_v3' }).quoted).toBe(10n ** 18n);
    expect(sharePrices({ ...empty, kind: 'erc4626' }).quoted).toBeNull();
  });

  it('never rise when something is lost, and are never backed above the quote', () => {
    const amount = fc.bigInt({ min: 0n, max: 10n ** 40n });
    fc.assert(
      fc.property(amount, amount, amount, amount, (assets, supply, real, loss) => {
        const before = sharePrices({ ...usdc, assets, supply, realAssets: real });
        const after = sharePrices({ ...usdc, assets, supply, realAssets: real > loss ? real - loss : 0n });
        if (before.backed === null || after.backed === null || before.quoted === null) return;
        expect(before.backed <= before.quoted && after.backed <= before.backed).toBe(true);
        expect((after.coverage ?? 0n) <= (before.coverage ?? 0n)).toBe(true);
      }),
    );
  });

  it('lose their figures, and never improve, when an input is removed', async () => {
    const row = {
      ...{
        kind: 'morpho_v2',
        asset_decimals: 6,
        share_decimals: 18,
        total_assets: '1000000000000',
        fee_shares: '0',
      },
      ...{
        total_supply: `${10n ** 24n}`,
        real_assets: '900000000000',
        performance_fee: '1',
        management_fee: '1',
      },
    };
    const priced = async (fields: Record<string, string | number>) => {
      const columns = Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, [value]]));
      const filled = await exactPrices.fill({ count: 1, columns }, new Uint8Array());
      return filled['exact_backed_share_price']?.[0] ?? null;
    };
    expect(await priced(row)).toMatch(/^0\.90000/);
    for (const name of Object.keys(row).filter((one) => !one.endsWith('_fee'))) {
      const { [name as keyof typeof row]: _, ...rest } = row;
      expect(await priced(rest), name).toBeNull();
    }
  });
});
