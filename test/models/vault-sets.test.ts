// Figures of sets of vaults: worked cases, a vault inside another one, what is missing, and properties against minimum cuts.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type SetVault, vaultTotals } from '../../models/vault-sets.ts';
import type { Vault, VaultHoldings } from '../../schemas/vaults.ts';

type Holding = VaultHoldings['holdings'][number];
interface Position {
  readonly in: string;
  readonly own: number;
  /** Null: not known. */
  readonly cash?: number | null;
  readonly supply?: number;
  readonly is?: 'vault' | 'unknown';
  /** Ordinary withdrawals do not take from it. */
  readonly isOther?: true;
}
interface Made {
  readonly address: string;
  readonly kind?: Vault['kind'];
  readonly idle?: number;
  readonly at: readonly Position[];
  readonly row?: Partial<Vault>;
  readonly held?: Partial<VaultHoldings>;
}

const STATE_AT = 1_728_036_000;

/** A published vault whose own figures follow from its positions, as the jobs compute them. */
function made(vault: Made, inside: readonly SetVault[] = []): SetVault {
  const { address, kind = 'morpho_v1_1', idle = 0, at } = vault;
  const id = { chain: 'ethereum', vault_address: address, state_at: STATE_AT };
  const figures = figuresOf({ idle, at }, inside);
  const row = {
    ...{ ...id, kind, asset_address: '0xusdc', asset_symbol: 'USDC', asset_price_usd: 2, idle_assets: idle },
    ...{ unrealised_bad_debt_low_usd: 0, unrealised_bad_debt_high_usd: 0, state_status: 'fresh' },
    ...{
      gaps: figures.withdrawable_assets === null ? ['market_state_unknown'] : [],
      ...figures,
      ...vault.row,
    },
  } as Vault;
  const holdings = at.map((one) => holdingOf(one, kind));
  return {
    row,
    holdings: { ...id, is_complete: true, holdings, ...vault.held } as VaultHoldings,
    isHeldBack: false,
  };
}

function figuresOf({ idle, at }: { idle: number; at: readonly Position[] }, inside: readonly SetVault[]) {
  const insideOf = (name: string) => inside.find(({ row }) => row.vault_address === name)?.row;
  const outOf = ({ in: name, own, cash = 0, is }: Position) => {
    const limit = is === 'vault' ? (insideOf(name)?.withdrawable_assets ?? null) : cash;
    return own === 0 ? 0 : limit === null ? null : Math.min(own, limit);
  };
  const reached = at.filter(({ isOther }) => isOther !== true).map(outOf);
  return {
    total_assets: idle + at.reduce((sum, { own }) => sum + own, 0),
    withdrawable_assets: reached.reduce(
      (sum: number | null, one) => (sum === null || one === null ? null : sum + one),
      idle,
    ),
    withdrawable_shared_assets: at.reduce(
      (sum, { own, cash, supply = own }) => sum + (supply === 0 ? 0 : (own * (cash ?? 0)) / supply),
      idle,
    ),
  };
}

function holdingOf(position: Position, kind: Vault['kind']): Holding {
  const { in: held, own, cash = 0, supply = own, is = 'market', isOther } = position;
  return {
    ...{
      held_kind: is,
      held,
      assets: own,
      market_supply: supply,
      market_cash: is === 'market' ? cash : null,
    },
    is_liquidity: kind === 'morpho_v2' ? isOther !== true : null,
    queue_index: kind === 'morpho_v2' || isOther === true ? null : 0,
  } as Holding;
}

function totalsOf(vaults: readonly SetVault[], others: readonly SetVault[] = []) {
  const all = new Map([...vaults, ...others].map((one) => [`ethereum|${one.row.vault_address}`, one]));
  return vaultTotals({ vaults, missing: [], gaps: [], vaultOf: (key) => all.get(key) });
}
const figures = (vaults: readonly SetVault[], others?: readonly SetVault[]) => {
  const { assets } = totalsOf(vaults, others);
  const sum = (of: (one: (typeof assets)[number]) => number | null) =>
    assets.reduce((all: number | null, one) => {
      const amount = of(one);
      return all === null || amount === null ? null : all + amount;
    }, 0);
  return {
    total: sum((one) => one.total_assets),
    withdrawable: sum((one) => one.withdrawable_assets),
    shared: sum((one) => one.withdrawable_shared_assets),
  };
};

