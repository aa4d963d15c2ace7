// The event types about the market regime, each detected by `event.<type>.sql` in this folder, and the policy values that each depends on.
import { defineDetector } from '../../define/detector.ts';

export const regimeDetectors = [
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
