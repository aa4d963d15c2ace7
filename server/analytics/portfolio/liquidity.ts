// How quickly a portfolio can be exited: what is withdrawable now, simulated exits from lending markets, and value at risk including the
// cost of exit (Bangia, Diebold, Schuermann and Stroughair 1999).
import { type Calibration, calibrationGaps } from '../../../models/calibration-gaps.ts';
import { ascendingOf, quantile, wilsonInterval } from '../../../models/estimates.ts';
import { simulateExit } from '../../../models/exit.ts';
import { bucketGaps, exitBasis } from '../../../models/exit-market.ts';
import { gapOf } from '../../../models/gaps.ts';
import { type Depth, largerDepth, RESERVES_PER_DEPTH } from '../../../models/pool-depth.ts';
import { share, usd } from '../../../models/rounding.ts';
import { withdrawableFrom } from '../../../models/withdrawable.ts';
import { keyOf } from '../../../models/vault-flow.ts';
import { vaultSetExit } from '../../../models/vault-set-exit.ts';
import type { AnalyticsGapEntry, ExitInputs } from '../../../schemas/analytics.ts';
import type { PortfolioAnalysis, PortfolioWarning } from '../../../schemas/portfolio.ts';
import { PORTFOLIO } from '../../../schemas/values.ts';
import { chainOfId, unwrapped } from '../../../schemas/wrapped-coins.ts';
import { claimsOf, contractOf, exceedsSupply, hiddenShareOf, type MarketClaim } from './claims.ts';
import {
  amountOf,
  type PortfolioInput,
  type PositionInput,
  type VaultPositions,
  warningOf,
} from './portfolio-input.ts';
import type { ReturnsOf } from './prices.ts';

type Liquidity = NonNullable<PortfolioAnalysis['liquidity']>;
type PositionLiquidity = Liquidity['positions'][number];

export interface LiquidityResult {
  /** Null if nothing is known about any position. */
  readonly block: Liquidity | null;
  readonly gaps: readonly AnalyticsGapEntry[];
  readonly warnings: readonly PortfolioWarning[];
}

/** Published inputs of a market; undefined if there are none. */
export type ExitsOf = (market: string) => ExitInputs | undefined;

interface Sources {
  readonly exitsOf: ExitsOf;
  readonly returnsOf: ReturnsOf;
}

interface Market {
  readonly inputs: ExitInputs;
  /** Null if unknown. */
  readonly withdrawable_usd: number | null;
  readonly is_limited: boolean;
  readonly depth: Depth | null;
  /** All positions in the market, directly and through vaults. */
  readonly amount_usd: number;
  readonly positions: number;
  readonly exits: ExitChances;
}

export function liquidityOf(
  input: PortfolioInput,
  sources: Sources,
  losses: ReadonlyMap<string, Float64Array>,
): LiquidityResult {
  const { positions } = input;
  const claims = claimsOf(positions, input.graph);
  const markets = marketsOf(input, claims, sources);
  const contracts = contractsOf(positions);
  const rows = positions.map((position) =>
    positionOf(position, {
      market: markets.get(position.market ?? ''),
      contract: contracts.get(contractOf(position)),
      throughMarkets: shareThroughMarkets(position, claims, markets),
      hiddenShare: hiddenShareOf(position, input.graph),
    }),
  );
  const known = rows.filter(({ withdrawable_usd }) => withdrawable_usd !== null);
  const isKnown = new Set(known.map(({ opportunity_id }) => opportunity_id));
  const covered = amountOf(positions.filter(({ opportunity }) => isKnown.has(opportunity.id)));
  if (known.length === 0 && rows.every(({ exit_probability }) => exit_probability === null))
    return { block: null, gaps: rows.flatMap(({ gaps }) => gaps), warnings: [] };
  const withdrawable = known.reduce((sum, row) => sum + (row.withdrawable_usd ?? 0), 0);
  const { paths, max_slippage_bps } = PORTFOLIO.exit;
  const block: Liquidity = {
    withdrawable_usd: covered > 0 ? usd(withdrawable) : null,
    withdrawable_share: covered > 0 ? share(Math.min(1, withdrawable / covered)) : null,
    covered_share: share(covered / amountOf(positions)),
    exit: { paths, max_slippage_bps },
    positions: rows,
    lvar: lvarOf(input, rows, losses),
    gaps: rows.flatMap(({ gaps }) => gaps),
  };
  return { block, gaps: [], warnings: warningsAbout(markets) };
}

