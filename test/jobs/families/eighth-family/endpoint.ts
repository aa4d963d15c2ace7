// The endpoint of the made-up eighth family: the week of a bridge.
import { Strict, Type } from '../../../../schemas/define.ts';
import { LegacyList } from '../../../../schemas/envelopes.ts';
import { defineEndpoint } from '../../../../server/define/endpoint.ts';
import { documentKeys, documentReply } from '../../../../server/replies/document-reply.ts';
import { BridgeDaySchema } from './schema.ts';

export const getBridge = defineEndpoint({
  method: 'GET',
  path: '/data/bridges/:bridge',
  tag: { name: 'Bridges', description: 'Transfers over bridges.' },
  summary: 'Transfers over a bridge on the last seven days',
  datasets: ['bridges'],
  access: { plan: 'free', scope: 'data:read' },
  envelope: 'legacy',
  cache: 'shared',
  params: Strict({ bridge: Type.String({ description: 'Bridge, lower case', examples: ['hop'] }) }),
  query: Strict({}),
  response: LegacyList(BridgeDaySchema),
  errors: ['invalid_request', 'not_found', 'unavailable', 'internal_error'],
  handle: ({ params }, services) => documentReply(services, 'bridges', params.bridge),
  *prepare(services) {
    for (const bridge of documentKeys(services, 'bridges')) yield { bridge };
  },
});
