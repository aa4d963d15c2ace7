// Lending markets, yields, anomalies, extraction, and the regime of the market.
import { ownMember } from '../../../platform/base/own-member.ts';
import { kindIn, onChain, ruleOf, type StoryFacts, subjectOf } from './story-facts.ts';
import {
  bps,
  dollars,
  joined,
  list,
  moment,
  number,
  numberIn,
  percent,
  points,
  price,
  readableName,
  short,
  textIn,
} from './story-text.ts';

export function utilizationSpike(facts: StoryFacts): string {
  const { data, ts } = facts.event;
  const [used, threshold] = [numberIn(data, 'utilization'), numberIn(data, 'threshold')];
  return joined(
    used === undefined
      ? `The utilization of the market ${subjectOf(facts)} crossed its limit on ${moment(ts)}`
      : `${percent(used)} of what is supplied to the market ${subjectOf(facts)} was lent on ${moment(ts)}`,
    threshold === undefined ? undefined : `: its utilization reached the limit of ${percent(threshold)}`,
  );
}

export function depthCollapse(facts: StoryFacts): string {
  const { data, ts } = facts.event;
  const [depth, median] = [numberIn(data, 'depth_usd'), numberIn(data, 'median_usd')];
  const limit = ruleOf(facts, 'lending.depth.collapse_at');
  const share = depth === undefined || median === undefined || median <= 0 ? undefined : depth / median;
  // A drained market is reported for what can be withdrawn, not for its depth.
  const isDrained = data['is_drained'] === true;
  return joined(
    depth === undefined
      ? `The exit depth of the market ${subjectOf(facts)} collapsed on ${moment(ts)}`
      : `${dollars(depth)} could be withdrawn from the market ${subjectOf(facts)} and sold at a slippage of ${bps(100)} or less on ${moment(ts)}`,
    median === undefined || share === undefined
      ? undefined
      : `, ${percent(share)} of the median of ${dollars(median)} in the 24 hours before`,
    isDrained || limit === undefined || share === undefined
      ? undefined
      : `, and no more than the limit of ${percent(limit)}`,
    isDrained ? ': almost none of the supply can be withdrawn' : undefined,
  );
}

export function factorBreach(facts: StoryFacts): string {
  const { event } = facts;
  const { data, ts, severity } = event;
  const [old, now] = [numberIn(data, 'old_score'), numberIn(data, 'new_score')];
  const [delta, threshold] = [numberIn(data, 'delta'), numberIn(data, 'threshold')];
  const category = kindIn(event, 'category');
  return joined(
    `The ${category === undefined ? 'risk-factor' : category} score of the yield ${subjectOf(facts)} fell`,
    delta === undefined ? undefined : ` by ${points(Math.abs(delta))} points`,
    old === undefined || now === undefined ? undefined : `, from ${points(old)} to ${points(now)} of 100,`,
    ` on ${moment(ts)}`,
    threshold === undefined
      ? undefined
      : `, past the threshold of ${points(threshold)} points${severity === undefined ? '' : ` for ${severity}`}`,
  );
}

interface Metric {
  readonly what: string;
  /** What the baseline is. */
  readonly against: string;
  readonly text: (value: number) => string;
}

const METRICS: Readonly<Record<string, Metric>> = {
  tvl_drop: { what: 'The value locked in', against: 'expected from the day before', text: dollars },
  tvl_spike: { what: 'The value locked in', against: 'expected from the day before', text: dollars },
  flow: { what: 'The net flow of the day of', against: 'expected', text: dollars },
  concentration: {
    what: 'The share of the largest holders of',
    against: 'expected from the day before',
    text: percent,
  },
  whale: { what: 'A transfer of', against: 'on a usual day at most', text: dollars },
  redemption_rate_drop: { what: 'The redemption rate of', against: 'before', text: price },
};

/** Who or what the anomaly is about, from the parts of the event that are known. */
function anomalyOf({ event, names }: StoryFacts): string {
  const { data } = event;
  const own = ['pool_id', 'entity_id'].map((name) => textIn(data, name)).find((id) => id !== undefined);
  const protocol = textIn(data, 'protocol') ?? event.protocol ?? undefined;
  const id = own === undefined ? undefined : (names[own] ?? short(own));
  const name = [id, protocol === undefined ? undefined : readableName(protocol)].filter(
    (part) => part !== undefined,
  );
  const chain = onChain(event);
  return name.length === 0
    ? chain === ''
      ? 'an unnamed subject'
      : chain.slice(4)
    : `${name.join(' of ')}${chain}`;
}

