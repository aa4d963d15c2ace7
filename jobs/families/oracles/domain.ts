// The oracle domain: feeds, their rounds, and the freshness and pegs derived from them.

import { DetectorStateSchema } from '../../../schemas/detector-state.ts';
import { FEED_SERIES, FeedSchema, PEG_SERIES, PegSchema } from '../../../schemas/oracle-series.ts';
import { OraclePairSchema, OracleParameterSchema } from '../../../schemas/oracles.ts';
import { defineDataset, defineSeries } from '../../define/dataset.ts';
import { defineDetector } from '../../define/detector.ts';
import { defineDomain } from '../../define/domain.ts';
import type { EventSubject } from '../../define/subject.ts';
import { demoSources } from '../../sources/demo/oracles.ts';
import { exchangeDemoSources } from '../../sources/demo/oracles-exchanges.ts';
import { pegPolicy } from './peg-policy.ts';
import { marketHoursPolicy, oraclePolicy } from './policy.ts';
import { feedBounds, feedRegistry, feedRound } from './raw.ts';

const ofAssets = (...names: readonly string[]) => names.map((name) => `peg.assets.*.${name}`);
const PEG_SOURCES = ['peg.default_heartbeat_s', 'peg.weights', 'peg.sources.*.weight'];
const PEG_RULES = ['agreement', 'is_disagreement_reported', 'pool_min_depth', 'pool_full_depth'];
const CONFIRMATION = ['peg.confirm_observations', 'peg.confirm_spacing_s'];
const EXIT = ['peg.bands.*.exit_bps', 'peg.assets.*.exit_bps', ...PEG_SOURCES];

const FEED = [
  'oracle:{chain}:{feed_address}:*',
  'oracle:{chain}:*:{market_id}',
] as const satisfies EventSubject;
const PEG = ['peg:{chain}:{asset_name}'] as const satisfies EventSubject;

/** The event types about feeds and pegs, each detected by `event.<type>.sql` in this folder, and the policy values that each depends on. */
export const oracleDetectors = [
  defineDetector({
    type: 'oracle.stale',
    subject: FEED,
    threshold: 'oracle.grace_s',
    rules: { threshold: ['oracle'] },
  }),
  defineDetector({ type: 'oracle.classification.changed', subject: FEED }),
  defineDetector({ type: 'oracle.feed.invalid', subject: FEED }),
  defineDetector({
    type: 'peg.depeg.start',
    subject: PEG,
    rules: {
      threshold: [
        'peg.bands.*.enter_bps',
        'peg.bands.*.is_downside_only',
        'peg.is_feed_deviation_floor',
        'peg.feed_band_margin_bps',
        ...PEG_SOURCES,
        ...PEG_RULES.map((name) => `peg.${name}`),
        ...ofAssets(
          'enter_bps',
          'is_downside_only',
          'is_feed_deviation_floor',
          'feed_band_margin_bps',
          ...PEG_RULES,
        ),
      ],
      confirmation: [
        ...CONFIRMATION,
        'peg.immediate_multiple',
        ...ofAssets('confirm_observations', 'confirm_spacing_s', 'immediate_multiple'),
      ],
    },
  }),
  defineDetector({
    type: 'peg.depeg.end',
    subject: PEG,
    rules: {
      threshold: EXIT,
      confirmation: [...CONFIRMATION, ...ofAssets('confirm_observations', 'confirm_spacing_s')],
    },
  }),
  defineDetector({
    type: 'peg.depeg.recovered',
    subject: PEG,
    rules: {
      threshold: EXIT,
      confirmation: [
        'peg.recovery_hold_s',
        'peg.recovery_min_observed_fraction',
        ...ofAssets('recovery_hold_s', 'recovery_min_observed_fraction'),
      ],
    },
  }),
];

// The published oracle data: one document per provider with its pairs, one per pair with its week, one per pegged asset with the state
// that its detectors resume from, and pegs and feeds with their history.

