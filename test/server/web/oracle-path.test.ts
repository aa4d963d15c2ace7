// States of the oracle of a market: what is not known never looks like what holds.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  assumptionUses,
  debtOf,
  idLists,
  ORACLE_STATES,
  type OracleAssumption,
  type OraclePath,
  severityIn,
  severityOf,
  statesOf,
  worstFirst,
} from '../../../server/web/browser/oracle-path.ts';

const assumption = (more: Partial<OracleAssumption> = {}): OracleAssumption => ({
  ...{ id: 'USDE=USDC', kind: 'constant', statement: 'One USDE is worth one USDC.', tested_by: '0xfe' },
  ...{ gap_bps: 3, effective_enter_bps: 200, is_broken: false, since_at: null },
  ...more,
});
const path = (more: Partial<OraclePath> = {}): OraclePath => ({
  ...{ chain: 'ethereum', market_id: '0x1', protocol: 'morpho', name: 'USDE/USDC', oracle_address: '0xf0' },
  ...{ kind: 'morpho_v2', kind_by: 'factory', verdict: 'verified', path_status: 'assumption' },
  ...{ base_symbol: 'USDE', quote_symbol: 'USDC', left_over: null, missing: null, failed_checks: [] },
  ...{
    scale_error_exponent: 0,
    legs: [],
    standby_address: null,
    assumptions: [assumption()],
    is_broken: false,
  },
  ...{ broken_since_at: null, changeable_by: [], price: '1', market_price: '1', gap_bps: 3, sources: 2 },
  ...{ debt_usd: 100, unrealised_bad_debt_low_usd: 0, unrealised_bad_debt_high_usd: 0 },
  ...{ unjust_liquidation_usd: 0, unjust_liquidation_high_usd: 0, phantom_interest_usd_day: 0 },
  ...{ gaps: [], doubts: [], path_at: 1, observed_at: 1 },
  ...more,
});

describe('states', () => {
  test.each([
    [{}, ['holds']],
    [{ verdict: 'wrong' }, ['wrong']],
    [{ verdict: 'unknown' }, ['path_unknown']],
    [{ verdict: 'unverified' }, ['unverified']],
    [{ is_broken: true }, ['broken']],
    [{ is_broken: null }, ['not_judged']],
    [{ gaps: ['price_old'] }, ['not_judged']],
    [{ doubts: ['single_source'] }, ['doubted']],
    [{ verdict: 'wrong', is_broken: null, doubts: ['single_source'] }, ['wrong', 'not_judged', 'doubted']],
  ] as const)('%j is %j', (more, states) => {
    expect(statesOf(path(more as Partial<OraclePath>))).toEqual(states);
  });

  test('taking any knowledge away never improves the worst state', () => {
    const any = fc.record({
      verdict: fc.constantFrom('verified', 'unverified', 'unknown', 'wrong'),
      is_broken: fc.constantFrom(true, false, null),
      gaps: fc.constantFrom<string[][]>([], ['price_old']),
      doubts: fc.constantFrom<string[][]>([], ['single_source']),
    });
    const worst = (one: Parameters<typeof statesOf>[0]) => ORACLE_STATES.indexOf(statesOf(one)[0] ?? 'holds');
    fc.assert(
      fc.property(any, (one) => {
        for (const less of [
          { ...one, is_broken: one.is_broken === true ? true : null },
          { ...one, verdict: one.verdict === 'wrong' ? one.verdict : ('unknown' as const) },
          { ...one, gaps: ['path_unread'] },
        ])
          expect(worst(less)).toBeLessThanOrEqual(worst(one));
      }),
    );
  });

  test('the worst comes first, then the largest debt; an unknown debt comes last of its state', () => {
    const list = [
      path({ market_id: 'a', debt_usd: null, is_broken: null }),
      path({ market_id: 'b', debt_usd: 5, is_broken: null }),
      path({ market_id: 'c' }),
      path({ market_id: 'd', verdict: 'wrong' }),
    ];
    expect(worstFirst(list).map(({ market_id }) => market_id)).toEqual(['d', 'b', 'a', 'c']);
  });
});

