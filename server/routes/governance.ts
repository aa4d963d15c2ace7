// Governance of a protocol over the last seven days: as records (4.8), and with figures that have no field in them (decision 6). Documents
// are sent as the jobs published them.
import { Strict, Type } from '../../schemas/define.ts';
import { LegacyList, V2DailyDocument } from '../../schemas/envelopes.ts';
import { GovernanceFigureSchema, GovernanceRecordSchema } from '../../schemas/governance.ts';
import { defineEndpoint } from '../define/endpoint.ts';
import { TAGS } from '../define/tags.ts';
import { aboutDocumentReply, documentKeys, documentReply } from '../replies/document-reply.ts';

const RECORDS = 'governance';
const FIGURES = 'governance-figures';

const shared = {
  method: 'GET',
  access: { plan: 'free', scope: 'data:read' },
  cache: 'shared',
  params: Strict({
    protocol: Type.String({ description: 'Protocol, lower case', examples: ['aave'] }),
  }),
  query: Strict({}),
  errors: ['invalid_request', 'not_found', 'unavailable', 'internal_error'],
} as const;

export const getGovernance = defineEndpoint({
  ...shared,
  path: '/data/governance/:protocol',
  tag: TAGS.governance,
  summary:
    'Proposals, votes and distribution of voting power of a protocol, one record per day, newest first',
  datasets: [RECORDS],
  isDaily: true,
  envelope: 'legacy',
  response: LegacyList(GovernanceRecordSchema),
  handle: ({ params }, services) => documentReply(services, RECORDS, params.protocol),
  *prepare(services) {
    for (const protocol of documentKeys(services, RECORDS)) yield { protocol };
  },
});

export const getGovernanceFigures = defineEndpoint({
  ...shared,
  path: '/v2/data/governance/:protocol',
  tag: TAGS.governance,
  summary:
    'Governance of a protocol on each of the last seven days, newest first, with the voting power cast, concentration measures, and gaps',
  datasets: [FIGURES],
  isDaily: true,
  envelope: 'v2',
  response: V2DailyDocument(Type.Array(GovernanceFigureSchema)),
  handle: ({ params }, services) => aboutDocumentReply(services, FIGURES, params.protocol),
  *prepare(services) {
    for (const protocol of documentKeys(services, FIGURES)) yield { protocol };
  },
});
