// The event types about vaults, curators and the liquidity of markets, each found by the query `event.<type>.sql` of this folder.
import { defineDetector } from '../define.ts';

export const lendingDetectors = [
  defineDetector({ type: 'vault.cap.changed' }),
  defineDetector({ type: 'vault.fee.changed' }),
  defineDetector({ type: 'vault.curator.changed' }),
  defineDetector({ type: 'vault.allocation.changed' }),
  defineDetector({ type: 'curator.action' }),
  defineDetector({ type: 'curator.tenure.start' }),
  defineDetector({ type: 'curator.tenure.end' }),
  defineDetector({ type: 'liquidity.utilization.spike' }),
  defineDetector({ type: 'liquidity.depth.collapse' }),
];
