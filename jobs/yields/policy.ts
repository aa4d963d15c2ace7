// The yield policy as tables: every constant of the formulas in one row, and what backs the assets that no registry lists.
import type { YieldsPolicy } from '../../schemas/yields-policy.ts';
import { definePolicyTable } from '../define.ts';

const DAY_SECONDS = 86_400;

/** A column, the integers with an `s` or a count, and where its value is. */
type Constant = readonly [name: string, type: 'BIGINT' | 'DOUBLE', value: (policy: YieldsPolicy) => number];

const weights: readonly Constant[] = (
  ['liquidity', 'yield_stability', 'yield_source', 'asset', 'maturity', 'structure', 'venue'] as const
).map((category) => [`weight_${category}`, 'DOUBLE', ({ weights }) => weights[category]]);

const constants: readonly Constant[] = [
  ...weights,
  ['min_categories', 'BIGINT', ({ min_categories }) => min_categories],
  ['min_weight', 'DOUBLE', ({ min_weight }) => min_weight],
  ['band_low_to', 'DOUBLE', ({ bands }) => bands.low_to],
  ['band_medium_to', 'DOUBLE', ({ bands }) => bands.medium_to],
  ['band_high_to', 'DOUBLE', ({ bands }) => bands.high_to],
  ['plausible_max_pct', 'DOUBLE', ({ apy }) => apy.plausible_max_pct],
  ['spike_multiple', 'DOUBLE', ({ apy }) => apy.spike_multiple],
  ['min_days_7', 'BIGINT', ({ apy }) => apy.min_days_7],
  ['min_days_30', 'BIGINT', ({ apy }) => apy.min_days_30],
  ['min_days_sigma', 'BIGINT', ({ apy }) => apy.min_days_sigma],
  ['sigma_floor_pct', 'DOUBLE', ({ apy }) => apy.sigma_floor_pct],
  ['spike_score', 'DOUBLE', ({ apy }) => apy.spike_score],
  ['tvl_zero_usd', 'DOUBLE', ({ liquidity }) => liquidity.tvl_zero_usd],
  ['tvl_full_usd', 'DOUBLE', ({ liquidity }) => liquidity.tvl_full_usd],
  ['available_full', 'DOUBLE', ({ liquidity }) => liquidity.available_full],
  ['available_weight', 'DOUBLE', ({ liquidity }) => liquidity.available_weight],
  ['depegged_score', 'DOUBLE', ({ asset }) => asset.depegged_score],
  ['maturity_full_days', 'BIGINT', ({ maturity_full_days }) => maturity_full_days],
  ['points_multi_exposure', 'DOUBLE', ({ structure }) => structure.multi_exposure],
  ['points_il_risk', 'DOUBLE', ({ structure }) => structure.il_risk],
  ['points_lockup', 'DOUBLE', ({ structure }) => structure.lockup_full],
  ['lockup_full_s', 'BIGINT', ({ structure }) => structure.lockup_full_days * DAY_SECONDS],
  ['points_queue', 'DOUBLE', ({ structure }) => structure.queue],
  ['points_locked', 'DOUBLE', ({ structure }) => structure.locked],
  ['points_age', 'DOUBLE', ({ venue }) => venue.age_points],
  ['age_full_s', 'BIGINT', ({ venue }) => venue.age_full_days * DAY_SECONDS],
  ['points_audit', 'DOUBLE', ({ venue }) => venue.audit_points],
  ['audits_full', 'BIGINT', ({ venue }) => venue.audits_full],
  ['points_base', 'DOUBLE', ({ venue }) => venue.base_points],
  ['points_incident', 'DOUBLE', ({ venue }) => venue.incident_points],
  ['stale_after_s', 'BIGINT', ({ listing }) => listing.stale_after_s],
  ['keep_s', 'BIGINT', ({ listing }) => listing.keep_s],
  ['breach_warn', 'DOUBLE', ({ breach }) => breach.warn],
  ['breach_high', 'DOUBLE', ({ breach }) => breach.high],
  ['breach_critical', 'DOUBLE', ({ breach }) => breach.critical],
  ['breach_lookback_s', 'BIGINT', ({ breach }) => breach.lookback_days * DAY_SECONDS],
];

export const yieldPolicy = definePolicyTable({
  name: 'yield_policy',
  columns: constants.map(([name, type]) => ({ name, type })),
  rows: ({ yields }) => [constants.map(([, , value]) => value(yields))],
});

export const yieldClassPolicy = definePolicyTable({
  name: 'yield_class_policy',
  columns: [
    { name: 'asset_class', type: 'VARCHAR' },
    { name: 'score', type: 'DOUBLE' },
  ],
  rows: ({ yields }) => Object.entries(yields.asset.scores),
});

export const yieldAssetPolicy = definePolicyTable({
  name: 'yield_asset_policy',
  columns: [
    { name: 'symbol', type: 'VARCHAR' },
    { name: 'asset_class', type: 'VARCHAR' },
  ],
  rows: ({ yields }) => yields.asset.assets.map(({ symbol, asset_class }) => [symbol, asset_class]),
});