describe('worked cases', () => {
  test('two positions in one market are one holding of 15,000', () => {
    const vault = made({
      address: '0xv',
      at: [
        { in: 'a', own: 15_000, cash: 12_000 },
        { in: 'b', own: 0, cash: null },
      ],
    });
    expect(figures([vault])).toMatchObject({ total: 15_000, withdrawable: 12_000 });
  });

  test('two vaults that could withdraw 80,000 each from a market with 100,000 in cash withdraw 100,000 together', () => {
    const v1 = made({ address: '0xv', at: [{ in: 'a', own: 80_000, cash: 100_000, supply: 400_000 }] });
    const v2 = made({
      ...{
        address: '0xw',
        kind: 'morpho_v2',
        at: [{ in: 'a', own: 80_000, cash: 100_000, supply: 400_000 }],
      },
    });
    expect(figures([v1]).withdrawable).toBe(80_000);
    expect(figures([v2]).withdrawable).toBe(80_000);
    expect(totalsOf([v1, v2])).toMatchObject({
      ...{ vaults: 2, total_assets_usd: 320_000, held_twice_usd: 0, withdrawable_usd: 200_000 },
      ...{ withdrawable_shared_usd: 80_000, withdrawable_share: 0.625, unknown: [], gaps: [] },
    });
  });

  test('a small vault counts as well', () => {
    const small = (address: string, own: number, cash: number, kind: Vault['kind'] = 'morpho_v1_1') =>
      made({ address, kind, at: [{ in: address, own, cash }] });
    const set = [
      small('0xv', 100_000, 30_000),
      small('0xw', 200_000, 80_000, 'morpho_v2'),
      small('0xd', 9_999, 9_999),
    ];
    expect(figures(set)).toMatchObject({ total: 309_999, withdrawable: 119_999 });
  });

  test('only idle assets and the liquidity market of a V2 vault can be withdrawn', () => {
    const vault = made({
      ...{ address: '0xw', kind: 'morpho_v2', idle: 50_000 },
      at: [
        { in: 'a', own: 400_000, cash: 300_000 },
        { in: 'b', own: 550_000, cash: 500_000, isOther: true },
      ],
    });
    expect(figures([vault])).toMatchObject({ total: 1_000_000, withdrawable: 350_000 });
  });

  test('cash that a vault of another state reads differently is that of the newer state, or the lower one', () => {
    const of = (address: string, cash: number, state_at: number) =>
      made({ address, at: [{ in: 'a', own: 100, cash }], row: { state_at }, held: { state_at } });
    const both = (a: SetVault, b: SetVault) => [figures([a, b]).withdrawable, figures([b, a]).withdrawable];
    expect(both(of('0xv', 100, 10), of('0xw', 90, 20))).toEqual([90, 90]);
    expect(both(of('0xv', 100, 20), of('0xw', 90, 10))).toEqual([100, 100]);
    expect(both(of('0xv', 100, 20), of('0xw', 90, 20))).toEqual([90, 90]);
  });
});

describe('a V1 vault inside a V2 vault', () => {
  const market = { in: 'a', own: 900, cash: 500, supply: 1_800 };
  const losses = { unrealised_bad_debt_low_usd: 90, unrealised_bad_debt_high_usd: 180 };
  const inner = made({ address: '0xv', at: [market], row: losses });
  const outer = made(
    {
      ...{ address: '0xw', kind: 'morpho_v2', idle: 10, at: [{ in: '0xv', own: 300, is: 'vault' }] },
      // A third of the held vault's figures.
      row: {
        ...{
          withdrawable_shared_assets: 10 + 250 / 3,
          unrealised_bad_debt_low_usd: 30,
          unrealised_bad_debt_high_usd: 60,
        },
      },
    },
    [inner],
  );

  test('its assets, its cash and its losses count once', () => {
    expect(figures([outer, inner])).toEqual({ total: 910, withdrawable: 510, shared: 260 });
    expect(totalsOf([outer, inner])).toMatchObject({
      ...{
        total_assets_usd: 1_820,
        held_twice_usd: 600,
        withdrawable_usd: 1_020,
        withdrawable_shared_usd: 520,
      },
      ...{ unrealised_bad_debt_low_usd: 90, unrealised_bad_debt_high_usd: 180 },
    });
  });

  test('without it, at most what the holder has in it and what it can withdraw itself', () => {
    expect(figures([outer], [inner])).toMatchObject({ total: 310, withdrawable: 310 });
    const poor = made({ address: '0xv', at: [{ ...market, cash: 120 }] });
    const holder = made({ address: '0xw', kind: 'morpho_v2', at: [{ in: '0xv', own: 300, is: 'vault' }] }, [
      poor,
    ]);
    expect(figures([holder], [poor]).withdrawable).toBe(120);
  });

  test('the cash of its markets is shared with the other vaults of the set', () => {
    const other = made({ address: '0xx', at: [{ ...market, own: 400 }] });
    expect(figures([outer, other], [inner]).withdrawable).toBe(510);
  });

  test('two holders share what it can withdraw', () => {
    const second = made({ address: '0xy', kind: 'morpho_v2', at: [{ in: '0xv', own: 300, is: 'vault' }] }, [
      inner,
    ]);
    expect(figures([outer, second], [inner]).withdrawable).toBe(510);
  });
});