export function anomaly(facts: StoryFacts): string {
  const { data, ts } = facts.event;
  const type = textIn(data, 'anomaly_type');
  const metric = ownMember(METRICS, type ?? '');
  const value = numberIn(data, 'metric_value');
  const subject = anomalyOf(facts);
  const first =
    metric === undefined || value === undefined
      ? `An anomaly of ${subject} was found on ${moment(ts)}${type === undefined ? '' : `: ${readableName(type)}`}`
      : `${metric.what} ${subject} was ${metric.text(value)} on ${moment(ts)}`;
  return joined(
    first,
    metric && value !== undefined ? baselineClause(facts, metric) : undefined,
    scoreClause(facts),
  );
}

function baselineClause({ event: { data } }: StoryFacts, { against, text }: Metric): string | undefined {
  const baseline = numberIn(data, 'baseline_value');
  if (baseline === undefined) return undefined;
  const deviation = numberIn(data, 'deviation_pct');
  const isFlow = data['anomaly_type'] === 'flow';
  const away =
    deviation === undefined
      ? undefined
      : isFlow
        ? `; the difference is ${number(Math.abs(deviation))} % of the value locked the day before`
        : ` (${deviation < 0 ? '−' : '+'}${number(Math.abs(deviation))} %)`;
  return joined(`, against ${text(baseline)} ${against}`, away);
}

/** How unusual it is, against the threshold of its severity. */
function scoreClause(facts: StoryFacts): string | undefined {
  const { data, severity } = facts.event;
  const score = numberIn(data, 'score');
  if (score === undefined) return undefined;
  if (data['anomaly_type'] === 'redemption_rate_drop')
    return `, ${number(score)} times the fall that is reported`;
  const level = ruleOf(facts, `anomaly.${severity}_z`);
  const limit = level === undefined || score < level ? '' : `, ${severity} from ${number(level)} on`;
  return `; its deviation is ${number(score)} times the usual spread${limit}`;
}

export function mevSpike(facts: StoryFacts): string {
  const { data, ts } = facts.event;
  const [value, baseline] = [numberIn(data, 'metric_value'), numberIn(data, 'baseline_value')];
  const chain = onChain(facts.event);
  return joined(
    value === undefined
      ? `More was extracted from users${chain} on ${moment(ts)} than in a usual hour`
      : `${dollars(value)} had been extracted from users${chain} by ${moment(ts)}, since the hour began`,
    value === undefined || baseline === undefined
      ? undefined
      : `, against ${dollars(baseline)} in a usual hour`,
    scoreClause(facts),
  );
}

export function sandwich(facts: StoryFacts): string {
  const { data, ts } = facts.event;
  const [extracted, threshold] = [numberIn(data, 'extracted_usd'), numberIn(data, 'threshold_usd')];
  const victims = Array.isArray(data['victim_txs']) ? data['victim_txs'].length : undefined;
  const block = numberIn(data, 'block_number');
  return joined(
    `A sandwich attack in the pool ${subjectOf(facts)}`,
    extracted === undefined ? ' was found' : ` extracted ${dollars(extracted)} before gas`,
    victims === undefined
      ? undefined
      : ` from ${victims === 1 ? '1 transaction' : `${victims} transactions`}`,
    ` on ${moment(ts)}`,
    block === undefined ? undefined : ` in block ${block}`,
    threshold === undefined ? undefined : `; from ${dollars(threshold)} on it is large`,
  );
}

export function regimeShift(facts: StoryFacts): string {
  const { event } = facts;
  const [now, before] = [kindIn(event, 'regime_type'), kindIn(event, 'previous_regime_type')];
  const started = textIn(event.data, 'started_at');
  const confidence = numberIn(event.data, 'confidence');
  const least = ruleOf(facts, 'regime.min_confidence');
  return joined(
    `The market moved${before === undefined ? '' : ` from ${before}`}${now === undefined ? ' to another regime' : ` to ${now}`} on ${moment(event.ts)}`,
    started === undefined || started === event.ts ? undefined : `, since ${moment(started)}`,
    confidence === undefined
      ? undefined
      : `: ${percent(confidence)} of the weighted signals agree${least === undefined ? '' : `, and ${percent(least)} are needed`}`,
    signalsClause(event.data['signals'], event.data['regime_type']),
  );
}

/** The signals that vote for the regime. */
function signalsClause(signals: unknown, regime: unknown): string | undefined {
  if (!Array.isArray(signals) || typeof regime !== 'string') return undefined;
  const own = signals
    .map((signal) => String(signal).split(':'))
    .filter(([, vote]) => vote === regime)
    .map(([name = '']) => ownMember(SIGNALS, name) ?? readableName(name));
  return own.length === 0 ? undefined : ` (${list(own)})`;
}

const SIGNALS: Readonly<Record<string, string>> = {
  volatility_z: 'volatility',
  tvl_7d_change: 'value locked over 7 days',
  stablecoin_deviation_bps: 'deviation of stablecoins',
  liquidations_share: 'liquidations',
};
