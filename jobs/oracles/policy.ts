// The policy as tables, so that models read bands, graces and hours like any other fact.
import { type MarketHours, type PegAsset, type Policy, SOURCE_KINDS } from '../../schemas/policy.ts';
import { definePolicyTable } from '../define.ts';

const WEEK_MINUTES = 7 * 24 * 60;
const ALWAYS_OPEN = 'crypto';

export const oraclePolicy = definePolicyTable({
  name: 'oracle_policy',
  columns: [
    { name: 'grace_s', type: 'BIGINT' },
    { name: 'stale_high_s', type: 'BIGINT' },
    { name: 'stale_critical_s', type: 'BIGINT' },
    { name: 'is_untracked_reported', type: 'BOOLEAN' },
  ],
  rows: ({ oracle }) => [
    [oracle.grace_s, oracle.stale_high_s, oracle.stale_critical_s, oracle.is_untracked_reported],
  ],
});

export const marketHoursPolicy = definePolicyTable({
  name: 'market_hours_policy',
  columns: [
    { name: 'name', type: 'VARCHAR' },
    { name: 'open_from_minute', type: 'BIGINT' },
    { name: 'open_to_minute', type: 'BIGINT' },
  ],
  rows: ({ market_hours }) => {
    const known = market_hours.some(({ name }) => name === ALWAYS_OPEN);
    const always: MarketHours = { name: ALWAYS_OPEN, open: [[0, WEEK_MINUTES]] };
    return [...market_hours, ...(known ? [] : [always])].flatMap(({ name, open }) =>
      mergedOpenings(open).map(([from, to]) => [name, from, to]),
    );
  },
});

/** Openings that touch become one, also over the end of the week: such a one ends past the last minute of the week. */
export function mergedOpenings(open: MarketHours['open']): readonly (readonly [number, number])[] {
  const merged: [number, number][] = [];
  for (const [from, to] of open.filter(([from, to]) => from < to).toSorted((a, b) => a[0] - b[0])) {
    const last = merged.at(-1);
    if (last !== undefined && from <= last[1]) last[1] = Math.max(last[1], to);
    else merged.push([from, to]);
  }
  const [first] = merged;
  const last = merged.at(-1);
  if (first === undefined || last === undefined || first === last) return merged;
  if (first[0] !== 0 || last[1] !== WEEK_MINUTES) return merged;
  return [...merged.slice(1, -1), [last[0], WEEK_MINUTES + first[1]]];
}

export const pegWeightPolicy = definePolicyTable({
  name: 'peg_weight_policy',
  columns: [
    { name: 'source_kind', type: 'VARCHAR' },
    { name: 'weight', type: 'DOUBLE' },
  ],
  rows: ({ peg }) => SOURCE_KINDS.map((kind) => [kind, peg.weights[kind]]),
});

export const pegSourcePolicy = definePolicyTable({
  name: 'peg_source_policy',
  columns: [
    { name: 'chain', type: 'VARCHAR' },
    { name: 'feed_address', type: 'VARCHAR' },
    { name: 'asset_id', type: 'VARCHAR' },
    { name: 'source_kind', type: 'VARCHAR' },
    { name: 'weight', type: 'DOUBLE' },
  ],
  rows: ({ peg }) =>
    peg.sources.map(({ chain, feed_address, asset_id, source_kind, weight }) => [
      chain,
      feed_address,
      asset_id ?? null,
      source_kind ?? null,
      weight ?? null,
    ]),
});

export const pegAssetPolicy = definePolicyTable({
  name: 'peg_asset_policy',
  columns: [
    { name: 'symbol', type: 'VARCHAR' },
    { name: 'quote', type: 'VARCHAR' },
    { name: 'asset_id', type: 'VARCHAR' },
    { name: 'chain', type: 'VARCHAR' },
    { name: 'kind', type: 'VARCHAR' },
    { name: 'reference_price', type: 'VARCHAR' },
    { name: 'reference_pair', type: 'VARCHAR' },
    { name: 'enter_bps', type: 'DOUBLE' },
    { name: 'exit_bps', type: 'DOUBLE' },
    { name: 'is_downside_only', type: 'BOOLEAN' },
    { name: 'is_feed_deviation_floor', type: 'BOOLEAN' },
    { name: 'feed_band_margin_bps', type: 'DOUBLE' },
    { name: 'agreement', type: 'VARCHAR' },
    { name: 'confirm_observations', type: 'BIGINT' },
    { name: 'confirm_spacing_s', type: 'BIGINT' },
    { name: 'immediate_multiple', type: 'DOUBLE' },
    { name: 'recovery_hold_s', type: 'BIGINT' },
    { name: 'recovery_min_observed_fraction', type: 'DOUBLE' },
    { name: 'default_heartbeat_s', type: 'BIGINT' },
  ],
  rows: ({ peg }) => peg.assets.map((asset) => pegRow(asset, peg)),
});

function pegRow(asset: PegAsset, peg: Policy['peg']): readonly (string | number | boolean | null)[] {
  const own = { ...peg, ...peg.bands[asset.kind], ...asset };
  return [
    own.symbol,
    own.quote,
    own.asset_id ?? '',
    own.chain ?? '',
    own.kind,
    own.reference_price ?? null,
    own.reference_pair ?? null,
    own.enter_bps,
    own.exit_bps,
    own.is_downside_only,
    own.is_feed_deviation_floor,
    own.feed_band_margin_bps,
    own.agreement,
    own.confirm_observations,
    own.confirm_spacing_s,
    own.immediate_multiple,
    own.recovery_hold_s,
    own.recovery_min_observed_fraction,
    peg.default_heartbeat_s,
  ];
}
