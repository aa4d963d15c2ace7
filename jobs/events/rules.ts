// Which values of the policy decide about each event type, as a table, so that what is published is what is in force.
import type { RuleRole } from '../../schemas/event-rules.ts';
import { EVENT_TYPES } from '../../schemas/events.ts';
import { definePolicyTable, type PolicyValues } from '../policy/define.ts';

interface Rules {
  readonly threshold?: readonly string[];
  readonly confirmation?: readonly string[];
}

const ofAssets = (...names: readonly string[]) => names.map((name) => `peg.assets.*.${name}`);
const PEG_SOURCES = ['peg.default_heartbeat_s', 'peg.weights', 'peg.sources.*.weight'];
const PEG = ['peg.confirm_observations', 'peg.confirm_spacing_s'];
const FINALITY = { confirmation: ['lending.default_finality', 'lending.finality'] };
const LIQUIDITY = ['lending.confirm_observations', 'lending.state_max_age_s'];
const GRADES = ['anomaly.warn_z', 'anomaly.high_z', 'anomaly.critical_z'];
const BASELINE = ['anomaly.baseline_days', 'anomaly.min_days'];

/** Names of values, or of parts of the policy all of whose values count. `*` stands for any one name. */
const RULES: { readonly [type: string]: Rules } = {
  'oracle.stale': { threshold: ['oracle'] },
  'peg.depeg.start': {
    threshold: [
      'peg.bands.*.enter_bps',
      'peg.bands.*.is_downside_only',
      'peg.is_feed_deviation_floor',
      'peg.feed_band_margin_bps',
      ...PEG_SOURCES,
      ...ofAssets('enter_bps', 'is_downside_only', 'is_feed_deviation_floor', 'feed_band_margin_bps'),
    ],
    confirmation: [
      ...PEG,
      'peg.immediate_multiple',
      ...ofAssets('confirm_observations', 'confirm_spacing_s', 'immediate_multiple'),
    ],
  },
  'peg.depeg.end': {
    threshold: ['peg.bands.*.exit_bps', 'peg.assets.*.exit_bps', ...PEG_SOURCES],
    confirmation: [...PEG, ...ofAssets('confirm_observations', 'confirm_spacing_s')],
  },
  'peg.depeg.recovered': {
    threshold: ['peg.bands.*.exit_bps', 'peg.assets.*.exit_bps', ...PEG_SOURCES],
    confirmation: [
      'peg.recovery_hold_s',
      'peg.recovery_min_observed_fraction',
      ...ofAssets('recovery_hold_s', 'recovery_min_observed_fraction'),
    ],
  },
  'vault.cap.changed': FINALITY,
  'vault.fee.changed': FINALITY,
  'vault.curator.changed': FINALITY,
  'vault.allocation.changed': FINALITY,
  'curator.action': FINALITY,
  'curator.tenure.start': FINALITY,
  'curator.tenure.end': FINALITY,
  'liquidity.utilization.spike': {
    threshold: ['lending.utilization', 'lending.markets'],
    confirmation: LIQUIDITY,
  },
  'liquidity.depth.collapse': { threshold: ['lending.depth'], confirmation: LIQUIDITY },
  'risk.anomaly': {
    threshold: [
      ...GRADES,
      'anomaly.tvl_change',
      'anomaly.flow_of_tvl',
      'anomaly.concentration_change',
      'anomaly.whale_usd',
    ],
    confirmation: BASELINE,
  },
  'risk.factor.breach': {
    threshold: ['yields.breach.warn', 'yields.breach.high', 'yields.breach.critical'],
    confirmation: ['yields.breach.lookback_days'],
  },
  'regime.shift': {
    threshold: ['regime.signals', 'regime.min_confidence'],
    confirmation: ['regime.confirm_evaluations', 'regime.tvl_valid_hours', 'regime.market_valid_hours'],
  },
  'mev.spike': { threshold: [...GRADES, 'anomaly.mev_hour_usd'], confirmation: BASELINE },
  'mev.sandwich.large': { threshold: ['mev.sandwich_large_usd'] },
};

