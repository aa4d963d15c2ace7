// What the rules of events decide, in words, and the heartbeat of a feed with them: the number that decides most about a stale feed is a
// fact of its registry, not of the policy.

import type { RiskEvent } from '../../schemas/event.ts';
import type { EventRule } from '../../schemas/event-rules.ts';
import type { Manifest } from '../../snapshots/layout.ts';
import type { Services } from '../services.ts';
import type { StoryFacts } from './story/story-facts.ts';

/** By the end of a name; the first that fits counts. */
const MEANINGS: readonly (readonly [pattern: RegExp, meaning: string])[] = [
  [
    /^storm\.cooldown_s\./,
    'Time in which further events about the same subject are held back unless they are worse',
  ],
  [/^feeds\.heartbeat_s$/, 'Maximum time between two answers that the registry states for the feed'],
  [/^oracle\.grace_s$/, 'Time past the heartbeat before a feed is stale'],
  [/^oracle\.stale_high_s$/, 'Time past heartbeat and grace from which staleness is high'],
  [/^oracle\.stale_critical_s$/, 'Time past heartbeat and grace from which staleness is critical'],
  [/^oracle\.is_untracked_reported$/, 'Whether feeds that back no tracked market are reported too'],
  [
    /^oracle_paths\.default_enter_bps$/,
    'Price gap that breaks an assumption about a rate, a discount, or an asset without a configured peg',
  ],
  [
    /^oracle_paths\.margin_bps$/,
    'Margin added to the deviation threshold of the feeds that an assumption rests on',
  ],
  [/^oracle_paths\.cap_enter_bps$/, 'How far a cap must hold a value down to count as broken'],
  [/^oracle_paths\.jump_bps$/, 'Change of a price with a change of its path that is critical'],
  [/^oracle_paths\.min_debt_usd$/, 'Debt behind an assumption below which its breaks are no events'],
  [/^oracle_paths\.confirm_observations$/, 'Observations that confirm a break or its end'],
  [/\.enter_bps$/, 'Distance from the reference at which a depeg starts'],
  [/\.exit_bps$/, 'Distance from the reference at which a depeg ends'],
  [/\.is_downside_only$/, 'Whether only prices below the reference count'],
  [/\.reference_fall_bps$/, 'Fall of a redemption rate that is reported; 0 reports none'],
  [/\.default_heartbeat_s$/, 'Heartbeat assumed for a feed without a known one; an older price is not live'],
  [/^vaults\.fall\.tolerance_bps$/, 'Fall of the share price between two states that is rounding'],
  [/^vaults\.fall\.high_bps$/, 'Fall from which the event is high'],
  [/^vaults\.fall\.critical_bps$/, 'Fall from which the event is critical'],
  [/^vaults\.state_max_age_s$/, 'Maximum age of a state'],
  [
    /^vaults\.liquidity\.low_below$/,
    'Withdrawable share of the assets below which a vault is short of liquidity',
  ],
  [/^vaults\.liquidity\.rearm_from$/, 'Withdrawable share of the assets from which it is no longer short'],
  [/^vaults\.liquidity\.min_assets_usd$/, 'Total assets below which liquidity is not judged'],
  [/^vaults\.liquidity\.confirm_observations$/, 'Consecutive states that confirm it'],
  [
    /^vaults\.collateral\.buffer$/,
    'How many times what can be withdrawn must cover the collateral at risk, if shares of the vault are collateral',
  ],
  [/^vaults\.collateral\.rearm_buffer$/, 'Cover from which the vault is no longer short of liquidity'],
  [/^vaults\.collateral\.min_at_risk_usd$/, 'Collateral at risk below which it is not judged'],
  [/^vaults\.collateral\.high_lltv$/, 'LLTV of a market from which on its collateral counts as steady'],
  [/^vaults\.collateral\.high_lltv_shock$/, 'Fall of the price of steady collateral'],
  [/^vaults\.collateral\.low_lltv$/, 'LLTV of a market up to which its collateral counts as volatile'],
  [/^vaults\.collateral\.low_lltv_shock$/, 'Fall of the price of volatile collateral'],
  [/^vaults\.collateral\.middle_shock$/, 'Fall of the price of collateral between the two'],
  [/\.weights\.|\.weight$/, 'Weight among the sources or signals'],
  [
    /\.is_feed_deviation_floor$/,
    'Whether the deviation that a feed allows itself, plus a margin, raises the threshold',
  ],
  [/\.feed_band_margin_bps$/, 'That margin'],
  [/\.agreement$/, 'What must be beyond the band for a depeg'],
  [/\.is_disagreement_reported$/, 'Whether a single source that stays beyond the band starts a warning'],
  [/\.pool_min_depth$/, 'Depth below which a pool only doubts a price, in units of the quote'],
  [/\.pool_full_depth$/, 'Depth from which a pool has its whole weight, in units of the quote'],
  [/^peg\..*confirm_observations$/, 'Observations that confirm a depeg or its end'],
  [/\.confirm_spacing_s$/, 'Minimum time from the first to the last of them'],
  [/\.immediate_multiple$/, 'Multiple of the threshold from which one observation is enough'],
  [/\.recovery_hold_s$/, 'Time inside the band after which a peg has recovered'],
  [
    /\.recovery_min_observed_fraction$/,
    'Minimum share of that time in which a live source must cover the asset',
  ],
  [/^lending\.utilization\..*spike_at$/, 'Utilization at which a spike starts'],
  [/^lending\.utilization\..*rearm_below$/, 'Utilization below which another spike may start'],
  [
    /\.collapse_at$/,
    'Exit depth that counts as collapsed, as a share of its median over the 24 hours before',
  ],
  [/\.rearm_above$/, 'Exit depth above which another collapse may start, as a share of that median'],
  [/\.min_median_usd$/, 'Median below which the exit depth is not judged'],
  [/\.min_observations$/, 'Minimum number of observations in the 24 hours before'],
  [/\.withdrawable_below$/, 'Share of the supply that can be withdrawn, below which a market is drained'],
  [/\.withdrawable_rearm_from$/, 'Share of the supply from which a market is no longer drained'],
  [/^lending\.confirm_observations$/, 'Observations in a row that confirm a spike or a collapse'],
  [/\.state_max_age_s$/, 'Age from which a state is stale and confirms nothing'],
  [/inality\..*depth_blocks$/, 'Blocks until a log is final'],
  [/inality\..*block_s$/, 'Time between blocks'],
  [/^anomaly\.baseline_days$/, 'Days before the judged day that form the baseline'],
  [/^anomaly\.min_days$/, 'Minimum number of those days with a figure'],
  [
    /^anomaly\.(?:warn|high|critical)_z$/,
    'Distance from the median, in multiples of the usual spread, at which this severity begins',
  ],
  [/^anomaly\.tvl_change$/, 'Minimum change of value locked against the day before'],
  [/^anomaly\.flow_of_tvl$/, 'Minimum net flow of a day, as a share of the value locked the day before'],
  [
    /^anomaly\.concentration_change$/,
    'Minimum rise of the share of the largest holders against the day before',
  ],
  [/^anomaly\.whale_usd$/, 'Minimum size of a transfer'],
  [/^anomaly\.mev_hour_usd$/, 'Minimum extraction of one hour'],
  [/^mev\.sandwich_large_usd$/, 'Extraction from which a sandwich is large'],
  [
    /^mev\.leg_tolerance$/,
    'Share of the smaller leg up to which a difference between purchase and sale is a remainder',
  ],
  [/^regime\.signals\..*\.is_falling$/, 'Whether lower is worse for this signal'],
  [/^regime\.signals\./, 'Value from which this signal votes for this regime'],
  [/^regime\.confirm_evaluations$/, 'Evaluations in a row, one an hour, that must agree'],
  [/^regime\.min_confidence$/, 'Minimum share of the weighted signals that must agree in each'],
  [/^regime\.tvl_valid_hours$/, 'Hours for which a reading of value locked is used'],
  [/^regime\.market_valid_hours$/, 'Hours for which a reading of a lending market is used'],
  [/^yields\.breach\.lookback_days$/, 'Age up to which an earlier close is compared with'],
  [/^yields\.breach\./, 'Drop of a score, in points, that is a breach of this severity'],
];

