// Value at risk and expected shortfall of a portfolio, the contribution of each position, and the error of the simulation.

import { HOUR_S } from '../../../platform/base/time.ts';
import {
  expectedShortfall,
  type Interval,
  quantileInterval,
  type TailMean,
} from '../../../models/estimates.ts';
import { gapOf } from '../../../models/gaps.ts';
import { type JointReturns, jointReturns } from '../../../models/joint-returns.ts';
import { type PortfolioRisk, portfolioRisk, simulateLosses } from '../../../models/portfolio.ts';
import { roundParts, roundTo, share, usd } from '../../../models/rounding.ts';
import type { AnalyticsGapEntry } from '../../../schemas/analytics.ts';
import type {
  PortfolioAnalysis,
  PortfolioContribution,
  PortfolioWarning,
} from '../../../schemas/portfolio.ts';
import { amountOf, type PortfolioInput, warningOf } from './portfolio-input.ts';
import { type Prices, seriesOf } from './prices.ts';

type VarBlock = NonNullable<PortfolioAnalysis['var']>;

export interface PriceRisk {
  readonly block: VarBlock;
  /** Losses of the covered positions per path, by opportunity id. */
  readonly losses: ReadonlyMap<string, Float64Array>;
  readonly warnings: readonly PortfolioWarning[];
}

const TAIL_975 = 0.975;
const HOURS_PER_DAY = 24;
const Z_95 = 1.959963984540054;
/** Relative standard error of expected shortfall above which more paths are recommended. */
const MAX_RELATIVE_ERROR = 0.1;
/** Hours without a return before a series counts as old. */
const OLD_HOURS = 24;

/** Null if no position has known prices. */
export function priceRiskOf(input: PortfolioInput, prices: Prices): PriceRisk | null {
  if (prices.held.length === 0) return null;
  const { paths, seed, horizon_days, confidence } = input;
  const joint = jointReturnsOf(prices);
  const horizon_hours = horizon_days * HOURS_PER_DAY;
  const ids = prices.held.map(({ position }) => position.opportunity.id);
  const holdings = prices.held.map(({ holding }) => holding);
  const losses = simulateLosses(joint.inputs, holdings, { hours: horizon_hours, paths, seed });
  const risk = portfolioRisk(losses, confidence);
  return {
    block: {
      confidence,
      horizon_hours,
      paths,
      covered_share: share(coveredBy(prices) / amountOf(input.positions)),
      covered_usd: usd(coveredBy(prices)),
      ...tailFigures(risk, confidence),
      attribution: attributionOf(ids, risk),
      inputs: inputsOf(prices, joint),
      gaps: gapsOf(prices, joint),
    },
    losses: new Map(ids.map((id, index) => [id, losses[index] ?? new Float64Array()])),
    warnings: [
      ...tailWarnings(risk.expected_shortfall, input),
      ...historyWarnings(prices, input, horizon_hours),
    ],
  };
}

const coveredBy = ({ held }: Prices): number => amountOf(held.map(({ position }) => position));

function jointReturnsOf(prices: Prices): JointReturns {
  const covered_usd = coveredBy(prices);
  const columns = prices.columns.map(({ inputs, beta, amount_usd }) => ({
    series: seriesOf(inputs),
    beta: beta ?? 1,
    weight: amount_usd / covered_usd,
  }));
  return jointReturns(prices.hours, columns);
}

function tailFigures(
  { ascending, var_usd, expected_shortfall }: PortfolioRisk,
  confidence: number,
): Pick<
  VarBlock,
  'var_usd' | 'var_ci95' | 'expected_shortfall' | 'expected_shortfall_975' | 'mean_loss_usd'
> {
  return {
    var_usd: usd(var_usd),
    var_ci95: intervalOf(quantileInterval(ascending, confidence)),
    expected_shortfall: tailOf(expected_shortfall),
    expected_shortfall_975: tailOf(expectedShortfall(ascending, TAIL_975)),
    mean_loss_usd: usd(ascending.reduce((sum, loss) => sum + loss, 0) / ascending.length),
  };
}

const gapsOf = ({ gaps }: Prices, { block }: JointReturns): AnalyticsGapEntry[] => [
  ...gaps,
  ...(block.is_assumed ? [gapOf('block_length_assumed')] : []),
  gapOf('not_calibrated'),
];

/** Contributions, to the cent, that add up to the rounded totals. */
function attributionOf(ids: readonly string[], risk: PortfolioRisk): PortfolioContribution[] {
  const { contributions, var_usd, expected_shortfall } = risk;
  const ofVar = roundParts(
    var_usd,
    contributions.map((one) => one.var_usd),
    2,
  );
  const ofShortfall = roundParts(
    expected_shortfall.value,
    contributions.map((one) => one.expected_shortfall_usd),
    2,
  );
  return contributions.map((one, index) => ({
    opportunity_id: ids[index] ?? '',
    var_usd: ofVar[index] ?? 0,
    expected_shortfall_usd: ofShortfall[index] ?? 0,
    marginal_var_usd: usd(one.marginal_var_usd),
    marginal_expected_shortfall_usd: usd(one.marginal_expected_shortfall_usd),
  }));
}

function inputsOf({ columns, hours }: Prices, { inputs, block }: JointReturns): VarBlock['inputs'] {
  return {
    hours_known: hours.length,
    from: isoTime(hours[0] ?? 0),
    to: isoTime((hours.at(-1) ?? 0) + HOUR_S),
    mean_block_hours: roundTo(block.value, 2),
    symbols: columns.map(({ symbol, source, beta, amount_usd, inputs: published }, index) => ({
      symbol,
      amount_usd: usd(amount_usd),
      sigma_hourly: roundTo(Math.abs(inputs.symbols[index]?.sigma_now ?? 0), 8),
      hours_known: published.hours.hour.length,
      feeds: [...published.feeds],
      beta: beta === null ? null : { to: source, value: beta, assumed: true },
    })),
  };
}

const isoTime = (seconds: number): string => new Date(seconds * 1000).toISOString().replace('.000Z', 'Z');

function tailOf({ value, standard_error }: TailMean): VarBlock['expected_shortfall'] {
  const half = Z_95 * standard_error;
  return {
    value_usd: usd(value),
    standard_error_usd: usd(standard_error),
    ci95: intervalOf({ from: value - half, to: value + half }),
  };
}

const intervalOf = ({ from, to }: Interval) => ({ from: usd(from), to: usd(to) });

/** The standard error falls with the square root of the number of paths. */
function tailWarnings({ value, standard_error }: TailMean, { paths }: PortfolioInput): PortfolioWarning[] {
  const ratio = standard_error / Math.abs(value);
  if (!(ratio > MAX_RELATIVE_ERROR) || ratio === Number.POSITIVE_INFINITY) return [];
  const factor = ratio / MAX_RELATIVE_ERROR;
  return [warningOf('few_tail_paths', null, Math.ceil(paths * factor * factor))];
}

function historyWarnings(
  { columns, hours }: Prices,
  { as_of }: PortfolioInput,
  horizon_hours: number,
): PortfolioWarning[] {
  const old = columns.flatMap(({ symbol, inputs }) => {
    const age = Math.floor((as_of - (inputs.hours.hour.at(-1) ?? 0) - HOUR_S) / HOUR_S);
    return age > OLD_HOURS ? [warningOf('returns_old', symbol, age)] : [];
  });
  return horizon_hours > hours.length
    ? [...old, warningOf('horizon_beyond_history', null, hours.length)]
    : old;
}
