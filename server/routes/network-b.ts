// Statistics of network B (4.11). Documents are sent as the jobs published them. Only networks with statistics are served.
import { Strict, Type } from '../../schemas/define.ts';
import { LegacyList } from '../../schemas/envelopes.ts';
import { NetworkBStatisticsSchema } from '../../schemas/network-b.ts';
import { defineEndpoint } from '../define/endpoint.ts';
import { TAGS } from '../define/tags.ts';
import { documentKeys, documentReply } from '../replies/document-reply.ts';

const DATASET = 'network-b-statistics';

export const getNetworkBStatistics = defineEndpoint({
  method: 'GET',
  path: '/data/blockchain/:network',
  tag: TAGS.networks,
  summary: 'Validators, supply and usage over the last seven days, newest first',
  datasets: [DATASET],
  isDaily: true,
  access: { plan: 'free', scope: 'data:read' },
  envelope: 'legacy',
  cache: 'shared',
  params: Strict({
    network: Type.String({ description: 'Network name, lower case', examples: ['near'] }),
  }),
  query: Strict({}),
  response: LegacyList(NetworkBStatisticsSchema),
  errors: ['invalid_request', 'not_found', 'unavailable', 'internal_error'],
  handle: ({ params }, services) => documentReply(services, DATASET, params.network),
  *prepare(services) {
    for (const network of documentKeys(services, DATASET)) yield { network };
  },
});