/** Null for a rule that has no text. */
export const meaningOf = (name: string): string | null =>
  MEANINGS.find(([pattern]) => pattern.test(name))?.[1] ?? null;

export type RuleWithMeaning = EventRule & { readonly meaning: string | null; readonly applies: boolean };

/** The rules with their meanings; of a stale feed also its heartbeat, if rules are known at all. */
export function rulesWithMeaning(
  rules: readonly EventRule[],
  { event, heartbeat_s }: Pick<StoryFacts, 'event' | 'heartbeat_s'>,
): readonly RuleWithMeaning[] {
  const [first] = rules;
  const isLate = event.type === 'oracle.stale' && heartbeat_s !== null && first !== undefined;
  const heartbeat: readonly EventRule[] = isLate
    ? [
        {
          ...first,
          role: 'threshold',
          name: 'feeds.heartbeat_s',
          value: heartbeat_s,
          unit: 'seconds',
          place: rules.length + 1,
        },
      ]
    : [];
  const applying = new Set(rulesThatApply(event, rules));
  return [
    ...heartbeat.map((rule) => ({ ...rule, applies: true })),
    ...rules.map((rule) => ({ ...rule, applies: applying.has(rule) })),
  ].map((rule) => ({ ...rule, meaning: meaningOf(rule.name) }));
}

