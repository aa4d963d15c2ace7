// Statistics of layer-2 networks (4.12, decisions 8, 9). Documents are sent as the jobs published them.
import { Strict, Type } from '../../schemas/define.ts';
import { LegacyList } from '../../schemas/envelopes.ts';
import { Layer2StatisticSchema } from '../../schemas/layer2.ts';
import { defineEndpoint } from '../define/endpoint.ts';
import { TAGS } from '../define/tags.ts';
import { documentKeys, documentReply } from '../replies/document-reply.ts';

const STATISTICS = 'layer2-statistics';

export const getLayer2Statistics = defineEndpoint({
  method: 'GET',
  path: '/data/blockchain/:layer2',
  tag: TAGS.networks,
  summary: 'Statistics of a layer-2 network for the latest complete UTC day, with totals over 7 and 30 days',
  datasets: [STATISTICS],
  isDaily: true,
  access: { plan: 'free', scope: 'data:read' },
  envelope: 'legacy',
  cache: 'shared',
  params: Strict({
    layer2: Type.String({ description: 'Layer-2 network, lower case', examples: ['arbitrum', 'optimism'] }),
  }),
  query: Strict({}),
  response: LegacyList(Layer2StatisticSchema),
  errors: ['invalid_request', 'not_found', 'unavailable', 'internal_error'],
  handle: ({ params }, services) => documentReply(services, STATISTICS, params.layer2),
  *prepare(services) {
    for (const layer2 of documentKeys(services, STATISTICS)) yield { layer2 };
  },
});
