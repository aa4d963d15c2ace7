// The published oracle data: one document per provider with its pairs, one per pair with its week, and one per pegged asset with what
// its detectors continue from.
import { DetectorStateSchema } from '../../schemas/detector-state.ts';
import { OraclePairSchema, OracleParameterSchema } from '../../schemas/oracles.ts';
import { defineDataset } from '../define/dataset.ts';

const TICK_SECONDS = 300;
export const oraclePairs = defineDataset({
  id: 'oracle-pairs',
  title: 'Price feeds of each oracle provider',
  table: 'out.oracle_pair',
  key: ['provider'],
  separator: '/',
  shape: 'list',
  order: 'pair, chain, feed_address',
  subject: { chain: 'chain', feed_address: 'feed_address' },
  row: OraclePairSchema,
  updateCadenceSeconds: TICK_SECONDS,
});

export const oracleParameters = defineDataset({
  id: 'oracle-parameters',
  title: 'How each price feed behaved on the last seven days',
  table: 'out.oracle_parameter',
  key: ['provider', 'pair'],
  separator: '/',
  shape: 'list',
  order: 'day desc, chain, feed_address',
  day: 'day',
  subject: { chain: 'chain', feed_address: 'feed_address' },
  row: OracleParameterSchema,
  updateCadenceSeconds: TICK_SECONDS,
});

export const detectorState = defineDataset({
  id: 'detector-state',
  title: 'What the detectors of pegged assets continue from',
  table: 'out.detector_state',
  key: ['chain', 'asset_name', 'quote'],
  separator: '|',
  shape: 'one',
  order: '',
  subject: { chain: 'chain', symbol: 'symbol' },
  subjectsIn: 'derived.peg_source',
  // Which assets have sources follows from the registries.
  subjectsOf: [],
  row: DetectorStateSchema,
  updateCadenceSeconds: TICK_SECONDS,
});