describe('what is not known', () => {
  const known = made({ address: '0xv', at: [{ in: 'a', own: 100, cash: 50 }] });
  const nameOf = ({ unknown }: ReturnType<typeof totalsOf>) =>
    unknown.map(({ vault_address, gaps }) => [vault_address, ...gaps]);

  test('the cash of one market makes what could be withdrawn unknown, and names its vault', () => {
    const blind = made({ address: '0xw', at: [{ in: 'b', own: 1, cash: null }] });
    const totals = totalsOf([known, blind]);
    expect(totals).toMatchObject({ total_assets_usd: 202, withdrawable_usd: null, withdrawable_share: null });
    expect(totals.gaps).toEqual(['market_state_unknown']);
    expect(nameOf(totals)).toEqual([['0xw', 'market_state_unknown']]);
  });

  test('holdings of another state, none, or held-back ones say nothing', () => {
    const cases: readonly [SetVault, string][] = [
      [{ ...known, holdings: undefined }, 'holdings_missing'],
      [made({ address: '0xv', at: [], held: { state_at: 1 } }), 'holdings_missing'],
      [{ ...known, isHeldBack: true }, 'held_back'],
      [
        made({
          address: '0xv',
          at: [],
          row: { total_assets: null, withdrawable_assets: null, state_at: null },
        }),
        'no_state',
      ],
    ];
    for (const [vault, gap] of cases) {
      const totals = totalsOf([vault]);
      expect(totals).toMatchObject({ total_assets_usd: null, withdrawable_usd: null, held_twice_usd: null });
      expect(totals.gaps).toContain(gap);
    }
  });

  test('positions that were not read may be another vault of the set', () => {
    const unread = made({
      ...{ address: '0xw', kind: 'morpho_v2', at: [{ in: '0xad', own: 5, is: 'unknown', isOther: true }] },
    });
    expect(totalsOf([unread])).toMatchObject({ total_assets_usd: 10, withdrawable_usd: 0 });
    const totals = totalsOf([known, unread]);
    expect(totals).toMatchObject({
      total_assets_usd: null,
      withdrawable_usd: 100,
      gaps: ['positions_missing'],
    });
  });

  test('a price makes dollars unknown and no other figure', () => {
    const totals = totalsOf([
      made({ address: '0xv', at: [{ in: 'a', own: 2, cash: 1 }], row: { asset_price_usd: null } }),
    ]);
    expect(totals).toMatchObject({ total_assets_usd: null, withdrawable_usd: null, gaps: ['price_unknown'] });
    expect(totals.assets[0]).toMatchObject({ total_assets: 2, withdrawable_assets: 1 });
  });

  test('a vault that was named and is not there, and a set without vaults, have no figures', () => {
    const missing = [{ chain: 'ethereum', vault_address: '0xz', gap: 'vault_unknown' as const }];
    const totals = vaultTotals({ vaults: [known], missing, gaps: [], vaultOf: () => undefined });
    expect(totals).toMatchObject({
      vaults: 1,
      total_assets_usd: null,
      withdrawable_usd: null,
      unknown_vaults: 1,
    });
    expect(totals.unknown).toEqual([{ chain: 'ethereum', vault_address: '0xz', gaps: ['vault_unknown'] }]);
    expect(totalsOf([])).toMatchObject({
      vaults: 0,
      total_assets_usd: null,
      gaps: ['no_vaults'],
      state_status: 'unknown',
    });
  });

  test('the status is that of the worst vault', () => {
    const stale = made({ address: '0xw', at: [], row: { state_status: 'stale' } });
    expect(totalsOf([known, stale]).state_status).toBe('stale');
  });
});

