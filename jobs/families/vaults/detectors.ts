// The event types about the share prices, liquidity and delayed changes of vaults, each detected by `event.<type>.sql` in this folder.
import { HOUR_S } from '../../../platform/base/time.ts';
import { defineDetector } from '../../define/detector.ts';
import type { EventSubject } from '../../define/subject.ts';

const VAULT = ['vault:{chain}:{vault_address}'] as const satisfies EventSubject;
const FINALITY = { confirmation: ['lending.default_finality', 'lending.finality'] };

export const vaultDetectors = [
  defineDetector({ type: 'vault.change.pending', subject: VAULT, rules: FINALITY }),
  defineDetector({ type: 'vault.change.executed', subject: VAULT, rules: FINALITY }),
  defineDetector({ type: 'vault.change.revoked', subject: VAULT, rules: FINALITY }),
  defineDetector({
    type: 'vault.share_price.fell',
    subject: VAULT,
    cooldown: HOUR_S,
    rules: { threshold: ['vaults.fall'], confirmation: ['vaults.state_max_age_s'] },
  }),
  defineDetector({
    type: 'vault.liquidity.low',
    subject: VAULT,
    cooldown: HOUR_S,
    rules: {
      threshold: ['vaults.liquidity', 'vaults.collateral'],
      confirmation: ['vaults.state_max_age_s'],
      units: [
        [/^vaults\.liquidity\.(low_below|rearm_from)$/, 'fraction'],
        [/^vaults\.collateral\.(high|low|middle)_/, 'fraction'],
        [/^vaults\.collateral\.(buffer|rearm_buffer)$/, 'times'],
      ],
    },
  }),
];
