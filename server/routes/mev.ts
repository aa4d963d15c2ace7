// Daily payments to block proposers through relays.
import { Strict, Type } from '../../schemas/define.ts';
import { V2Document } from '../../schemas/envelopes.ts';
import { PROPOSER_PAYMENT_SERIES, ProposerPaymentSchema } from '../../schemas/mev.ts';
import { defineEndpoint } from '../define/endpoint.ts';
import { TAGS } from '../define/tags.ts';
import { aboutDocumentReply, documentKeys } from '../replies/document-reply.ts';
import { seriesEndpoint } from '../series/series-endpoint.ts';

const { dataset } = PROPOSER_PAYMENT_SERIES;
const NETWORK = Strict({
  network: Type.String({ description: 'Network name, lower case', examples: ['ethereum'] }),
});

export const getProposerPayments = defineEndpoint({
  method: 'GET',
  tag: TAGS.networks,
  path: '/v2/networks/:network/proposer-payments',
  summary: 'Payments from builders to block proposers through relays on the last seven complete days',
  datasets: [dataset],
  access: 'open',
  isBrowsed: true,
  envelope: 'v2',
  cache: 'shared',
  isDaily: true,
  params: NETWORK,
  query: Strict({}),
  response: V2Document(Type.Array(ProposerPaymentSchema)),
  errors: ['invalid_request', 'not_found', 'unavailable', 'internal_error'],
  handle: ({ params }, services) => aboutDocumentReply(services, dataset, params.network),
  *prepare(services) {
    for (const network of documentKeys(services, dataset)) yield { network };
  },
});

export const getProposerPaymentHistory = seriesEndpoint({
  tag: TAGS.networks,
  path: '/v2/networks/:network/proposer-payments/history',
  summary: 'Payments to block proposers through relays, one record per day',
  access: 'open',
  definitions: [PROPOSER_PAYMENT_SERIES],
  params: NETWORK,
  keyOf: ({ network = '' }) => network,
  paramsOf: (key) => ({ network: key }),
});