test('assets share nothing: each has its own part, and a vault in no registry belongs to the asset of its market', () => {
  const eth = { asset_address: '0xeth', asset_symbol: 'ETH', asset_price_usd: 1_000 };
  const nameless = { asset_address: null, asset_symbol: null };
  const totals = totalsOf([
    made({ address: '0xv', at: [{ in: 'a', own: 100, cash: 60 }] }),
    made({ address: '0xw', at: [{ in: 'e', own: 3, cash: 2 }], row: eth }),
    made({ address: '0xx', at: [{ in: 'a', own: 100, cash: 60 }], row: nameless }),
    made({ address: '0xy', at: [{ in: 'z', own: 1, cash: 1 }], row: nameless }),
  ]);
  expect(
    totals.assets.map(({ asset_symbol, vaults, withdrawable_assets }) => [
      asset_symbol,
      vaults,
      withdrawable_assets,
    ]),
  ).toEqual([
    ['USDC', 2, 60],
    ['ETH', 1, 2],
    [null, 1, 1],
  ]);
  expect(totals.withdrawable_usd).toBe(2_122);
});

// Vaults over three markets: V1 vaults, and V2 vaults with one liquidity market or V1 vault.
const CASHES = fc.array(fc.nat(20), { minLength: 3, maxLength: 3 });
const V1 = fc.record({
  address: fc.constantFrom('0xp', '0xq'),
  own: fc.array(fc.nat(20), { minLength: 3, maxLength: 3 }),
});
const V2 = fc.record({
  idle: fc.nat(5),
  via: fc.constantFrom('0', '1', '2', '0xp', '0xq'),
  own: fc.nat(20),
  other: fc.nat(5),
});
const WORLD = fc.record({
  cashes: CASHES,
  v1: fc.uniqueArray(V1, { minLength: 1, selector: ({ address }) => address }),
  v2: fc.array(V2, { maxLength: 3 }),
});

function worldOf({ cashes, v1, v2 }: typeof WORLD extends fc.Arbitrary<infer W> ? W : never) {
  const at = (name: number, own: number) => ({ in: `${name}`, own, cash: cashes[name] ?? 0, supply: 200 });
  const inner = v1.map(({ address, own }) =>
    made({ address, at: own.map((amount, name) => at(name, amount)) }),
  );
  // Holders of a vault together have at most all of it.
  const left = new Map(inner.map(({ row }) => [row.vault_address, row.total_assets ?? 0]));
  const outer = v2.flatMap(({ idle, via, own, other }, index) => {
    const rest = { ...at(0, other), isOther: true as const };
    const held = inner.find(({ row }) => row.vault_address === via);
    if (via.startsWith('0x') && held === undefined) return [];
    const part = Math.min(own, left.get(via) ?? 0);
    if (held !== undefined) left.set(via, (left.get(via) ?? 0) - part);
    const liquidity =
      held === undefined ? at(Number(via), own) : ({ in: via, own: part, is: 'vault' } as const);
    const positions = held === undefined && via === '0' ? [liquidity] : [liquidity, rest];
    return [made({ address: `0xw${index}`, kind: 'morpho_v2', idle, at: positions }, inner)];
  });
  return { inner, outer, all: [...inner, ...outer] };
}