const TICK_SECONDS = 300;
const oraclePairs = defineDataset({
  id: 'oracle-pairs',
  title: 'Price feeds of each oracle provider',
  table: 'out.oracle_pair',
  key: ['provider'],
  separator: '/',
  shape: 'list',
  order: 'pair, chain, feed_address',
  subject: { columns: { chain: 'chain', feed_address: 'feed_address' } },
  row: OraclePairSchema,
  updateCadenceSeconds: TICK_SECONDS,
});

const oracleParameters = defineDataset({
  id: 'oracle-parameters',
  title: 'Behaviour of each price feed on the last seven days',
  table: 'out.oracle_parameter',
  key: ['provider', 'pair'],
  separator: '/',
  shape: 'list',
  order: 'day desc, chain, feed_address',
  day: 'day',
  subject: { columns: { chain: 'chain', feed_address: 'feed_address' } },
  row: OracleParameterSchema,
  updateCadenceSeconds: TICK_SECONDS,
});

const detectorState = defineDataset({
  id: 'detector-state',
  title: 'State that the detectors of pegged assets resume from',
  table: 'out.detector_state',
  key: ['chain', 'asset_name', 'quote'],
  separator: '|',
  shape: 'one',
  order: '',
  subject: { columns: { chain: 'chain', asset_name: 'asset_name' } },
  // The registries decide which assets have sources.
  subjectsOf: [],
  isPostponed: true,
  row: DetectorStateSchema,
  updateCadenceSeconds: TICK_SECONDS,
});

const pegs = defineDataset({
  id: 'pegs',
  title: 'Pegged assets with their last observed price',
  table: 'out.peg',
  key: ['chain', 'asset_name'],
  separator: '|',
  shape: 'one',
  order: '',
  subject: { columns: { chain: 'chain', asset_name: 'asset_name' } },
  peers: 'other_pegs',
  subjectsOf: [],
  isPostponed: true,
  row: PegSchema,
  updateCadenceSeconds: TICK_SECONDS,
  series: defineSeries({
    definition: PEG_SERIES,
    table: 'derived.peg_point',
    day: 'day',
    at: 'observed_at',
    turn: 'place',
    key: ['chain', 'asset_name'],
    values: {
      price: 'cast(observed_price as double)',
      reference: 'cast(reference_price as double)',
      enter_bps: 'effective_enter_bps',
    },
    gaps: 'derived.peg_gap',
  }),
});

export const feeds = defineDataset({
  id: 'feeds',
  title: 'Price feeds with their last answer',
  table: 'out.feed',
  key: ['chain', 'feed_address'],
  separator: '|',
  shape: 'one',
  order: '',
  subject: { columns: { chain: 'chain', feed_address: 'feed_address' } },
  row: FeedSchema,
  updateCadenceSeconds: TICK_SECONDS,
  series: defineSeries({
    definition: FEED_SERIES,
    table: 'derived.feed_answer',
    day: 'day',
    at: 'observed_at',
    key: ['chain', 'feed_address'],
    values: { price: 'case when is_valid then price end' },
    gaps: 'derived.feed_gap',
  }),
});

export const oracles = defineDomain({
  id: 'oracles',
  title: 'Feeds and pegs',
  folder: new URL('./', import.meta.url),
  isFirstLook: true,
  raw: [feedRegistry, feedRound, feedBounds],
  essential: [feedRegistry, feedRound],
  policy: [oraclePolicy, marketHoursPolicy, pegPolicy],
  datasets: [oraclePairs, oracleParameters, detectorState, pegs, feeds],
  detectors: oracleDetectors,
  links: [
    {
      tables: 'derived.peg_source',
      of: { chain: 'chain', feed_address: 'feed_address' },
      to: { chain: 'chain', symbol: 'symbol', quote: 'quote', asset_id: 'asset_id' },
    },
    {
      tables: 'derived.peg_source',
      of: { chain: 'chain', pool: 'pool_address' },
      to: { chain: 'chain', symbol: 'symbol', quote: 'quote', asset_id: 'asset_id' },
    },
    {
      tables: 'derived.peg_asset',
      of: { chain: 'chain', symbol: 'symbol', quote: 'quote', asset_id: 'asset_id' },
      to: { chain: 'chain', asset_name: 'asset_name' },
    },
  ],
  demo: (settings) => [...demoSources(settings), ...exchangeDemoSources(settings)],
});
