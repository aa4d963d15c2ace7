// The oracle domain: feeds, their rounds, and the freshness and pegs derived from them.

import { defineDomain } from '../../define/domain.ts';
import { detectorState, feeds, oraclePairs, oracleParameters, pegs } from './dataset.ts';
import { demoSources } from '../../sources/demo/oracles.ts';
import { oracleDetectors } from './detectors.ts';
import { pegPolicy } from './peg-policy.ts';
import { marketHoursPolicy, oraclePolicy } from './policy.ts';
import { feedBounds, feedRegistry, feedRound } from './raw.ts';

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
  demo: demoSources,
});
