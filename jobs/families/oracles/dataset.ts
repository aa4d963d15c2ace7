// The published oracle data: one document per provider with its pairs, one per pair with its week, one per pegged asset with the state
// that its detectors resume from, and pegs and feeds with their history.
import { DetectorStateSchema } from '../../../schemas/detector-state.ts';
import { FEED_SERIES, FeedSchema, PEG_SERIES, PegSchema } from '../../../schemas/oracle-series.ts';
import { OraclePairSchema, OracleParameterSchema } from '../../../schemas/oracles.ts';
import { defineDataset } from '../../define/dataset.ts';
import { defineSeries } from '../../define/series.ts';

const TICK_SECONDS = 300;
export const oraclePairs = defineDataset({
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

export const oracleParameters = defineDataset({
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

export const detectorState = defineDataset({
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

export const pegs = defineDataset({
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
