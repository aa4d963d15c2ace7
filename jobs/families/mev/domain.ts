// The MEV domain: value extracted from users by ordering the transactions of a block, and what builders pay for the right to order them.

import { HOUR_S } from '../../../platform/base/time.ts';
import { PROPOSER_PAYMENT_SERIES, ProposerPaymentSchema, SandwichSchema } from '../../../schemas/mev.ts';
import { dailySeries, defineDataset } from '../../define/dataset.ts';
import { defineDetector } from '../../define/detector.ts';
import { defineDomain } from '../../define/domain.ts';
import { mevDemoSources, paymentDemoSource } from '../../sources/demo/mev.ts';
import { mevPolicy } from './policy.ts';
import { mevSwap, relayPayment } from './raw.ts';

/** The event types about extraction, each detected by `event.<type>.sql` in this folder, and the policy values that each depends on. */
const mevDetectors = [
  defineDetector({
    type: 'mev.spike',
    subject: ['anomaly:mev_spike:{chain}:*', 'anomaly:mev_spike:{entity}:*'],
    cooldown: 6 * HOUR_S,
    threshold: 'anomaly.warn_z',
    rules: {
      threshold: ['anomaly.warn_z', 'anomaly.high_z', 'anomaly.critical_z', 'anomaly.mev_hour_usd'],
      confirmation: ['anomaly.baseline_days', 'anomaly.min_days'],
    },
  }),
  defineDetector({
    type: 'mev.sandwich.large',
    subject: ['pool:{chain}:{pool_id}'],
    cooldown: HOUR_S,
    threshold: 'mev.sandwich_large_usd',
    rules: {
      threshold: ['mev.sandwich_large_usd'],
      confirmation: ['mev.leg_tolerance'],
      units: [[/^mev\.leg_tolerance$/, 'fraction']],
    },
  }),
];

// The published MEV data: the sandwiches of the last seven days, by chain, and payments to proposers through relays, by network.

const mevSandwiches = defineDataset({
  id: 'mev-sandwiches',
  title: 'Sandwiches of the last seven days',
  table: 'out.mev_sandwich',
  key: ['chain'],
  separator: '/',
  shape: 'list',
  order: 'block_number desc, pool_id, front_index',
  subject: { columns: { chain: 'chain', pool_id: 'pool_id' } },
  isSparse: true,
  row: SandwichSchema,
  updateCadenceSeconds: 300,
});

const proposerPayments = defineDataset({
  id: 'proposer-payments',
  title: 'Payments to proposers of blocks through relays on the last seven complete days',
  table: 'out.proposer_payment',
  key: ['network'],
  separator: '/',
  shape: 'list',
  order: 'day desc',
  day: 'day',
  subject: { columns: { network: 'network' } },
  row: ProposerPaymentSchema,
  updateCadenceSeconds: 86_400,
  series: dailySeries({
    definition: PROPOSER_PAYMENT_SERIES,
    table: 'derived.proposer_payment_day',
    key: ['network'],
  }),
});

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