/** The smallest cut over all choices of which vaults and markets are on the side of the vaults. */
function smallestCut(chosen: readonly SetVault[], inner: readonly SetVault[]): number {
  const isChosen = (name: string) => chosen.some(({ row }) => row.vault_address === name);
  const nodes = [...new Set([...chosen, ...inner].map((one) => one))];
  let least = Number.POSITIVE_INFINITY;
  for (let choice = 0; choice < 2 ** (nodes.length + 3); choice++) {
    const isNear = (index: number) => Math.floor(choice / 2 ** index) % 2 === 1;
    const isMarketNear = (name: string) => isNear(nodes.length + Number(name));
    let cut = 0;
    const counted = new Set<string>();
    nodes.forEach(({ row, holdings }, index) => {
      if (isChosen(row.vault_address) && !isNear(index)) cut += row.withdrawable_assets ?? 0;
      for (const { held, held_kind, assets, market_cash, is_liquidity, queue_index } of holdings?.holdings ??
        []) {
        if (held_kind === 'market' && isMarketNear(held) && !counted.has(held)) {
          counted.add(held);
          cut += market_cash ?? 0;
        }
        const isReached = is_liquidity === true || queue_index !== null;
        if (!isNear(index) || !isReached) continue;
        const to = held_kind === 'market' ? -1 : nodes.findIndex((one) => one.row.vault_address === held);
        if (held_kind === 'market' && !isMarketNear(held)) cut += assets ?? 0;
        if (to >= 0 && !isNear(to) && !isChosen(held)) cut += assets ?? 0;
      }
      if (isNear(index)) cut += row.idle_assets ?? 0;
    });
    least = Math.min(least, cut);
  }
  return least;
}

test('what could be withdrawn is the smallest cut between the vaults and the cash', () => {
  fc.assert(
    fc.property(WORLD, fc.nat(31), (world, choice) => {
      const { inner, all } = worldOf(world);
      const chosen = all.filter((_, index) => Math.floor(choice / 2 ** index) % 2 === 1);
      fc.pre(chosen.length > 0);
      expect(figures(chosen, all).withdrawable).toBe(smallestCut(chosen, inner));
    }),
    { numRuns: 150 },
  );
});

test('limits: total assets, the cash of all markets, and the sum of the vaults; order changes nothing, and a further vault lowers nothing', () => {
  fc.assert(
    fc.property(WORLD, fc.nat(4), (world, cut) => {
      const { all } = worldOf(world);
      const set = figures(all, all);
      const alone = all.map((one) => figures([one], all).withdrawable ?? Number.NaN);
      const idle = all.reduce((sum, { row }) => sum + (row.idle_assets ?? 0), 0);
      const cash = world.cashes.reduce((sum, one) => sum + one, 0);
      expect(set.withdrawable).toBeLessThanOrEqual(set.total ?? -1);
      expect(set.withdrawable).toBeLessThanOrEqual(cash + idle);
      expect(set.withdrawable).toBeLessThanOrEqual(alone.reduce((sum, one) => sum + one, 0));
      expect(totalsOf(all.toReversed(), all)).toEqual(totalsOf(all, all));
      const fewer = figures(all.toSpliced(cut % all.length, 1), all);
      if (all.length > 1) {
        expect(fewer.withdrawable).toBeLessThanOrEqual(set.withdrawable ?? -1);
        expect(fewer.total).toBeLessThanOrEqual((set.total ?? -1) + 1e-9);
      }
    }),
    { numRuns: 200 },
  );
});

test('taking an input away never makes a figure known or larger', () => {
  const removals: readonly ((vault: SetVault) => SetVault)[] = [
    (vault) => ({ ...vault, holdings: undefined }),
    (vault) => ({ ...vault, isHeldBack: true }),
    ({ row, ...rest }) => ({ ...rest, row: { ...row, withdrawable_assets: null } }),
    ({ row, ...rest }) => ({ ...rest, row: { ...row, total_assets: null } }),
    ({ row, ...rest }) => ({ ...rest, row: { ...row, asset_price_usd: null } }),
    ({ row, ...rest }) => ({ ...rest, row: { ...row, unrealised_bad_debt_low_usd: null } }),
    ({ holdings, ...rest }) => ({
      ...rest,
      holdings: holdings && {
        ...holdings,
        holdings: holdings.holdings.map((one) => ({ ...one, market_cash: null })),
      },
    }),
  ];
  fc.assert(
    fc.property(WORLD, fc.nat(4), fc.constantFrom(...removals), (world, index, removal) => {
      const { all } = worldOf(world);
      const whole = totalsOf(all, all);
      const lacking = totalsOf(all.map((one, at) => (at === index % all.length ? removal(one) : one)));
      for (const name of ['total_assets_usd', 'withdrawable_usd', 'unrealised_bad_debt_low_usd'] as const)
        expect([null, whole[name]]).toContain(lacking[name]);
      for (const gap of whole.gaps) expect(lacking.gaps).toContain(gap);
    }),
    { numRuns: 150 },
  );
});
