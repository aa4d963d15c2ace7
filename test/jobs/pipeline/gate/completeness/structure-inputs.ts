// Inputs of what the analytics know about structure: rate models, tranches of borrowers, holdings, pools.
import { borrowing } from '../../../../../jobs/borrowing/domain.ts';
import { exposure } from '../../../../../jobs/exposure/domain.ts';
import { lending } from '../../../../../jobs/lending/domain.ts';
import { oracles } from '../../../../../jobs/oracles/domain.ts';
import { pools } from '../../../../../jobs/pools/domain.ts';
import { sources } from '../../../../../jobs/sources/domain.ts';
import { DAY, each, every, type FamilyInputs, HOUR, noise } from './family-inputs.ts';

const MARKETS = ['0x01', '0x02'];
const of = (market_id: string, observed_at: number) => ({ chain: 'ethereum', market_id, observed_at });
const FALLS = [0, 0.1, 0.3, 0.6, 1];

export const borrowingInputs: FamilyInputs = {
  id: 'borrowing',
  domains: [sources, oracles, lending, borrowing],
  tables: {
    market_rate_model: each(MARKETS, every(6 * HOUR), (market_id, observed_at) => ({
      ...of(market_id, observed_at),
      kind: 'adaptive',
      rate_at_target: 0.04 + 0.01 * noise('rate', market_id, observed_at),
    })),
    borrower_tranche: every(6 * HOUR).flatMap((at) =>
      each(MARKETS, [at], (market_id) =>
        FALLS.slice(0, -1).map((fall_from, place) => ({
          ...of(market_id, at),
          fall_from,
          fall_to: FALLS[place + 1] ?? 1,
          debt_usd: 1_000 + Math.floor(100 * noise(market_id, at, place)),
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
  domains: [sources, oracles, lending, exposure],
  tables: {
    vault_allocation: every(6 * HOUR).flatMap((at) =>
      each(['0xa1', '0xa2'], [at], (vault_address) =>
        HELD.map((held, place) => ({
          chain: 'ethereum',
          vault_address,
          observed_at: at,
          held_kind: 'market',
          held,
          value_usd: 100 + place + Math.floor(10 * noise(vault_address, at)),
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
