// The regime domain: the state of the market as a whole, derived by rules from five signals.

import { REGIME_SERIES, RegimeHourSchema } from '../../../schemas/regime.ts';
import { defineDataset, defineSeries } from '../../define/dataset.ts';
import { defineDetector } from '../../define/detector.ts';
import { defineDomain } from '../../define/domain.ts';
import { regimeDemoSources } from '../../sources/demo/regime.ts';
import { regimePolicy } from './policy.ts';
import { marketSignal } from './raw.ts';

/**
 * The event types about the market regime, each detected by `event.<type>.sql` in this folder, and the policy values that each depends on.
 */
const regimeDetectors = [
  defineDetector({
    type: 'regime.shift',
    subject: { everything: 'one regime for the whole market' },
    threshold: 'regime.min_confidence',
    rules: {
      threshold: ['regime.signals', 'regime.min_confidence'],
      confirmation: ['regime.confirm_evaluations', 'regime.tvl_valid_hours', 'regime.market_valid_hours'],
      units: [[/^regime\.signals\.utilization\.[a-z_]+$/, 'fraction']],
    },
  }),
];

/** The published market regime: each hour of the last seven days. */
const marketRegime = defineDataset({
  id: 'market-regime',
  title: 'Regime of the market, hour by hour',
  table: 'out.regime_hour',
  key: ['scope'],
  separator: '/',
  shape: 'list',
  order: 'hour desc',
  subject: { none: 'one regime for the whole market' },
  row: RegimeHourSchema,
  updateCadenceSeconds: 3_600,
  series: defineSeries({
    definition: REGIME_SERIES,
    table: 'derived.regime_hour',
    day: 'day',
    at: 'hour',
    key: ["'global'"],
  }),
});

export const regime = defineDomain({
  id: 'regime',
  title: 'Market regime',
  folder: new URL('./', import.meta.url),
  raw: [marketSignal],
  policy: [regimePolicy],
  datasets: [marketRegime],
  detectors: regimeDetectors,
  demo: regimeDemoSources,
});