const UNITS: readonly (readonly [RegExp, string])[] = [
  [/_bps$/, 'bps'],
  [/_s$/, 'seconds'],
  [/_hours$/, 'hours'],
  [/_days$/, 'days'],
  [/_usd$/, 'USD'],
  [/_blocks$/, 'blocks'],
  [/_z$/, 'robust z'],
  [/\.is_[a-z_]+$/, 'flag'],
  [/(_fraction|_change|_of_tvl|confidence|utilization\.[a-z_]+|lending\.markets\..*)$/, 'fraction'],
  [/lending\.depth\.(collapse_at|rearm_above|withdrawable_[a-z_]+)$/, 'fraction'],
  [/yields\.breach\.[a-z]+$/, 'points'],
];

interface Named {
  readonly name: string;
  readonly value: number;
}

export const eventRuleTable = definePolicyTable({
  name: 'event_rule',
  columns: {
    type: 'VARCHAR',
    place: 'BIGINT',
    role: 'VARCHAR',
    name: 'VARCHAR',
    value: 'DOUBLE',
    unit: 'VARCHAR',
    policy_version: 'VARCHAR',
  },
  rows: (policy) =>
    EVENT_TYPES.flatMap((type) =>
      rulesOf(type, policy).map(([role, { name, value }], index) => ({
        type,
        place: index + 1,
        role,
        name,
        value,
        unit: unitOf(name),
        policy_version: policy.policy_version,
      })),
    ),
});

function rulesOf(type: string, policy: PolicyValues): readonly (readonly [RuleRole, Named])[] {
  const { threshold = [], confirmation = [] } = RULES[type] ?? {};
  const valuesOf = (role: RuleRole, names: readonly string[]) =>
    names.flatMap((name) => valuesAt(policy, name)).map((named) => [role, named] as const);
  const cooldown = { name: `storm.cooldown_s.${type}`, value: cooldownOf(type, policy) };
  return [
    ...valuesOf('threshold', threshold),
    ...valuesOf('confirmation', confirmation),
    ['cooldown', cooldown],
  ];
}

/** 0 where the type has none, and for every type where the guard is off. */
function cooldownOf(type: string, policy: PolicyValues): number {
  const [isEnabled] = valuesAt(policy, 'storm.is_enabled');
  const wanted = `storm.cooldown_s.${type}`;
  const cooldown = valuesAt(policy, 'storm.cooldown_s').find(({ name }) => name === wanted);
  return isEnabled?.value === 1 ? (cooldown?.value ?? 0) : 0;
}

const unitOf = (name: string): string | null => {
  if (name.startsWith('storm.cooldown_s.')) return 'seconds';
  return UNITS.find(([pattern]) => pattern.test(name))?.[1] ?? null;
};

/** All numbers and flags under a dotted name. @throws Error when the policy has nothing of that name. */
function valuesAt(policy: PolicyValues, wanted: string): readonly Named[] {
  const found = walk(policy, wanted.split('.'), '');
  if (found === undefined) throw new Error(`the policy has no ${wanted}`);
  return found;
}

/** Undefined when a part that the path names is missing. */
function walk(value: unknown, path: readonly string[], name: string): readonly Named[] | undefined {
  const [next, ...rest] = path;
  if (next === undefined) return leaves(value, name);
  if (typeof value !== 'object' || value === null) return undefined;
  if (next === '*')
    return children(value).flatMap(([key, child]) => walk(child, rest, `${name}.${key}`) ?? []);
  const child = children(value).find(([key]) => key === next);
  return child === undefined ? undefined : walk(child[1], rest, `${name}.${next}`);
}

function leaves(value: unknown, name: string): readonly Named[] {
  if (typeof value === 'number') return [{ name: name.slice(1), value }];
  if (typeof value === 'boolean') return [{ name: name.slice(1), value: Number(value) }];
  if (typeof value !== 'object' || value === null) return [];
  return children(value).flatMap(([key, child]) => leaves(child, `${name}.${key}`));
}

/** Entries of a list go by what they are called and not by where they stand. */
const children = (value: object): readonly (readonly [string, unknown])[] =>
  Array.isArray(value) ? value.map((entry) => [entryName(entry), entry]) : Object.entries(value);

const NAMES = ['chain', 'market_id', 'asset_id', 'feed_address', 'symbol', 'quote'];
const entryName = (entry: Readonly<Record<string, unknown>>): string =>
  NAMES.flatMap((name) => entry[name] ?? []).join('-');
