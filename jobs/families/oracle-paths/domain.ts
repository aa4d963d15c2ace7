// The domain of oracle paths: what the oracle of each lending market is made of, what it assumes, and what breaks when it is wrong.

import { ORACLE_PATH_SERIES, OraclePathSchema } from '../../../schemas/oracle-paths.ts';
import { defineDataset, defineSeries } from '../../define/dataset.ts';
import { defineDetector } from '../../define/detector.ts';
import { defineDomain } from '../../define/domain.ts';
import type { EventSubject } from '../../define/subject.ts';
import { oraclePathDemoSources } from '../../sources/demo/oracle-paths.ts';
import { oraclePathPolicy } from './policy.ts';
import { oracleLeg, oraclePrice } from './raw.ts';

const oraclePathList = defineDataset({
  id: 'oracle-paths',
  title: 'Oracles of lending markets, what they assume, and what breaks when they are wrong',
  table: 'out.oracle_path',
  key: ['chain', 'market_id'],
  separator: ':',
  shape: 'one',
  order: '',
  subject: { columns: { chain: 'chain', market_id: 'market_id' } },
  subjectsOf: ['oracle_price'],
  row: OraclePathSchema,
  updateCadenceSeconds: 300,
  series: defineSeries({
    definition: ORACLE_PATH_SERIES,
    table: 'derived.oracle_series_point',
    day: 'day',
    at: 'observed_at',
    key: ['chain', 'market_id'],
    values: {
      unrealised_bad_debt_low_usd: 'bad_debt_low_usd',
      unrealised_bad_debt_high_usd: 'bad_debt_high_usd',
    },
  }),
});

const ASSUMPTION = ['assumption:{chain}:{assumption_id}'] as const satisfies EventSubject;

const rules = {
  threshold: [
    'oracle_paths.default_enter_bps',
    'oracle_paths.margin_bps',
    'oracle_paths.cap_enter_bps',
    'peg.bands',
  ],
  confirmation: [
    'oracle_paths.confirm_observations',
    'oracle_paths.confirm_spacing_s',
    'oracle_paths.immediate_multiple',
    'oracle_paths.min_debt_usd',
  ],
};

/** The event types about assumptions of oracles and changes of their paths, each detected by `event.<type>.sql` in this folder. */
const oraclePathDetectors = [
  defineDetector({ type: 'oracle.assumption.broken', subject: ASSUMPTION, rules }),
  defineDetector({ type: 'oracle.assumption.restored', subject: ASSUMPTION, rules }),
  defineDetector({
    type: 'oracle.path.changed',
    subject: ['oracle_contract:{chain}:{oracle_address}'],
    rules: { threshold: ['oracle_paths.jump_bps'] },
  }),
];

export const oraclePaths = defineDomain({
  id: 'oracle-paths',
  title: 'Oracle paths',
  folder: new URL('./', import.meta.url),
  raw: [oracleLeg, oraclePrice],
  policy: [oraclePathPolicy],
  datasets: [oraclePathList],
  detectors: oraclePathDetectors,
  links: [
    {
      tables:
        'derived.assumption_test t join derived.feed_version v on v.chain = t.feed_chain and v.feed_address = t.feed_address',
      of: { chain: 'v.chain', pool: 'v.pool_address' },
      to: { chain: 't.chain', assumption_id: 't.assumption_id' },
    },
    {
      tables:
        'derived.assumption_test t join derived.feed_version v on v.chain = t.feed_chain and v.feed_address = t.feed_address join derived.path_assumption a on a.chain = t.chain and a.assumption_id = t.assumption_id',
      of: { chain: 'v.chain', pool: 'v.pool_address' },
      to: { chain: 'a.chain', market_id: 'a.market_id' },
    },
    {
      tables:
        'derived.assumption_test t join derived.path_assumption a on a.chain = t.chain and a.assumption_id = t.assumption_id',
      of: { chain: 't.feed_chain', feed_address: 't.feed_address' },
      to: { chain: 'a.chain', market_id: 'a.market_id' },
    },
    {
      tables: 'derived.assumption_test',
      of: { chain: 'feed_chain', feed_address: 'feed_address' },
      to: { chain: 'chain', assumption_id: 'assumption_id' },
    },
    {
      tables: 'derived.path_assumption',
      of: { chain: 'chain', market_id: 'market_id' },
      to: { chain: 'chain', assumption_id: 'assumption_id' },
    },
    {
      tables:
        "derived.exposure_holding h join derived.path_assumption a on h.held_node = concat('market:', a.chain, ':', a.market_id)",
      of: { node: 'h.node' },
      to: { chain: 'a.chain', assumption_id: 'a.assumption_id' },
    },
    {
      tables: 'derived.oracle_path_span',
      of: { chain: 'chain', market_id: 'market_id' },
      to: { chain: 'chain', oracle_address: 'oracle_address' },
    },
  ],
  demo: oraclePathDemoSources,
});
