// The event types about vaults, curators and market liquidity, each detected by `event.<type>.sql` in this folder, and their policy values.
import { defineDetector } from '../define/detector.ts';

const HOUR_S = 3_600;

const FINALITY = { confirmation: ['lending.default_finality', 'lending.finality'] };
const LIQUIDITY = ['lending.confirm_observations', 'lending.state_max_age_s'];

export const lendingDetectors = [
  defineDetector({ type: 'vault.cap.changed', rules: FINALITY }),
  defineDetector({ type: 'vault.fee.changed', rules: FINALITY }),
  defineDetector({ type: 'vault.curator.changed', rules: FINALITY }),
  defineDetector({ type: 'vault.allocation.changed', rules: FINALITY }),
  defineDetector({ type: 'curator.action', rules: FINALITY }),
  defineDetector({ type: 'curator.tenure.start', rules: FINALITY }),
  defineDetector({ type: 'curator.tenure.end', rules: FINALITY }),
  defineDetector({
    type: 'liquidity.utilization.spike',
    cooldown: HOUR_S,
    rules: {
      threshold: ['lending.utilization', 'lending.markets'],
      confirmation: LIQUIDITY,
      units: [[/^lending\.(utilization\.[a-z_]+|markets\..*)$/, 'fraction']],
    },
  }),
  defineDetector({
    type: 'liquidity.depth.collapse',
    cooldown: HOUR_S,
    rules: {
      threshold: ['lending.depth'],
      confirmation: LIQUIDITY,
      units: [[/^lending\.depth\.(collapse_at|rearm_above|withdrawable_[a-z_]+)$/, 'fraction']],
    },
  }),
];
