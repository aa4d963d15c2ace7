// The event types about vaults, curators and market liquidity, each detected by `event.<type>.sql` in this folder, and their policy values.
import { HOUR_S } from '../../../platform/base/time.ts';
import { defineDetector } from '../../define/detector.ts';
import type { EventSubject } from '../../define/subject.ts';

const FINALITY = { confirmation: ['lending.default_finality', 'lending.finality'] };
const LIQUIDITY = ['lending.confirm_observations', 'lending.state_max_age_s'];

const VAULT = ['vault:{chain}:{vault_address}'] as const satisfies EventSubject;
const MARKET = ['liquidity:{chain}:{market_id}'] as const satisfies EventSubject;

/** What a log of a vault reports. */
const VAULT_LOG = 'vault_log';

export const lendingDetectors = [
  defineDetector({ type: 'vault.cap.changed', subject: VAULT, oneOf: VAULT_LOG, rules: FINALITY }),
  defineDetector({ type: 'vault.fee.changed', subject: VAULT, oneOf: VAULT_LOG, rules: FINALITY }),
  defineDetector({ type: 'vault.curator.changed', subject: VAULT, oneOf: VAULT_LOG, rules: FINALITY }),
  defineDetector({ type: 'vault.allocation.changed', subject: VAULT, oneOf: VAULT_LOG, rules: FINALITY }),
  defineDetector({ type: 'curator.action', subject: VAULT, oneOf: VAULT_LOG, rules: FINALITY }),
  defineDetector({ type: 'curator.tenure.start', subject: VAULT, rules: FINALITY }),
  defineDetector({ type: 'curator.tenure.end', subject: VAULT, rules: FINALITY }),
  defineDetector({
    type: 'liquidity.utilization.spike',
    subject: MARKET,
    cooldown: HOUR_S,
    rules: {
      threshold: ['lending.utilization', 'lending.markets'],
      confirmation: LIQUIDITY,
      units: [[/^lending\.(utilization\.[a-z_]+|markets\..*)$/, 'fraction']],
    },
  }),
  defineDetector({
    type: 'liquidity.depth.collapse',
    subject: MARKET,
    cooldown: HOUR_S,
    rules: {
      threshold: ['lending.depth'],
      confirmation: LIQUIDITY,
      units: [[/^lending\.depth\.(collapse_at|rearm_above|withdrawable_[a-z_]+)$/, 'fraction']],
    },
  }),
];