const warningsAbout = (markets: ReadonlyMap<string, Market>): readonly PortfolioWarning[] =>
  [...markets].flatMap(([id, { positions, amount_usd, inputs, is_limited }]) => [
    ...(positions > 1 ? [warningOf('shared_market', id, positions)] : []),
    ...exceedsSupply(id, amount_usd, inputs.supplied_usd),
    ...(is_limited ? [warningOf('withdrawable_limited', id)] : []),
  ]);

function marketsOf(
  { calibrations, pooled, seed }: PortfolioInput,
  claims: readonly MarketClaim[],
  { exitsOf, returnsOf }: Sources,
): ReadonlyMap<string, Market> {
  const found = new Map<string, Market>();
  for (const [id, held] of Map.groupBy(claims, ({ market }) => market)) {
    const inputs = exitsOf(id);
    if (inputs === undefined) continue;
    const amount_usd = amountOf(held);
    const calibration = calibrations[id] ?? null;
    const symbol = unwrapped(inputs.loan_symbol ?? '', chainOfId(id));
    const price_usd = returnsOf(symbol)?.price_usd ?? null;
    const depth = largerDepth(inputs.depth_usd, pooled[symbol] ?? null, price_usd);
    const exits = exitChancesOf({ inputs, depth, amount_usd, calibration, seed });
    const { supplied_usd, withdrawable_usd: reported } = inputs;
    const { usd: withdrawable_usd, isLimited: is_limited } =
      supplied_usd === null
        ? { usd: reported, isLimited: false }
        : withdrawableFrom({ ...inputs, supplied_usd });
    const count = new Set(held.map(({ position }) => position)).size;
    found.set(id, { inputs, withdrawable_usd, is_limited, depth, amount_usd, positions: count, exits });
  }
  return found;
}

/** A contract that several positions are in. */
interface Contract {
  readonly amount_usd: number;
  /** The smallest figure, if the positions report several for one contract; null if unknown. */
  readonly available_usd: number | null;
}

function contractsOf(positions: readonly PositionInput[]): ReadonlyMap<string, Contract> {
  const groups = [...Map.groupBy(positions, contractOf)].map(([id, held]): [string, Contract] => {
    const known = held.flatMap(({ opportunity }) => opportunity.availableLiquidityUsd ?? []);
    return [
      id,
      { amount_usd: amountOf(held), available_usd: known.length === 0 ? null : Math.min(...known) },
    ];
  });
  return new Map(groups);
}

/** What the markets behind a vault let out of it, as a share; null if that of one of them, or a part of the vault, is unknown. */
function shareThroughMarkets(
  position: PositionInput,
  claims: readonly MarketClaim[],
  markets: ReadonlyMap<string, Market>,
): number | null {
  if (position.market !== null) return 1;
  let stuck = 0;
  for (const { position: holder, market: id, amount_usd } of claims) {
    if (holder !== position) continue;
    const market = markets.get(id);
    if (market === undefined || market.withdrawable_usd === null) return null;
    stuck += amount_usd * (1 - Math.min(1, market.withdrawable_usd / market.amount_usd));
  }
  return Math.max(0, 1 - stuck / position.amount_usd);
}

interface Surroundings {
  readonly market: Market | undefined;
  readonly contract: Contract | undefined;
  /** Null if unknown. */
  readonly throughMarkets: number | null;
  /** Share of a vault in unknown places. */
  readonly hiddenShare: number;
}

function positionOf(
  { opportunity, amount_usd }: PositionInput,
  { market, contract, throughMarkets, hiddenShare }: Surroundings,
): PositionLiquidity {
  // From the state of the market, otherwise as the opportunity reports it.
  const available = market?.withdrawable_usd ?? contract?.available_usd ?? null;
  const together = market?.amount_usd ?? contract?.amount_usd ?? amount_usd;
  const isPaused = opportunity.withdrawalState === 'paused';
  const through = hiddenShare > 0 ? null : throughMarkets;
  const part = isPaused
    ? 0
    : available === null || through === null
      ? null
      : Math.min(1, available / together, through);
  const depth = market?.depth?.usd ?? null;
  return {
    opportunity_id: opportunity.id,
    market: market?.inputs.id ?? null,
    withdrawable_usd: part === null ? null : usd(amount_usd * part),
    withdrawable_share: part === null ? null : share(part),
    withdrawal_state: opportunity.withdrawalState,
    lockup_seconds: opportunity.lockupSeconds,
    exit_probability: market?.exits.chances ?? null,
    exit_cost_usd:
      depth === null ? null : usd((amount_usd * together) / (RESERVES_PER_DEPTH * depth + together)),
    gaps: [
      ...(market === undefined ? [gapOf('depth_unknown', { subject: opportunity.id })] : market.exits.gaps),
      ...(hiddenShare > 0
        ? [gapOf('lookthrough_incomplete', { subject: opportunity.id, share: share(hiddenShare) })]
        : []),
      ...(throughMarkets === null ? [gapOf('state_unknown', { subject: opportunity.id })] : []),
    ],
  };
}

