import { describe, expect, test } from 'vitest';
import { DEFAULT_POLICY, loadPolicy } from '../../../../jobs/policies.ts';
import { SettingsError } from '../../../../platform/settings/settings-error.ts';

function positions(section: unknown): string[] {
  try {
    loadPolicy(section);
  } catch (error) {
    if (error instanceof SettingsError) return error.problems.map(({ where }) => where);
    throw error;
  }
  throw new Error('this policy was accepted');
}
const asset = (symbol: string, quote: string, section: unknown) =>
  loadPolicy(section).peg.assets.find(
    (candidate) => candidate.symbol === symbol && candidate.quote === quote,
  );

describe('merging', () => {
  test('no section, and an empty one, give the defaults under their own version', () => {
    expect(loadPolicy(undefined)).toEqual(DEFAULT_POLICY);
    expect(loadPolicy({})).toEqual(DEFAULT_POLICY);
  });

  test('a member that is not named keeps its default', () => {
    const { oracle, peg } = loadPolicy({
      oracle: { grace_s: 5 },
      peg: { bands: { nav: { enter_bps: 200 } } },
    });
    expect(oracle).toEqual({ ...DEFAULT_POLICY.oracle, grace_s: 5 });
    expect(peg.bands.nav).toEqual({ ...DEFAULT_POLICY.peg.bands.nav, enter_bps: 200 });
    expect(peg.bands.fiat_usd).toEqual(DEFAULT_POLICY.peg.bands.fiat_usd);
  });

  test('an asset is found by symbol and quote and keeps what is not overridden', () => {
    const assets = [{ symbol: 'USDT', quote: 'USD', enter_bps: 90, exit_bps: 40, confirm_observations: 1 }];
    expect(asset('USDT', 'USD', { peg: { assets } })).toEqual({
      symbol: 'USDT',
      quote: 'USD',
      kind: 'fiat_usd',
      reference_price: '1',
      enter_bps: 90,
      exit_bps: 40,
      confirm_observations: 1,
    });
    expect(loadPolicy({ peg: { assets } }).peg.assets).toHaveLength(DEFAULT_POLICY.peg.assets.length);
  });

  test('a new reference takes the place of the old one, whatever its kind', () => {
    const assets = [{ symbol: 'EURC', quote: 'USD', reference_price: '1.1' }];
    expect(asset('EURC', 'USD', { peg: { assets } })).not.toHaveProperty('reference_pair');
  });

  test('an asset that the defaults do not have is added', () => {
    const added = { symbol: 'XAUT', quote: 'USD', kind: 'nav', reference_pair: 'XAU-USD' };
    expect(asset('XAUT', 'USD', { peg: { assets: [added] } })).toEqual(added);
  });

  test('market hours are replaced market by market', () => {
    const { market_hours } = loadPolicy({ market_hours: [{ name: 'nyse', open: [[0, 60]] }] });
    expect(market_hours.find(({ name }) => name === 'nyse')?.open).toEqual([[0, 60]]);
    expect(market_hours).toHaveLength(DEFAULT_POLICY.market_hours.length);
  });

  test('the result and the defaults cannot be changed', () => {
    const policy = loadPolicy({ oracle: { grace_s: 5 } });
    expect(() => Object.assign(policy.oracle, { grace_s: 6 })).toThrow(TypeError);
    expect(() => Object.assign(policy.peg.bands.nav, { enter_bps: 6 })).toThrow(TypeError);
    expect(DEFAULT_POLICY.oracle.grace_s).toBe(60);
  });
});

describe('the policy version', () => {
  const version = (section: unknown) => loadPolicy(section).policy_version;

  test('a changed policy is marked, and the same change always in the same way', () => {
    const changed = version({ oracle: { grace_s: 5 } });
    expect(changed).toMatch(/^1\.0\.0\+[0-9a-f]{16}$/);
    expect(version({ oracle: { grace_s: 5 } })).toBe(changed);
    expect(version({ oracle: { grace_s: 6 } })).not.toBe(changed);
  });

  test('the order in which members are written does not matter', () => {
    expect(version({ oracle: { grace_s: 5 }, peg: { recovery_hold_s: 1 } })).toBe(
      version({ peg: { recovery_hold_s: 1 }, oracle: { grace_s: 5 } }),
    );
  });

  test('an override equal to the default changes nothing', () => {
    expect(version({ oracle: { grace_s: 60 } })).toBe(DEFAULT_POLICY.policy_version);
  });

  test('a version of its own is kept, but the defaults’ version cannot be claimed for something else', () => {
    expect(version({ policy_version: '2.0.0', oracle: { grace_s: 5 } })).toBe('2.0.0');
    expect(version({ policy_version: '1.0.0', oracle: { grace_s: 5 } })).toMatch(/^1\.0\.0\+/);
  });
});

