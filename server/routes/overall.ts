// The overall score of a protocol over the last seven days (4.7), and the receipt of each of those days (decision 1). Documents are sent as
// the jobs published them.
import { Strict, Type } from '../../schemas/define.ts';
import { LegacyList, V2DailyDocument } from '../../schemas/envelopes.ts';
import { OverallReceiptSchema, OverallScoreSchema } from '../../schemas/overall.ts';
import { defineEndpoint } from '../define/endpoint.ts';
import { TAGS } from '../define/tags.ts';
import { aboutDocumentReply, documentKeys, documentReply } from '../replies/document-reply.ts';

const SCORES = 'overall-scores';
const RECEIPTS = 'overall-receipts';

const shared = {
  method: 'GET',
  cache: 'shared',
  params: Strict({
    protocol: Type.String({ description: 'Protocol, lower case', examples: ['aave'] }),
  }),
  query: Strict({}),
  errors: ['invalid_request', 'not_found', 'unavailable', 'internal_error'],
} as const;

export const getOverallScores = defineEndpoint({
  ...shared,
  path: '/scores/overall/:protocol',
  access: { plan: 'free', scope: 'scores:read' },
  tag: TAGS.scores,
  summary: 'Overall score of a protocol on each of the last seven days, newest first',
  datasets: [SCORES],
  isDaily: true,
  envelope: 'legacy',
  response: LegacyList(OverallScoreSchema),
  handle: ({ params }, services) => documentReply(services, SCORES, params.protocol),
  *prepare(services) {
    for (const protocol of documentKeys(services, SCORES)) yield { protocol };
  },
});

export const getOverallReceipts = defineEndpoint({
  ...shared,
  path: '/v2/scores/overall/:protocol',
  access: 'open',
  isBrowsed: true,
  tag: TAGS.scores,
  summary:
    'Components of the overall score of a protocol on each of the last seven days, newest first, or the reason why a day has no score',
  datasets: [RECEIPTS],
  isDaily: true,
  envelope: 'v2',
  response: V2DailyDocument(Type.Array(OverallReceiptSchema)),
  handle: ({ params }, services) => aboutDocumentReply(services, RECEIPTS, params.protocol),
  *prepare(services) {
    for (const protocol of documentKeys(services, RECEIPTS)) yield { protocol };
  },
});
