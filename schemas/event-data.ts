// The `data` of every event type (Part 6). Payloads grow additively, so a reader must pass over members it does not know.
import { DecimalString, IsoTime, Nullable, Strict, type TSchema, Type, UnixSeconds } from './define.ts';
import { SOURCE_KINDS } from './policy.ts';

/** An object that may grow. */
const Growing = (properties: Record<string, TSchema>) =>
  Type.Object(properties, { additionalProperties: true });

/** Of types with a cooldown: what was held back about the subject since the last event. */
const suppression = {
  suppressed_count: Type.Optional(
    Type.Integer({ minimum: 0, description: 'Events about the same subject held back since the last one' }),
  ),
  suppressed_keys: Type.Optional(
    Type.Array(Type.String(), { description: 'Natural keys of the newest events held back, 50 at most' }),
  ),
};

const text = (description: string) => Type.String({ description });
const chain = text('Chain name');
const market_id = text('Market that the feed backs; the pair of the feed as long as no market is tracked');
const oracle_address = text('Address of the feed');
const detected_at = IsoTime('When it was detected');

const Fingerprint = Strict({
  category: Type.String(),
  provider: Type.String(),
  staleness_status: Type.Enum(['fresh', 'stale', 'unverifiable', 'unknown']),
  risk_level: Type.String(),
  edge_case_flags: Type.Array(Type.String(), { description: 'Sorted' }),
});

export const OracleData = Growing({ chain, oracle_address, market_id });

export const OracleStaleData = Growing({
  chain,
  oracle_address,
  market_id,
  stale_age_s: Type.Integer({ minimum: 1, description: 'Seconds past heartbeat and grace' }),
});

export const OracleClassificationData = Growing({
  chain,
  oracle_address,
  market_id,
  previous: Fingerprint,
  current: Fingerprint,
});

const asset_id = Type.Optional(
  Nullable(text('Address or id of the pegged asset, where its source gives one')),
);

const PegSourceData = Growing({
  oracle_address: text('Address of the feed'),
  source_kind: Type.Enum([...SOURCE_KINDS]),
  price: DecimalString('What it said last, in the quote'),
  deviation_bps: Type.Integer({ description: 'From the reference, basis points; negative below it' }),
  is_beyond: Type.Boolean({ description: 'It is beyond the effective enter' }),
  answered_at: UnixSeconds('When it said so'),
});

export const PegData = Growing({
  asset_symbol: text('Symbol of the pegged asset'),
  asset_id,
  chain,
  oracle_address: text('Address of the feed whose answer made the observation'),
  peg_kind: text('Class of the peg'),
  observed_feed: text('Pair of the observed feed'),
  deviation_bps: Type.Integer({ description: 'From the reference, basis points; negative below it' }),
  reference_price: DecimalString('Reference price in the quote'),
  observed_price: DecimalString('Observed price in the quote: the centre of all live sources'),
  block_number: Nullable(
    Type.Integer({ minimum: 0, description: 'Block of the observation, where it is known' }),
  ),
  block_timestamp: UnixSeconds('Time of the observation'),
  tx_hash: Type.Optional(Nullable(text('Transaction of the answer, where it is known'))),
  log_index: Type.Optional(
    Nullable(Type.Integer({ minimum: 0, description: 'Place of its log in the block, where it is known' })),
  ),
  spread_bps: Type.Optional(
    Nullable(
      Type.Number({
        description:
          'From the lowest to the highest of the sources, relative to the observed price, basis points',
      }),
    ),
  ),
  sources: Type.Optional(
    Type.Array(PegSourceData, { description: 'Every live source, the weightiest first' }),
  ),
  enter_bps: Type.Number({ description: 'Deviation at which the policy sees a depeg' }),
  effective_enter_bps: Type.Number({
    description: "The same, or the feed's own deviation band and a margin where that is wider",
  }),
});

export const PegRecoveredData = Growing({
  asset_symbol: text('Symbol of the pegged asset'),
  asset_id,
  chain,
});

export const VaultData = Growing({
  vault_address: text('Address of the vault'),
  caller_address: Nullable(text('Address that acted, where it is known')),
  subject_address: Nullable(text('Address or id acted upon')),
  on_chain_event: text('For example `set_cap`'),
  block_number: Type.Integer({ minimum: 0 }),
  tx_hash: text('Hash of the transaction'),
  log_index: Type.Integer({ minimum: 0 }),
  timestamp: UnixSeconds('Time of the block'),
  params: Growing({}),
});

export const CuratorTenureData = Growing({
  vault_address: text('Address of the vault'),
  curator_address: text('Address of the curator'),
});

export const UtilizationData = Growing({
  chain,
  market_id: text('Market'),
  utilization: Type.Number({ description: 'Fraction' }),
  threshold: Type.Number({ description: 'Fraction' }),
  detected_at,
});

export const DepthData = Growing({
  chain,
  market_id: text('Market'),
  depth_usd: Type.Number({ description: 'What can be sold at 100 bps or less, else withdrawn, USD' }),
  median_usd: Nullable(
    Type.Number({
      description: 'Median of the 24 hours before, USD; null where it is below the depth of a drained market',
    }),
  ),
  is_drained: Type.Boolean({ description: 'Next to nothing of what is supplied can be withdrawn' }),
  detected_at,
});

export const AnomalyData = Growing({
  anomaly_id: Type.String(),
  anomaly_type: Type.String(),
  severity: Type.String(),
  pool_id: Nullable(Type.String()),
  chain: Nullable(Type.String()),
  protocol: Nullable(Type.String()),
  wallet_id: Nullable(Type.String()),
  entity_id: Nullable(Type.String()),
  description: Type.String(),
  score: Type.Number(),
  metric_value: Nullable(Type.Number()),
  baseline_value: Nullable(Type.Number()),
  deviation_pct: Nullable(Type.Number({ description: 'Percent' })),
  detected_at,
  ...suppression,
});

export const RiskFactorData = Growing({
  opportunity_id: Type.String(),
  category: Type.String(),
  old_score: Type.Number(),
  new_score: Type.Number(),
  delta: Type.Number(),
  threshold: Type.Number(),
  chain: Nullable(Type.String()),
  protocol: Nullable(Type.String()),
  detected_at,
});

export const RegimeData = Growing({
  regime_id: Type.String(),
  regime_type: Type.String(),
  previous_regime_type: Type.Optional(Type.String()),
  confidence: Type.Number({ description: 'Fraction' }),
  started_at: IsoTime('Start of the regime'),
  signals: Type.Array(Type.String()),
  detected_at,
});

export const SandwichData = Growing({
  chain,
  pool_id: Type.String(),
  block_number: Type.Optional(Type.Integer({ minimum: 0 })),
  sandwicher: Type.Optional(text('Account that signed the front-run')),
  front_run_tx: Type.Optional(text('Transaction of the front-run')),
  victim_txs: Type.Optional(Type.Array(Type.String(), { description: 'Transactions that were sandwiched' })),
  back_run_tx: Type.Optional(text('Transaction of the back-run')),
  extracted_usd: Type.Optional(Type.Number({ description: 'Extracted before gas, USD' })),
  threshold_usd: Type.Optional(
    Type.Number({ description: 'Extraction from which a sandwich is large, USD' }),
  ),
  ...suppression,
});