describe('wrong overrides', () => {
  test('unknown names and wrong values are reported together', () => {
    const section = {
      oracl: {},
      oracle: { grace_s: -1, stale_high_s: '600' },
      peg: {
        bands: { fiat_usdd: {}, nav: { enter_bps: null } },
        immediate_multiple: 0.5,
        recovery_min_observed_fraction: 1.1,
        assets: [
          { symbol: 'usdt', quote: 'USD' },
          { symbol: 'USDT' },
          { symbol: 'A', quote: 'B', kind: 'c' },
        ],
      },
      market_hours: [{ name: 'x', open: [[0, 10_081]] }],
    };
    expect(positions(section).sort()).toEqual([
      'policy.market_hours.0.open.0.1',
      'policy.oracl',
      'policy.oracle.grace_s',
      'policy.oracle.stale_high_s',
      'policy.peg.assets.0.symbol',
      'policy.peg.assets.1',
      'policy.peg.assets.2.kind',
      'policy.peg.bands.fiat_usdd',
      'policy.peg.bands.nav.enter_bps',
      'policy.peg.immediate_multiple',
      'policy.peg.recovery_min_observed_fraction',
    ]);
    expect(() => loadPolicy({ oracl: {} })).toThrow('did you mean oracle?');
  });

  test('more problems than a handful are all named', () => {
    const wrong = Array.from({ length: 50 }, (_, index) => ({ symbol: `A${index}`, quote: 'usd' }));
    expect(positions({ peg: { assets: wrong } })).toHaveLength(50);
  });

  test.each([[[]], [null], [3], ['peg']])('%j is not a section', (section) => {
    expect(positions(section)).toEqual(['policy']);
  });

  test('the exit must be inside the enter, in bands and in assets', () => {
    expect(positions({ peg: { bands: { nav: { exit_bps: 150 } } } })).toEqual(['policy.peg.bands.nav']);
    const assets = [{ symbol: 'USDT', quote: 'USD', enter_bps: 50 }];
    expect(positions({ peg: { assets } })).toEqual(['policy.peg.assets USDT-USD']);
  });

  test('an asset needs a kind and exactly one reference, and may be named once', () => {
    const assets = (...list: unknown[]) => positions({ peg: { assets: list } });
    expect(assets({ symbol: 'X', quote: 'USD', reference_price: '1' })).toEqual(['policy.peg.assets X-USD']);
    expect(assets({ symbol: 'X', quote: 'USD', kind: 'nav' })).toEqual(['policy.peg.assets X-USD']);
    const usdt = { symbol: 'USDT', quote: 'USD', reference_price: '1' };
    expect(assets({ ...usdt, reference_pair: 'A-B' })).toEqual(['policy.peg.assets USDT-USD']);
    expect(assets(usdt, usdt)).toEqual(['policy.peg.assets']);
    expect(assets({ ...usdt, reference_price: '0' })).toEqual(['policy.peg.assets.0.reference_price']);
  });

  test.each([
    ['a downside of the whole price', { kind: 'nav', enter_bps: 10_000, immediate_multiple: 1 }, false],
    ['one short of it', { kind: 'nav', enter_bps: 9_999, immediate_multiple: 1 }, true],
    ['twice a downside of half', { kind: 'nav', enter_bps: 5_000 }, false],
    ['twice just less than that', { kind: 'nav', enter_bps: 4_999.9 }, true],
    ['the same on both sides', { kind: 'fiat_usd', enter_bps: 5_000 }, true],
    [
      'the same on one side by a flag of its own',
      { kind: 'fiat_usd', enter_bps: 5_000, is_downside_only: true },
      false,
    ],
    ['a multiple past tenfold', { kind: 'fiat_usd', immediate_multiple: 1_000 }, false],
    ['an exit that the enter of the class does not reach', { kind: 'fiat_usd', exit_bps: 100 }, false],
    ['an enter of nothing', { kind: 'fiat_usd', enter_bps: 0, exit_bps: 0 }, false],
  ])('a band that no price reaches is an error: %s', (_, rules, isReached) => {
    const section = { peg: { assets: [{ symbol: 'X', quote: 'USD', reference_price: '1', ...rules }] } };
    if (isReached) expect(loadPolicy(section).peg.assets).toHaveLength(DEFAULT_POLICY.peg.assets.length + 1);
    else expect(positions(section)).toEqual(['policy.peg.assets X-USD']);
  });

  test('a multiple for all is judged for each class, and a pool can never be all that weighs', () => {
    expect(positions({ peg: { immediate_multiple: 60 } })).toContain('policy.peg.bands.liquid_restaking');
    expect(positions({ peg: { weights: { oracle: 0, venue: 0 } } })).toEqual(['policy.peg.weights']);
    expect(loadPolicy({ peg: { weights: { oracle: 0 } } }).peg.weights).toEqual({
      oracle: 0,
      venue: 1,
      pool: 1,
    });
  });

  test('an asset by id can be configured next to one by symbol, and each is named once', () => {
    const own = {
      symbol: 'USDC',
      quote: 'USD',
      kind: 'fiat_usd',
      reference_price: '1',
      asset_id: '0xa0',
      chain: 'base',
    };
    expect(loadPolicy({ peg: { assets: [own] } }).peg.assets).toHaveLength(
      DEFAULT_POLICY.peg.assets.length + 1,
    );
    expect(positions({ peg: { assets: [own, own] } })).toEqual(['policy.peg.assets']);
    expect(positions({ peg: { assets: [{ ...own, exit_bps: 100 }] } })).toEqual([
      'policy.peg.assets USDC-USD@base:0xa0',
    ]);
    const source = { chain: 'base', feed_address: '0xf', weight: 0 };
    expect(positions({ peg: { sources: [source, source] } })).toEqual(['policy.peg.sources']);
    expect(positions({ peg: { sources: [{ ...source, source_kind: 'dex' }] } })).toEqual([
      'policy.peg.sources.0.source_kind',
    ]);
  });

  test('stale severities and opening hours must be in order', () => {
    expect(positions({ oracle: { stale_high_s: 3600 } })).toEqual(['policy.oracle']);
    for (const open of [
      [[5, 5]],
      [
        [0, 5],
        [4, 6],
      ],
      [
        [10, 20],
        [0, 5],
      ],
    ]) {
      expect(positions({ market_hours: [{ name: 'x', open }] })).toEqual(['policy.market_hours x']);
    }
  });
});
