// The domain of oracle paths: what the oracle of each lending market is made of, what it assumes, and what breaks when it is wrong.

import { defineDomain } from '../../define/domain.ts';
import { oraclePathList } from './dataset.ts';
import { oraclePathDemoSources } from '../../sources/demo/oracle-paths.ts';
import { oraclePathDetectors } from './detectors.ts';
import { oraclePathPolicy } from './policy.ts';
import { oracleLeg, oraclePrice } from './raw.ts';

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