// The rules that concern an event. Where a policy has one rule per kind of peg, source or chain, selects those of the event.

type About = Pick<RiskEvent, 'chain' | 'data'>;

/** Rules named `<prefix><member>.…`, and the members of an event. */
const GROUPS: readonly { readonly prefix: string; readonly members: (event: About) => readonly unknown[] }[] =
  [
    { prefix: 'peg.bands.', members: ({ data }) => [data['peg_kind']] },
    { prefix: 'peg.weights.', members: ({ data }) => sourceKinds(data['sources']) },
    { prefix: 'lending.finality.', members: ({ chain, data }) => [chain ?? data['chain']] },
  ];

/** Applies if the policy has nothing for the chain itself. */
const DEFAULT_FINALITY = 'lending.default_finality.';

const sourceKinds = (sources: unknown): readonly unknown[] =>
  Array.isArray(sources)
    ? sources.map((source: { source_kind?: unknown } | null) => source?.source_kind)
    : [];

/** Rules of single assets are named by their symbols; an asset that is not named has none of its own. */
function isOfAsset(name: string, { data }: About): boolean {
  const [, asset] = /^peg\.assets\.([^.]+)\./.exec(name) ?? [];
  const symbol = data['asset_symbol'];
  return asset === undefined || typeof symbol !== 'string' || asset.split('-').includes(symbol);
}

/** If the policy has none of the event's members, the whole group is kept, because it is unknown which rule applied. */
export function rulesThatApply<T extends { readonly name: string }>(
  event: About,
  rules: readonly T[],
): readonly T[] {
  const kept = GROUPS.reduce((left, { prefix, members }) => {
    const own = members(event).filter((one) => typeof one === 'string');
    const isOwn = ({ name }: T) =>
      own.some((member) => name.startsWith(`${prefix}${member}.`) || name === prefix + member);
    return left.some(isOwn) ? left.filter((rule) => !rule.name.startsWith(prefix) || isOwn(rule)) : left;
  }, rules);
  const chain = event.chain ?? event.data['chain'];
  const hasOwnFinality = kept.some(({ name }) => name.startsWith(`lending.finality.${chain}.`));
  return kept
    .filter(({ name }) => isOfAsset(name, event))
    .filter(({ name }) =>
      hasOwnFinality
        ? !name.startsWith(DEFAULT_FINALITY)
        : !(
            name.startsWith('lending.finality.') && kept.some((one) => one.name.startsWith(DEFAULT_FINALITY))
          ),
    );
}

// The rules that found an event: those of the version that first contained it, or of a kept version with the same policy.

const RULES = 'event-rules';

interface RulesOfEvent {
  readonly rules: readonly EventRule[];
  readonly policy_version: string | null;
  readonly rules_version: string | null;
  /** What is unknown. */
  readonly gaps: readonly string[];
}

export async function rulesOfEvent(
  services: Services,
  { event_id, type }: { readonly event_id: string; readonly type: string },
): Promise<RulesOfEvent> {
  const { before, first } = await services.datasets.around(event_id);
  const version = first !== undefined && isOfItsTime(first, before) ? first : undefined;
  if (version === undefined)
    return {
      rules: [],
      policy_version: null,
      rules_version: null,
      gaps: [`the rules of that time are no longer kept${changeBetween(before, first)}`],
    };
  const rules = await rulesIn(services, version, type);
  const gaps = rules.length === 0 ? ['the version that found the event has no rules for its type'] : [];
  return { rules, policy_version: version.policy_version, rules_version: version.version, gaps };
}

/**
 * Whether the version found the event, or was published under the policy that found it. If versions in between are gone but the policy is
 * the same before and after them, that policy was in force.
 */
function isOfItsTime(first: Manifest, before: Manifest | undefined): boolean {
  if (first.previous === null || first.previous === before?.version) return true;
  return first.policy_version === before?.policy_version;
}

const changeBetween = (before: Manifest | undefined, first: Manifest | undefined): string =>
  before === undefined || first === undefined
    ? ''
    : `: the policy changed from ${before.policy_version} to ${first.policy_version} around the event`;

async function rulesIn(services: Services, version: Manifest, type: string): Promise<readonly EventRule[]> {
  const loaded = await services.versions.datasetOf(RULES, version);
  const document = loaded?.documents.get(type);
  return document === undefined ? [] : (JSON.parse(document.toString()) as readonly EventRule[]);
}