function lvarOf(
  { positions, confidence }: PortfolioInput,
  rows: readonly PositionLiquidity[],
  losses: ReadonlyMap<string, Float64Array>,
): Liquidity['lvar'] {
  const both = rows.flatMap(({ opportunity_id, exit_cost_usd }) => {
    const own = losses.get(opportunity_id);
    return own === undefined || exit_cost_usd === null ? [] : [{ opportunity_id, own, exit_cost_usd }];
  });
  const [first] = both;
  if (first === undefined) return null;
  const total = first.own.map((_, path) => both.reduce((sum, { own }) => sum + (own[path] ?? 0), 0));
  const var_usd = usd(quantile(ascendingOf(total), confidence));
  const exit_cost_usd = usd(both.reduce((sum, one) => sum + one.exit_cost_usd, 0));
  const ids = new Set(both.map(({ opportunity_id }) => opportunity_id));
  const covered = amountOf(positions.filter(({ opportunity }) => ids.has(opportunity.id)));
  const covered_share = share(covered / amountOf(positions));
  return { value_usd: usd(var_usd + exit_cost_usd), var_usd, exit_cost_usd, covered_share };
}

interface ExitChances {
  /** Null if the history is too short, or the state or the depth is unknown. */
  readonly chances:
    | {
        readonly within_hours: number;
        readonly value: number;
        readonly ci95: { readonly from: number; readonly to: number };
      }[]
    | null;
  readonly gaps: readonly AnalyticsGapEntry[];
}

interface ExitChanceInput {
  readonly inputs: ExitInputs;
  readonly depth: Depth | null;
  /** All positions in the market together, because they leave together. */
  readonly amount_usd: number;
  /** The market's calibration verdict; null without one. */
  readonly calibration: Calibration | null;
  readonly seed: number;
}

/** Probability that the whole amount leaves a market. */
function exitChancesOf({ inputs, depth, amount_usd, calibration, seed }: ExitChanceInput): ExitChances {
  const basis = exitBasis(inputs, null, null, depth);
  const gaps = basis.gaps
    .filter(({ gap }) => gap !== 'price_unknown')
    .map((one) => ({ ...one, subject: one.subject ?? inputs.id }));
  if (basis.market === null) return { chances: null, gaps };
  const { paths, within_hours, max_slippage_bps } = PORTFOLIO.exit;
  const plan = {
    position_usd: amount_usd,
    horizon_hours: Math.max(...within_hours),
    max_slippage_bps,
    slices: 1,
    seed,
  };
  const { exit_hour } = simulateExit(basis.market, plan, 0, paths);
  const chances = within_hours.map((hours) => {
    const left = exit_hour.filter((hour) => hour >= 0 && hour <= hours).length;
    const { from, to } = wilsonInterval(left, paths);
    return { within_hours: hours, value: share(left / paths), ci95: { from: share(from), to: share(to) } };
  });
  const ofBuckets = bucketGaps(basis, basis.bucket === null ? [] : [basis.bucket]);
  return {
    chances,
    gaps: [
      ...gaps,
      ...ofBuckets.map((one) => ({ ...one, subject: inputs.id })),
      ...calibrationGaps(calibration, inputs.id),
    ],
  };
}

export interface VaultsTogether {
  readonly block: PortfolioAnalysis['vaults_together'];
  readonly warnings: readonly PortfolioWarning[];
}

/** What vaults can pay the positions together: each on its own promises the cash of a market to all of them. Null for fewer than two vaults. */
export function vaultsTogether({ positions, inside, isDoubtful }: VaultPositions): VaultsTogether {
  if (positions.length < 2) return { block: null, warnings: [] };
  const all = new Map(
    [...inside, ...positions.flatMap(({ vault }) => vault ?? [])].map((vault) => [keyOf(vault.row), vault]),
  );
  const exit = vaultSetExit({ positions, vaultOf: (key) => all.get(key), isDoubtful });
  const { alone_sum_usd, together_usd, shortfall_usd, shared, gaps } = exit;
  return {
    block: { vaults: positions.length, alone_sum_usd, together_usd, shortfall_usd, shared, gaps },
    warnings:
      shortfall_usd !== null && shortfall_usd > 0
        ? [warningOf('shared_vault_cash', null, shortfall_usd)]
        : [],
  };
}
