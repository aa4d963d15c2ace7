// The endpoints of the made-up eighth family: the week of a bridge, the list of bridges, and the history of one.
import { Strict, Type } from '../../../../schemas/define.ts';
import { LegacyList } from '../../../../schemas/envelopes.ts';
import { listEndpoint } from '../../../../server/data/paging/list-endpoint.ts';
import { defineEndpoint } from '../../../../server/define/endpoint.ts';
import { filteredBy } from '../../../../server/define/list-shape.ts';
import { documentKeys, documentReply } from '../../../../server/replies/document-reply.ts';
import { seriesEndpoint } from '../../../../server/series/series-endpoint.ts';
import { BRIDGE_SERIES, BridgeDaySchema, BridgeTotalSchema } from './schema.ts';

const TAG = { name: 'Bridges', description: 'Transfers over bridges.' };
const BRIDGE = Strict({ bridge: Type.String({ description: 'Bridge, lower case', examples: ['hop'] }) });

export const getBridge = defineEndpoint({
  method: 'GET',
  path: '/data/bridges/:bridge',
  tag: TAG,
  summary: 'Transfers over a bridge on the last seven days',
  datasets: ['bridges'],
  access: { plan: 'free', scope: 'data:read' },
  envelope: 'legacy',
  cache: 'shared',
  params: BRIDGE,
  query: Strict({}),
  response: LegacyList(BridgeDaySchema),
  errors: ['invalid_request', 'not_found', 'unavailable', 'internal_error'],
  handle: ({ params }, services) => documentReply(services, 'bridges', params.bridge),
  *prepare(services) {
    for (const bridge of documentKeys(services, 'bridges')) yield { bridge };
  },
});

export const listBridges = listEndpoint({
  tag: TAG,
  path: '/v2/bridges',
  summary: 'Bridges and their transfers',
  access: 'open',
  shape: filteredBy(BRIDGE_SERIES.dataset, 'bridge'),
  filters: { bridge: 'bridges' },
  row: BridgeTotalSchema,
});

export const getBridgeHistory = seriesEndpoint({
  tag: TAG,
  path: '/v2/bridges/:bridge/history',
  summary: 'Transfers over a bridge, one record per day',
  access: 'open',
  definitions: [BRIDGE_SERIES],
  params: BRIDGE,
  keyOf: ({ bridge = '' }) => bridge,
  paramsOf: (bridge) => ({ bridge }),
});

/** All of them, as the registry of endpoints has them. */
export const BRIDGE_ENDPOINTS = [getBridge, listBridges, getBridgeHistory];
