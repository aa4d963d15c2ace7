// The policy as tables, so that models read bands, graces and hours like any other fact.
import type { MarketHours, PegAsset, Policy } from '../../schemas/policy.ts';
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

export const pegAssetPolicy = definePolicyTable({
  name: 'peg_asset_policy',
  columns: [
    { name: 'symbol', type: 'VARCHAR' },
    { name: 'quote', type: 'VARCHAR' },
    { name: 'kind', type: 'VARCHAR' },
    { name: 'reference_price', type: 'VARCHAR' },
    { name: 'reference_pair', type: 'VARCHAR' },
    { name: 'enter_bps', type: 'DOUBLE' },
    { name: 'exit_bps', type: 'DOUBLE' },
    { name: 'is_downside_only', type: 'BOOLEAN' },
    { name: 'feed_band_margin_bps', type: 'DOUBLE' },
    { name: 'confirm_observations', type: 'BIGINT' },
    { name: 'confirm_spacing_s', type: 'BIGINT' },
    { name: 'immediate_multiple', type: 'DOUBLE' },
    { name: 'recovery_hold_s', type: 'BIGINT' },
    { name: 'recovery_min_observed_fraction', type: 'DOUBLE' },
  ],
  rows: ({ peg }) => peg.assets.map((asset) => pegRow(asset, peg)),
});

function pegRow(asset: PegAsset, peg: Policy['peg']): readonly (string | number | boolean | null)[] {
  const band = peg.bands[asset.kind];
  return [
    asset.symbol,
    asset.quote,
    asset.kind,
    asset.reference_price ?? null,
    asset.reference_pair ?? null,
    asset.enter_bps ?? band.enter_bps,
    asset.exit_bps ?? band.exit_bps,
    band.is_downside_only,
    peg.feed_band_margin_bps,
    asset.confirm_observations ?? peg.confirm_observations,
    peg.confirm_spacing_s,
    peg.immediate_multiple,
    peg.recovery_hold_s,
    peg.recovery_min_observed_fraction,
  ];
}
