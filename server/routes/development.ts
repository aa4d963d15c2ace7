// Development scores of protocols and blockchains over the last seven days (4.4-4.6). Documents are sent as the jobs published them.
import { Strict, Type } from '../../schemas/define.ts';
import { DevelopmentRecordSchema } from '../../schemas/development.ts';
import { LegacyList } from '../../schemas/envelopes.ts';
import { defineEndpoint } from '../define/endpoint.ts';
import { missingDataset, servedVersion } from '../define/missing-data.ts';
import type { Services } from '../services.ts';
import { TAGS } from '../define/tags.ts';
import { documentKeys, documentReply } from '../replies/document-reply.ts';

const PROTOCOLS = 'development-protocols';
const BLOCKCHAINS = 'development-blockchains';
const SCORES = 'development-scores';
const ALL = 'all';

const access = { plan: 'free', scope: 'scores:read' } as const;

export const getProtocolDevelopment = defineEndpoint({
  method: 'GET',
  path: '/scores/development/protocols/:protocol',
  tag: TAGS.scores,
  summary: 'Development score of a protocol, one record per day, newest first',
  datasets: [PROTOCOLS],
  isDaily: true,
  access,
  envelope: 'legacy',
  cache: 'shared',
  params: Strict({
    protocol: Type.String({
      description: 'Name of the protocol in lower case, without spaces',
      examples: ['aave', 'curvefinance'],
    }),
  }),
  query: Strict({}),
  response: LegacyList(DevelopmentRecordSchema),
  errors: ['invalid_request', 'not_found', 'unavailable', 'internal_error'],
  handle: ({ params }, services) => documentReply(services, PROTOCOLS, params.protocol),
  *prepare(services) {
    for (const protocol of documentKeys(services, PROTOCOLS)) yield { protocol };
  },
});

export const getBlockchainDevelopment = defineEndpoint({
  method: 'GET',
  path: '/scores/development/blockchain/:blockchain',
  tag: TAGS.scores,
  summary: 'Development score of a blockchain, one record per day, newest first',
  datasets: [BLOCKCHAINS],
  isDaily: true,
  access,
  envelope: 'legacy',
  cache: 'shared',
  params: Strict({
    blockchain: Type.String({
      description: 'Name of the blockchain in lower case, without spaces',
      examples: ['ethereum'],
    }),
  }),
  query: Strict({}),
  response: LegacyList(DevelopmentRecordSchema),
  errors: ['invalid_request', 'not_found', 'unavailable', 'internal_error'],
  handle: ({ params }, services) => documentReply(services, BLOCKCHAINS, params.blockchain),
  *prepare(services) {
    for (const blockchain of documentKeys(services, BLOCKCHAINS)) yield { blockchain };
  },
});

const hasScores = ({ versions }: Services) =>
  versions.current?.dataset(SCORES)?.documents.get(ALL) !== undefined;

/** The specification has no 404 here: without tracked repositories the list is empty. */
export const listDevelopment = defineEndpoint({
  method: 'GET',
  path: '/scores/development',
  tag: TAGS.scores,
  summary: 'Development scores of all protocols and blockchains, one record each per day, newest first',
  datasets: [SCORES],
  isDaily: true,
  access,
  envelope: 'legacy',
  cache: 'shared',
  params: Strict({}),
  query: Strict({}),
  response: LegacyList(DevelopmentRecordSchema),
  errors: ['invalid_request', 'unavailable', 'internal_error'],
  failureMessage: 'The data could not be retrieved.',
  handle: (_, services) => {
    // The first version of a folder may precede the scores, in which case it is not yet known that nothing is tracked.
    if (services.versions.current?.dataset(SCORES) === undefined)
      throw missingDataset(servedVersion(services), SCORES);
    return hasScores(services) ? documentReply(services, SCORES, ALL) : { payload: [] };
  },
  *prepare(services) {
    if (hasScores(services)) yield {};
  },
});
