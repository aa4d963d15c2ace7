// Statistics of network A (4.9, 4.10). Documents are sent as the jobs published them. Only networks with statistics are served.
import { Strict, Type } from '../../schemas/define.ts';
import { LegacyList } from '../../schemas/envelopes.ts';
import { NetworkAStatisticsSchema, TransactionStatisticsSchema } from '../../schemas/network-a.ts';
import { defineEndpoint } from '../define/endpoint.ts';
import { TAGS } from '../define/tags.ts';
import { documentKeys, documentReply } from '../replies/document-reply.ts';

const TRANSACTIONS = 'network-a-transaction-statistics';
const ACTIVITY = 'network-a-activity';
const NETWORK = 'network-a-network-statistics';

const shared = {
  method: 'GET',
  access: { plan: 'free', scope: 'data:read' },
  envelope: 'legacy',
  cache: 'shared',
  params: Strict({
    network: Type.String({ description: 'Network name, lower case', examples: ['ethereum'] }),
  }),
  query: Strict({}),
  errors: ['invalid_request', 'not_found', 'unavailable', 'internal_error'],
} as const;

export const getTransactionStatistics = defineEndpoint({
  ...shared,
  path: '/data/blockchain/:network/transaction-statistics',
  tag: TAGS.networks,
  summary: 'Blocks and transactions over the last seven days, newest first',
  datasets: [TRANSACTIONS, ACTIVITY],
  isDaily: true,
  response: LegacyList(TransactionStatisticsSchema),
  handle: ({ params }, services) => documentReply(services, TRANSACTIONS, params.network),
  *prepare(services) {
    for (const network of documentKeys(services, TRANSACTIONS)) yield { network };
  },
});

export const getNetworkStatistics = defineEndpoint({
  ...shared,
  path: '/data/blockchain/:network/network-statistics',
  tag: TAGS.networks,
  summary: 'Validators, stake and supply over the last seven days, newest first',
  datasets: [NETWORK],
  isDaily: true,
  response: LegacyList(NetworkAStatisticsSchema),
  handle: ({ params }, services) => documentReply(services, NETWORK, params.network),
  *prepare(services) {
    for (const network of documentKeys(services, NETWORK)) yield { network };
  },
});
