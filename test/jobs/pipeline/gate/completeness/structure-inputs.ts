// Inputs of the analytics about structure: rate models, tranches of borrowers, holdings, pools; and inputs of their backtests.
import { analytics } from '../../../../../jobs/families/analytics/domain.ts';
import { borrowing } from '../../../../../jobs/families/borrowing/domain.ts';
import { exposure } from '../../../../../jobs/families/exposure/domain.ts';
import { lending } from '../../../../../jobs/families/lending/domain.ts';
import { oracles } from '../../../../../jobs/families/oracles/domain.ts';
import { pools } from '../../../../../jobs/families/pools/domain.ts';
import { sources } from '../../../../../jobs/families/sources/domain.ts';
import { yields } from '../../../../../jobs/families/yields/domain.ts';
import { DAY, each, every, type FamilyInputs, HOUR, noise } from './family-inputs.ts';

const MARKETS = ['0x01', '0x02'];
const of = (market_id: string, observed_at: number) => ({ chain: 'ethereum', market_id, observed_at });
const FALLS = [0, 0.1, 0.3, 0.6, 1];

export const borrowingInputs: FamilyInputs = {
  id: 'borrowing',
  domains: [sources, oracles, pools, lending, borrowing],
  tables: {
    market_rate_model: each(MARKETS, every(6 * HOUR), (market_id, observed_at) => ({
      ...of(market_id, observed_at),
      kind: 'adaptive',
      rate_at_target: 0.04 + 0.01 * noise('rate', market_id, observed_at),
    })),
    borrower_tranche: every(6 * HOUR).flatMap((at) =>
      each(MARKETS, [at], (market_id) =>
        FALLS.slice(0, -1).map((fall_from, index) => ({
          ...of(market_id, at),
          fall_from,
          fall_to: FALLS[index + 1] ?? 1,
          debt_usd: 1_000 + Math.floor(100 * noise(market_id, at, index)),
          collateral_usd: 2_000,
          tranche_count: FALLS.length - 1,
        })),
      ).flat(),
    ),
  },
};

const HELD = ['0x01', '0x02', '0x03'];

export const exposureInputs: FamilyInputs = {
  id: 'exposure',
  domains: [sources, oracles, pools, lending, exposure],
  tables: {
    vault_allocation: every(6 * HOUR).flatMap((at) =>
      each(['0xa1', '0xa2'], [at], (vault_address) =>
        HELD.map((held, index) => ({
          chain: 'ethereum',
          vault_address,
          observed_at: at,
          held_kind: 'market',
          held,
          value_usd: 100 + index + Math.floor(10 * noise(vault_address, at)),
          vault_total_usd: 303 + 3 * Math.floor(10 * noise(vault_address, at)),
        })),
      ).flat(),
    ),
    asset_backing: every(2 * DAY).flatMap((observed_at) =>
      ['circle', 'bank'].map((held) => ({
        symbol: 'USDC',
        observed_at,
        held_kind: 'issuer',
        held,
        share: 0.5,
      })),
    ),
  },
};

export const poolInputs: FamilyInputs = {
  id: 'pools',
  domains: [pools],
  tables: {
    amm_pool_state: each(['0xc1', '0xc2'], every(HOUR), (pool, observed_at, at) => ({
      chain: 'ethereum',
      pool,
      observed_at,
      block_number: 1_000 + at,
      kind: 'product',
      fee_pips: 3_000,
      symbols: 'USDC,ETH',
      decimals: '6,18',
      reserves: `${5_000_000 + at},${10n ** 18n + BigInt(at)}`,
    })),
  },
};

const MIDNIGHTS = every(DAY);
const computed = (as_of: number) => ({ as_of, computed_at: as_of + 600 });

/** Written once a night, each with a row for every horizon and size, or for every step, level and model. */
export const backtestInputs: FamilyInputs = {
  id: 'backtests',
  domains: [sources, oracles, pools, lending, yields, analytics],
  tables: {
    exit_backtest: each(['all', 'ethereum:0x01', 'ethereum:0x02'], MIDNIGHTS, (id, as_of) =>
      [24, 168].flatMap((horizon_hours) =>
        [0, 0.01, 0.05, 0.2].map((size) => ({
          ...{ id, ...computed(as_of), horizon_hours, size },
          ...{ hours_known: 900, forecasts: 20, immediate: 5, open: 1, scored: 14 },
          ...{ exited: Math.floor(14 * noise(id, as_of, size)), brier: noise(id, as_of), climatology: 0.2 },
          ...{ blocks: 5, p_value: 0.5, bins: '[]', stranded: '[]', verdict: 'insufficient' },
        })),
      ),
    ).flat(),
    risk_backtest: each(['BTC', 'ETH'], MIDNIGHTS, (symbol, as_of) =>
      [1, 24].flatMap((step_hours) =>
        ['hs', 'ewma', 'fhs'].map((model) => ({
          ...{ symbol, ...computed(as_of), step_hours, level: 0.95, model },
          ...{ returns: 900, window_size: 720, trials: 180, expected: 9 },
          ...{ exceedances: Math.floor(18 * noise(symbol, as_of, model)), exceeded: '[]', worst: -0.01 },
        })),
      ),
    ).flat(),
  },
};
