// A made-up event of every type, for trying receivers out: valid against its schema, about nothing that exists.
import type { Static } from './define.ts';
import type { EventSchema } from './events.ts';

/** Everything but the id, the type and the time. */
export type EventSample = Omit<Static<typeof EventSchema>, 'event_id' | 'type' | 'ts'>;

const FEED = '0x00000000000000000000000000000000000000fe';
const VAULT = '0x00000000000000000000000000000000000000aa';
const CURATOR = '0x00000000000000000000000000000000000000c1';
const DETECTED = '2026-01-31T09:00:00Z';
const DETECTED_SECONDS = 1_769_850_000;
const SUBJECTS = {
  oracle: `oracle:ethereum:${FEED}:SAMPLE-USD`,
  peg: 'peg:ethereum:SAMPLE',
  vault: `vault:ethereum:${VAULT}`,
  liquidity: 'liquidity:ethereum:sample-market',
  anomaly: 'anomaly:sample-1',
} as const;

const sample = (
  severity: NonNullable<EventSample['severity']>,
  subject_id: string,
  data: EventSample['data'],
): EventSample => ({
  severity,
  chain: 'ethereum',
  subject_id,
  data,
  meta: { _agentic: { freshness: { status: 'fresh' } } },
});

const oracle = { chain: 'ethereum', oracle_address: FEED, market_id: 'SAMPLE-USD' };
const fingerprint = {
  category: 'price',
  provider: 'sample',
  staleness_status: 'fresh',
  risk_level: 'low',
  edge_case_flags: [],
};
const peg = {
  asset_symbol: 'SAMPLE',
  chain: 'ethereum',
  oracle_address: FEED,
  peg_kind: 'fiat_usd',
  observed_feed: 'SAMPLE-USD',
  deviation_bps: -150,
  reference_price: '1',
  observed_price: '0.985',
  block_number: 24_000_000,
  block_timestamp: DETECTED_SECONDS,
  enter_bps: 100,
  effective_enter_bps: 100,
  spread_bps: 0,
  sources: [
    {
      oracle_address: FEED,
      source_kind: 'oracle',
      price: '0.985',
      deviation_bps: -150,
      is_beyond: true,
      answered_at: DETECTED_SECONDS,
    },
  ],
};
const vault = (on_chain_event: string, params: Readonly<Record<string, unknown>>) => ({
  vault_address: VAULT,
  caller_address: CURATOR,
  subject_address: CURATOR,
  on_chain_event,
  block_number: 24_000_000,
  tx_hash: `0x${'5a'.repeat(32)}`,
  log_index: 7,
  timestamp: DETECTED_SECONDS,
  params,
});
const tenure = { vault_address: VAULT, curator_address: CURATOR };
const anomaly = (anomaly_type: string, severity: string) => ({
  anomaly_id: 'sample-1',
  anomaly_type,
  severity,
  pool_id: 'sample-pool',
  chain: 'ethereum',
  protocol: 'sample',
  wallet_id: null,
  entity_id: null,
  description: 'A made-up anomaly',
  score: 4.2,
  metric_value: 80,
  baseline_value: 100,
  deviation_pct: -20,
  detected_at: DETECTED,
});

/** By event type. */
export const SAMPLES: Readonly<Record<string, EventSample>> = {
  'oracle.stale': sample('warn', SUBJECTS.oracle, { ...oracle, stale_age_s: 300 }),
  'oracle.classification.changed': sample('warn', SUBJECTS.oracle, {
    ...oracle,
    previous: fingerprint,
    current: { ...fingerprint, risk_level: 'high', edge_case_flags: ['paused'] },
  }),
  'oracle.feed.invalid': sample('high', SUBJECTS.oracle, oracle),
  'peg.depeg.start': sample('high', SUBJECTS.peg, peg),
  'peg.depeg.end': sample('info', SUBJECTS.peg, {
    ...peg,
    deviation_bps: -20,
    observed_price: '0.998',
    sources: peg.sources.map((one) => ({ ...one, price: '0.998', deviation_bps: -20, is_beyond: false })),
  }),
  'peg.depeg.recovered': sample('info', SUBJECTS.peg, { asset_symbol: 'SAMPLE', chain: 'ethereum' }),
  'vault.cap.changed': sample('info', SUBJECTS.vault, vault('set_cap', { old_cap: '1000', new_cap: '2000' })),
  'vault.fee.changed': sample('warn', SUBJECTS.vault, vault('set_fee', { old_fee: '0', new_fee: '100' })),
  'vault.curator.changed': sample('high', SUBJECTS.vault, vault('set_curator', { new_curator: CURATOR })),
  'vault.allocation.changed': sample(
    'warn',
    SUBJECTS.vault,
    vault('reallocate_supply', { supplied_assets: '1000' }),
  ),
  'curator.action': sample('info', SUBJECTS.vault, vault('set_guardian', { new_guardian: CURATOR })),
  'curator.tenure.start': sample('info', SUBJECTS.vault, tenure),
  'curator.tenure.end': sample('info', SUBJECTS.vault, tenure),
  'liquidity.utilization.spike': sample('high', SUBJECTS.liquidity, {
    chain: 'ethereum',
    market_id: 'sample-market',
    utilization: 0.97,
    threshold: 0.95,
    detected_at: DETECTED,
  }),
  'liquidity.depth.collapse': sample('critical', SUBJECTS.liquidity, {
    chain: 'ethereum',
    market_id: 'sample-market',
    depth_usd: 40_000,
    median_usd: 200_000,
    is_drained: false,
    detected_at: DETECTED,
  }),
  'risk.anomaly': sample('high', SUBJECTS.anomaly, anomaly('tvl_drop', 'high')),
  'risk.factor.breach': sample('high', 'risk:sample-opportunity:liquidity', {
    opportunity_id: 'sample-opportunity',
    category: 'liquidity',
    old_score: 80,
    new_score: 55,
    delta: -25,
    threshold: 20,
    chain: 'ethereum',
    protocol: 'sample',
    detected_at: DETECTED,
  }),
  'regime.shift': sample('warn', 'vault:global', {
    regime_id: 'sample-regime',
    regime_type: 'risk_off',
    confidence: 0.8,
    started_at: DETECTED,
    signals: ['volatility', 'utilization'],
    detected_at: DETECTED,
  }),
  'mev.spike': sample('high', SUBJECTS.anomaly, anomaly('mev_spike', 'high')),
  'mev.sandwich.large': sample('high', 'pool:ethereum:sample-pool', {
    chain: 'ethereum',
    pool_id: 'sample-pool',
  }),
};
