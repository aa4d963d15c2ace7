// Conditions as published: everything that is wrong now (decision 66).
import { IsoTime, Nullable, type Static, Strict, Type, Ulid } from './define.ts';
import { SEVERITIES } from './event.ts';
import { RULE_ROLES } from './event-rules.ts';
import { ReachByKindSchema } from './exposure.ts';

const Figure = (description: string) => Nullable(Type.Number({ description }));
const text = (description: string) => Type.String({ description });
const Count = (description: string) => Nullable(Type.Integer({ minimum: 0, description }));

/** Types of conditions that no event starts. */
export const CONDITIONS_WITHOUT_EVENT = [
  'dataset.gate',
  'lending.borrow_cap',
  'lending.contradictory_state',
  'lending.frozen',
  'lending.paused',
  'lending.stale_state',
  'lending.supply_cap',
  'market.collateral_below_oracle',
] as const;

/** Why a reach is not known in full. */
export const REACH_GAPS = {
  subject_unknown: 'no rule says what depends on a subject of this kind',
  markets_missing: 'no lending markets are published',
  vaults_missing: 'no vaults are published',
  yields_missing: 'no yield opportunities are published',
  held_back: 'markets, vaults, assets or yields are held back',
  market_supply: 'the supply of an affected market is not known',
  market_assets: 'the assets of a market are not known',
  market_feeds: 'the feeds behind a market are not known',
  paths_missing: 'no oracle paths are published, or none of them makes the assumption any more',
  market_paths: 'what the oracle of a market assumes, or what it lends, is not known',
  pool_collateral: 'any collateral of a pool may back the loans of its other assets',
  asset_backing: 'a part of what backs an asset is not known',
  vault_holdings: 'a part of what a vault holds is not known',
  yield_market: 'it is not known which market pays a yield',
  no_market: 'vaults or yields are affected outside lending markets, and their dollars are not counted',
} as const;
export type ReachGap = keyof typeof REACH_GAPS;
/** At most as many ids are listed; the counts are complete. */
export const MAX_REACH_SUBJECTS = 20;

/** What a condition affects: the rules are in the definitions. */
export const ConditionReachSchema = Strict({
  markets: Count('Affected lending markets; null if unknown'),
  markets_unknown: Count('Markets of which it is not known whether they are affected'),
  vaults: Count('Vaults that hold an affected market or asset, directly or through others; null if unknown'),
  vaults_unknown: Count('Vaults of which it is not known whether they are affected'),
  yields: Count('Yield opportunities of affected assets, markets and vaults; null if unknown'),
  yields_unknown: Count('Yield opportunities of which it is not known whether they are affected'),
  usd: Nullable(
    Type.Number({
      minimum: 0,
      description:
        'Supplied to the affected markets, each counted once, USD; what vaults and yields have there is part of it. At least this much if `usd_unknown_share` is above 0; null if none of it is known',
    }),
  ),
  usd_unknown_share: Nullable(
    Type.Number({
      minimum: 0,
      maximum: 1,
      description:
        'Share of the markets, affected or of which it is not known, whose supply is not in `usd`; null if the markets are not known',
    }),
  ),
  by_kind: Type.Optional(ReachByKindSchema),
  gaps: Type.Array(Type.Enum(Object.keys(REACH_GAPS) as ReachGap[]), {
    description: `Why a part is not known. ${Object.entries(REACH_GAPS)
      .map(([name, meaning]) => `\`${name}\`: ${meaning}`)
      .join('; ')}`,
  }),
  subjects: Type.Array(Type.String(), {
    maxItems: MAX_REACH_SUBJECTS,
    description: `Affected markets (largest first), vaults and yields as \`<kind>:<id>\`, at most ${MAX_REACH_SUBJECTS}`,
  }),
});
export type ConditionReach = Static<typeof ConditionReachSchema>;

export const ConditionSchema = Strict({
  id: text('Stays the same while the condition lasts'),
  type: Type.String({
    description:
      'Type of the event that started it, or `lending.*`, `market.*` or `dataset.gate`, which have no event',
    examples: ['peg.depeg.start'],
  }),
  severity: Type.Enum([...SEVERITIES]),
  title: text('The condition in one sentence'),
  chain: Nullable(text('Chain name')),
  protocol: Nullable(text('Protocol name')),
  subject_id: Type.String({ description: '`<resource>:<id>`', examples: ['peg:ethereum:USDT'] }),
  subject_name: text('Display name of the subject'),
  symbols: Type.Array(Type.String(), { description: 'Symbols of the assets concerned' }),
  since: Nullable(IsoTime('Time at which it began; null if unknown')),
  measure: Nullable(text('What the values measure; null without a figure')),
  unit: Nullable(text('Unit of the values')),
  value_start: Figure('Value at the start; null if it was not measured'),
  value_worst: Figure('Worst value since'),
  worst_at: Nullable(IsoTime('Time of the worst value')),
  value_now: Figure('Last value'),
  now_at: Nullable(IsoTime('Time of the last value')),
  rule: Type.Array(
    Strict({
      name: Type.String(),
      value: Type.Number({ description: 'Value, in the unit' }),
      unit: Nullable(Type.String()),
      role: Type.Enum([...RULE_ROLES]),
    }),
    { description: 'Thresholds in force for this subject, and other requirements' },
  ),
  band_multiple: Figure(
    'How far it is past its threshold: the last value as a multiple of it, or for values that fall below one, the threshold as a multiple of the value; null without such a threshold',
  ),
  // Null for conditions of datasets, which affect no market.
  reach: Nullable(ConditionReachSchema),
  policy_version: text('Version of the policy that defines these values'),
  event_key: Nullable(text('Natural key of the event that started it')),
  event_id: Nullable(Ulid('Id of that event, if it is in the log')),
  evidence_url: Nullable(text('Path of the event’s evidence')),
  series_url: Nullable(text('Path of the history of the subject')),
});
export type Condition = Static<typeof ConditionSchema>;
