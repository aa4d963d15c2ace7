// The domain of oracle paths: what the oracle of each lending market is made of, what it assumes, and what breaks when it is wrong.

import { defineDomain } from '../../define/domain.ts';
import { oraclePathList } from './dataset.ts';
import { oraclePathPolicy } from './policy.ts';
import { oracleLeg, oraclePrice } from './raw.ts';

export const oraclePaths = defineDomain({
  id: 'oracle-paths',
  title: 'Oracle paths',
  folder: new URL('./', import.meta.url),
  raw: [oracleLeg, oraclePrice],
  policy: [oraclePathPolicy],
  datasets: [oraclePathList],
  detectors: [],
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
  ],
});
