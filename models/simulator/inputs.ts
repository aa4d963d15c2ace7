// The input of a simulation: shocks, markets and positions. Amounts are in USD at the initial prices; prices, utilisation and depth move
// by factors on their initial values, so a factor of 1 is no change.

import type { ShockKind } from '../../schemas/shocks.ts';
import type { LoanRules, OracleKind } from '../../schemas/simulator-request.ts';

/** [hour, factor], hours ascending. */
export type ShockPath = readonly (readonly [number, number])[];

export interface Shock {
  readonly kind: ShockKind;
  readonly subject: string;
  readonly path: ShockPath;
}

export type RateCurve =
  | {
      readonly kind: 'kinked';
      readonly base: number;
      readonly slope1: number;
      readonly slope2: number;
      readonly optimal: number;
    }
  | { readonly kind: 'adaptive'; readonly rate_at_target: number }
  /** The last known rate, for a market with an unknown curve. */
  | { readonly kind: 'held'; readonly rate: number };

export interface Collateral {
  readonly asset: string;
  readonly usd: number;
  /** Share of the value that counts against the debt. */
  readonly threshold: number;
  /** Bonus of a liquidator, as a fraction of the amount repaid. */
  readonly bonus: number;
  /** Share of the bonus that the protocol keeps. */
  readonly protocol_fee: number;
}

export interface Debt {
  readonly asset: string;
  readonly usd: number;
  /** Market in which the debt is owed and whose interest it accrues; null if not given. */
  readonly market: string | null;
}

export interface Loan {
  /** Market of the loan, whose oracle applies; null if only the assets are known. */
  readonly market: string | null;
  readonly rules: LoanRules;
  readonly oracle: OracleKind;
  readonly collateral: readonly Collateral[];
  readonly debt: readonly Debt[];
}

export interface SimulatedMarket {
  readonly id: string;
  /** The lent asset. */
  readonly asset: string;
  readonly supplied_usd: number;
  readonly borrowed_usd: number;
  readonly withdrawable_usd: number;
  /** Null if neither a curve nor a last rate is known. */
  readonly curve: RateCurve | null;
  /** Share of the interest that the protocol keeps. */
  readonly reserve_factor: number | null;
  /** Asset of all collateral; null if it is pooled, so that any asset may be collateral. */
  readonly collateral: string | null;
  /** All loans of the market, in groups; null if the borrowers are unknown. */
  readonly loans: readonly Loan[] | null;
  /** What is known of borrowers whose loans are null: all of them have collateral worth at least their debt. */
  readonly is_covered?: boolean;
}

/** What the request names but the simulation lacks. */
export interface MissingInputs {
  readonly loans: readonly {
    readonly collateral: readonly Pick<Collateral, 'asset'>[];
    readonly debt: readonly Pick<Debt, 'asset' | 'market'>[];
  }[];
  /** Markets whose amounts are unknown. */
  readonly markets: readonly {
    readonly id: string;
    readonly asset: string | null;
    readonly collateral: string | null;
  }[];
  /** Vaults whose holdings are unknown. */
  readonly vaults: readonly { readonly id: string; readonly asset: string | null }[];
}

export interface SimulatedVault {
  readonly id: string;
  /** Asset that the vault accepts. */
  readonly asset: string;
  /** Supply of the vault to known markets, in the order in which it withdraws. */
  readonly holdings: readonly { readonly market: string; readonly usd: number }[];
  /** Amount ready to be withdrawn. */
  readonly idle_usd: number;
  /** Amount held in unknown places, assumed to stay unchanged. */
  readonly unknown_usd: number;
}

export type Position = { readonly key: string } & (
  | { readonly kind: 'supply'; readonly market: string; readonly usd: number }
  | { readonly kind: 'borrow'; readonly loan: Loan }
  | { readonly kind: 'vault'; readonly vault: string; readonly usd: number }
  | { readonly kind: 'pool'; readonly pool: PoolShares; readonly usd: number }
);

/** What a pool position holds. Values are shares of the initial pool and add up to 1. */
export type PoolShares =
  | { readonly kind: 'product'; readonly assets: readonly string[] }
  | {
      readonly kind: 'stable';
      readonly assets: readonly string[];
      readonly amplification: number;
      /** Balance of each coin, in units of equal worth. */
      readonly balances: readonly number[];
    };

export interface SimulationInput {
  readonly shocks: readonly Shock[];
  /** How prices follow that of the asset with the market's shock: with a factor of 1 + β · (factor − 1). */
  readonly betas: { readonly source: string; readonly of: ReadonlyMap<string, number> } | null;
  /** Amount that can be sold at 100 bps, USD, by asset; the depth of a missing asset is unknown. */
  readonly depths: ReadonlyMap<string, number>;
  readonly markets: readonly SimulatedMarket[];
  readonly vaults: readonly SimulatedVault[];
  readonly positions: readonly Position[];
  readonly horizon_hours: number;
  /** The positions withdraw before all others; otherwise all holders of a market share its liquidity pro rata. */
  readonly first_to_leave?: boolean;
  readonly missing?: MissingInputs;
}