describe('severity of a break', () => {
  const broken = (more: Partial<OracleAssumption>, of: Partial<OraclePath> = {}) =>
    severityOf(path({ assumptions: [assumption({ is_broken: true, ...more })], is_broken: true, ...of }));

  test.each([
    ['too much of the collateral is assumed', { gap_bps: 300 }, {}, 'high'],
    ['too little of it', { gap_bps: -300 }, {}, 'warn'],
    [
      'too little, and healthy loans can be liquidated',
      { gap_bps: -300 },
      { unjust_liquidation_usd: 1 },
      'high',
    ],
    ['debt is not covered', { gap_bps: 300 }, { unrealised_bad_debt_low_usd: 0.01 }, 'critical'],
    ['the sign is not known', { gap_bps: null }, {}, 'high'],
    ['too much of the loan is assumed', { id: 'USDC=USD', kind: 'equality', gap_bps: 300 }, {}, 'warn'],
    ['too little of the loan', { id: 'USDC=USD', kind: 'equality', gap_bps: -300 }, {}, 'high'],
  ] as const)('%s', (_, more, of, severity) => {
    expect(broken(more, of)).toBe(severity);
  });

  test('a leg that divides turns the sign', () => {
    const leg = { contract: '0xfeed', side: 'quote' } as OraclePath['legs'][number];
    const feed = { id: 'feed:0xfeed', kind: 'feed', gap_bps: 300 };
    expect(broken(feed, { legs: [leg] })).toBe('warn');
    expect(broken(feed, { legs: [{ ...leg, side: 'base' }] })).toBe('high');
  });

  test('a failed check is critical, and nothing known to be wrong has none', () => {
    expect(severityOf(path({ verdict: 'wrong' }))).toBe('critical');
    expect(severityOf(path({ is_broken: null }))).toBeUndefined();
  });

  test('of one assumption of several oracles it is the worst', () => {
    const one = assumption({ id: 'USDC=USD', kind: 'equality', is_broken: true, gap_bps: 300 });
    const paths = [path(), path({ quote_symbol: 'USD' })];
    expect([severityIn(one, paths.slice(0, 1)), severityIn(one, paths)]).toEqual(['warn', 'high']);
  });
});

test('uses of assumptions: broken ones, then those that nothing judges; the same id on another chain is another one', () => {
  const [a, b, c] = [
    assumption(),
    assumption({ id: 'B', is_broken: null }),
    assumption({ id: 'C', is_broken: true }),
  ];
  const shared = assumptionUses([
    path({ assumptions: [a, b] }),
    path({ market_id: '0x2', assumptions: [a, c] }),
    path({ chain: 'base', market_id: '0x3', assumptions: [a] }),
  ]);
  expect(shared.map(({ chain, assumption: { id }, paths }) => [chain, id, paths.length])).toEqual([
    ['ethereum', 'C', 1],
    ['ethereum', 'B', 1],
    ['ethereum', 'USDE=USDC', 2],
    ['base', 'USDE=USDC', 1],
  ]);
});

test('a sum with an unknown debt is unknown, never a smaller sum', () => {
  expect(debtOf([{ debt_usd: 1 }, { debt_usd: 2 }])).toBe(3);
  expect(debtOf([{ debt_usd: 1 }, { debt_usd: null }])).toBeUndefined();
});

test('ids are asked for in order, in lists that the service takes and that are no shorter than needed', () => {
  expect(idLists([])).toEqual([]);
  const ids = fc.array(fc.stringMatching(/^0x[0-9a-f]{1,64}$/), { maxLength: 60 });
  fc.assert(
    fc.property(ids, (all) => {
      const lists = idLists(all);
      expect(lists.flatMap((list) => list.split(','))).toEqual(all);
      for (const [index, list] of lists.entries()) {
        expect(list.length).toBeLessThanOrEqual(1_000);
        const next = lists[index + 1]?.split(',')[0];
        if (next !== undefined) expect(`${list},${next}`.length).toBeGreaterThan(1_000);
      }
    }),
  );
});
