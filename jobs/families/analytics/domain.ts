// The analytics domain: the inputs of exits, portfolios and simulations, published so that any reader can repeat the computation.

import { defineDomain } from '../../define/domain.ts';
import { exitBacktests, exitInputs, returnInputs, riskBacktests } from './dataset.ts';
import { analyticsPolicy } from './policy.ts';
import { exitBacktest, riskBacktest } from './raw.ts';

export const analytics = defineDomain({
  id: 'analytics',
  title: 'Analytics',
  folder: new URL('./', import.meta.url),
  raw: [riskBacktest, exitBacktest],
  policy: [analyticsPolicy],
  datasets: [exitInputs, returnInputs, riskBacktests, exitBacktests],
  detectors: [],
  links: [
    {
      tables: 'derived.dollar_feed',
      of: { chain: 'chain', feed_address: 'feed_address' },
      to: { symbol: 'symbol' },
    },
  ],
});
