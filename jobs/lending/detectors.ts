// The event types about vaults, curators and the liquidity of markets, each found by the query `event.<type>.sql` of this folder.
import { defineDetector } from '../define.ts';

const VAULT = ['vault_log', 'lending_vault'];
const LIQUIDITY = ['market_state', 'lending_market', 'market_oracle', 'feed_registry', 'feed_round'];

export const lendingDetectors = [
  defineDetector({ type: 'vault.cap.changed', rests_on: VAULT }),
  defineDetector({ type: 'vault.fee.changed', rests_on: VAULT }),
  defineDetector({ type: 'vault.curator.changed', rests_on: VAULT }),
  defineDetector({ type: 'vault.allocation.changed', rests_on: VAULT }),
  defineDetector({ type: 'curator.action', rests_on: VAULT }),
  defineDetector({ type: 'curator.tenure.start', rests_on: VAULT }),
  defineDetector({ type: 'curator.tenure.end', rests_on: VAULT }),
  defineDetector({ type: 'liquidity.utilization.spike', rests_on: LIQUIDITY }),
  defineDetector({ type: 'liquidity.depth.collapse', rests_on: LIQUIDITY }),
];
