// Governance of a protocol on the last seven days (4.8). Documents are sent as the jobs published them.
import { Strict, Type } from '../../schemas/define.ts';
import { LegacyList } from '../../schemas/envelopes.ts';
import { GovernanceRecordSchema } from '../../schemas/governance.ts';
import { defineEndpoint } from '../define.ts';
import { documentKeys, documentReply } from '../define-document.ts';

const GOVERNANCE = 'governance';

export const getGovernance = defineEndpoint({
  method: 'GET',
  path: '/data/governance/:protocol',
  summary: 'Proposals, votes and the spread of voting power of a protocol, a record a day, newest first',
  spec: '4.8',
  access: { plan: 'free', scope: 'data:read' },
  envelope: 'legacy',
  cache: 'shared',
  params: Strict({
    protocol: Type.String({ description: 'Protocol, lower case', examples: ['aave'] }),
  }),
  query: Strict({}),
  response: LegacyList(GovernanceRecordSchema),
  errors: ['invalid_request', 'not_found', 'unavailable', 'internal_error'],
  handle: ({ params }, services) => documentReply(services, GOVERNANCE, params.protocol),
  *prepare(services) {
    for (const protocol of documentKeys(services, GOVERNANCE)) yield { protocol };
  },
});
