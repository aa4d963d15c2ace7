// The published MEV data: the sandwiches of the last seven days, by chain, and payments to proposers through relays, by network.
import { PROPOSER_PAYMENT_SERIES, ProposerPaymentSchema, SandwichSchema } from '../../../schemas/mev.ts';
import { defineDataset } from '../../define/dataset.ts';
import { dailySeries } from '../../define/series.ts';

export const mevSandwiches = defineDataset({
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

export const proposerPayments = defineDataset({
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
