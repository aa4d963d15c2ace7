// The MEV domain: value extracted from users by ordering the transactions of a block, and what builders pay for the right to order them.

import { defineDomain } from '../../define/domain.ts';
import { mevSandwiches, proposerPayments } from './dataset.ts';
import { mevDemoSources, paymentDemoSource } from '../../sources/demo/mev.ts';
import { mevDetectors } from './detectors.ts';
import { mevPolicy } from './policy.ts';
import { mevSwap, relayPayment } from './raw.ts';

export const mev = defineDomain({
  id: 'mev',
  title: 'MEV',
  folder: new URL('./', import.meta.url),
  raw: [mevSwap, relayPayment],
  policy: [mevPolicy],
  datasets: [mevSandwiches, proposerPayments],
  detectors: mevDetectors,
  links: [
    {
      tables:
        'derived.feed_version v join policy.mev_token t on t.pair = v.pair join obs.mev_swap s on s.chain = t.chain and t.token in (s.token_in, s.token_out)',
      of: { chain: 'v.chain', feed_address: 'v.feed_address' },
      to: { chain: 's.chain', pool_id: 's.pool_id' },
    },
  ],
  demo: (settings) => [...mevDemoSources(settings), paymentDemoSource(settings)],
});
