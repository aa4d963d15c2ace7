// A simulation over published inputs: determines the β and the depth of assets first, and leaves out what lacks them.
import type { ExitInputs, ReturnInputs } from '../../schemas/analytics.ts';
import { largerDepth, type PooledDepth } from '../pool-depth.ts';
import { betaOf } from './betas.ts';
import type { Loan, Position, SimulatedMarket, SimulationInput } from './inputs.ts';
import { type Outcome, simulate } from './simulate.ts';

export interface Calculation {
  readonly input: Omit<SimulationInput, 'betas' | 'depths'>;
  /** Asset that others follow; null if each holds its price. */
  readonly beta_source: string | null;
  /** Assets without a price shock of their own. */
  readonly followers: readonly string[];
  /** Values that replace published inputs. */
  readonly assumed_betas: ReadonlyMap<string, number>;
  readonly assumed_depths: ReadonlyMap<string, number>;
  /** By asset, names of the `exit-inputs` documents that state how much of it can be sold. */
  readonly depth_documents: ReadonlyMap<string, readonly string[]>;
  /** By asset, the amount that pools take; its returns are then among the documents. */
  readonly pooled_depths: ReadonlyMap<string, PooledDepth>;
}

/** Amount of an asset that can be sold at 100 bps, and where the figure comes from; null if unknown. */
export interface AssetDepth {
  readonly usd: number;
  readonly from: 'assumed' | 'reported' | 'pools';
}

export interface CalculationResult {
  readonly outcome: Outcome;
  /** Assets with an unknown β, and the number of their known hours. */
  readonly unknown_betas: ReadonlyMap<string, number>;
  /** Positions left out because they depend on such an asset. */
  readonly left_out: ReadonlySet<string>;
  /** Markets whose loans were left out for the same reason. */
  readonly loans_left_out: ReadonlySet<string>;
  /** By asset that may be sold. */
  readonly depths: ReadonlyMap<string, AssetDepth | null>;
}

/** Name of the document with the returns of an asset. */
export const returnsName = (asset: string): string => `returns|${asset}`;

/** `documents`: `returns|<symbol>` of the source and the followers, and the documents in `depth_documents`, as far as published. */
export function calculate(
  calculation: Calculation,
  documents: Readonly<Record<string, unknown>>,
): CalculationResult {
  const { input, beta_source } = calculation;
  const { betas, unknown } = betasOf(calculation, documents);
  const usable = withoutUnknown(input, new Set(unknown.keys()));
  const depths = depthsOf(calculation, documents);
  const outcome = simulate({
    ...usable.input,
    betas: beta_source === null ? null : { source: beta_source, of: betas },
    depths: new Map([...depths].flatMap(([asset, depth]) => (depth === null ? [] : [[asset, depth.usd]]))),
  });
  return {
    ...{ outcome, depths, unknown_betas: unknown },
    ...{ left_out: usable.leftOut, loans_left_out: usable.loansLeftOut },
  };
}

function betasOf(
  { beta_source, followers, assumed_betas }: Calculation,
  documents: Readonly<Record<string, unknown>>,
): { readonly betas: ReadonlyMap<string, number>; readonly unknown: ReadonlyMap<string, number> } {
  const betas = new Map<string, number>();
  const unknown = new Map<string, number>();
  if (beta_source === null) return { betas, unknown };
  const source = documents[returnsName(beta_source)] as ReturnInputs | undefined;
  for (const asset of followers) {
    const own = documents[returnsName(asset)] as ReturnInputs | undefined;
    const found = source === undefined || own === undefined ? { beta: null, hours: 0 } : betaOf(own, source);
    const beta = assumed_betas.get(asset) ?? found.beta;
    if (beta === null) unknown.set(asset, found.hours);
    else betas.set(asset, beta);
  }
  return { betas, unknown };
}

/** The caller's assumption, else the larger of what pools take and what the deepest of the markets reports. */
function depthsOf(
  { assumed_depths, depth_documents, pooled_depths }: Calculation,
  documents: Readonly<Record<string, unknown>>,
): ReadonlyMap<string, AssetDepth | null> {
  const found = [...depth_documents].map(([asset, names]): [string, AssetDepth | null] => {
    const reported = names.flatMap((name) => (documents[name] as ExitInputs | undefined)?.depth_usd ?? []);
    const returns = documents[returnsName(asset)] as ReturnInputs | undefined;
    const pooled = pooled_depths.get(asset) ?? null;
    const largest = reported.length === 0 ? null : Math.max(...reported);
    return [asset, largerDepth(largest, pooled, returns?.price_usd ?? null)];
  });
  const assumed = [...assumed_depths].map(([asset, usd]) => [asset, { usd, from: 'assumed' }] as const);
  return new Map([...found, ...assumed]);
}

const isCovered = ({ collateral, debt }: Loan): boolean => usdOf(collateral) >= usdOf(debt);
const usdOf = (amounts: readonly { readonly usd: number }[]): number =>
  amounts.reduce((sum, { usd }) => sum + usd, 0);

function withoutUnknown(input: Calculation['input'], unknown: ReadonlySet<string>) {
  const needs = (loan: Loan) => [...loan.collateral, ...loan.debt].some(({ asset }) => unknown.has(asset));
  const loansLeftOut = new Set<string>();
  const markets = input.markets.map((market): SimulatedMarket => {
    if (market.loans === null || !market.loans.some(needs)) return market;
    loansLeftOut.add(market.id);
    return { ...market, loans: null, is_covered: market.loans.every(isCovered) };
  });
  const assetOf = new Map([...input.markets, ...input.vaults].map(({ id, asset }) => [id, asset] as const));
  const isUnknown = (position: Position): boolean => {
    if (position.kind === 'borrow') return needs(position.loan);
    if (position.kind === 'pool') return position.pool.assets.some((asset) => unknown.has(asset));
    return unknown.has(assetOf.get(position.kind === 'supply' ? position.market : position.vault) ?? '');
  };
  const leftOut = new Set(input.positions.filter(isUnknown).map(({ key }) => key));
  const positions = input.positions.filter(({ key }) => !leftOut.has(key));
  const loans = input.positions.flatMap((position) =>
    position.kind === 'borrow' && leftOut.has(position.key) ? [position.loan] : [],
  );
  const { missing } = input;
  const all = { markets: [], vaults: [], ...missing, loans: [...(missing?.loans ?? []), ...loans] };
  return { input: { ...input, markets, positions, missing: all }, leftOut, loansLeftOut };
}
