// Restaking protocols and base protocols (4.13-4.15). As documented, bodies are `{data}` without a status, and an internal error is 505.
import { Strict, Type } from '../../schemas/define.ts';
import { LegacyData } from '../../schemas/envelopes.ts';
import { BaseRestakingSchema, RestakingProtocolSchema } from '../../schemas/restaking.ts';
import { defineEndpoint } from '../define/endpoint.ts';
import { TAGS } from '../define/tags.ts';
import { documentKeys, documentReply } from '../replies/document-reply.ts';

const WEEK = 'restaking-week';
const LATEST = 'restaking-latest';
const BASE_WEEK = 'base-restaking-week';
/** Key of the document that holds the whole week. */
const ALL = 'all';

const family = {
  method: 'GET',
  access: { plan: 'free', scope: 'data:read' },
  envelope: 'legacy_data',
  cache: 'shared',
  query: Strict({}),
  errors: ['invalid_request', 'not_found', 'unavailable', 'internal_error'],
  internalErrorStatus: 505,
} as const;

export const listRestaking = defineEndpoint({
  ...family,
  path: '/data/restaking',
  tag: TAGS.restaking,
  summary: 'Restaking protocols over the last seven days, newest first',
  datasets: [WEEK],
  isDaily: true,
  params: Strict({}),
  response: LegacyData(RestakingProtocolSchema),
  handle: (_, services) => documentReply(services, WEEK, ALL),
  *prepare(services) {
    for (const _ of documentKeys(services, WEEK)) yield {};
  },
});

export const getRestaking = defineEndpoint({
  ...family,
  path: '/data/restaking/:protocol',
  tag: TAGS.restaking,
  summary: 'Latest record of a restaking protocol',
  datasets: [LATEST],
  isDaily: true,
  params: Strict({
    protocol: Type.String({
      description: 'Restaking protocol, lower case, without spaces',
      examples: ['renzo'],
    }),
  }),
  response: LegacyData(RestakingProtocolSchema),
  handle: ({ params }, services) => documentReply(services, LATEST, params.protocol),
  *prepare(services) {
    for (const protocol of documentKeys(services, LATEST)) yield { protocol };
  },
});

export const getBaseRestaking = defineEndpoint({
  ...family,
  path: '/data/:base_restaking',
  tag: TAGS.restaking,
  summary: 'A base restaking protocol over the last seven days, newest first',
  datasets: [BASE_WEEK],
  isDaily: true,
  params: Strict({
    base_restaking: Type.String({
      description: 'Base restaking protocol, lower case',
      examples: ['eigenlayer'],
    }),
  }),
  response: LegacyData(BaseRestakingSchema),
  handle: ({ params }, services) => documentReply(services, BASE_WEEK, params.base_restaking),
  *prepare(services) {
    for (const base_restaking of documentKeys(services, BASE_WEEK)) yield { base_restaking };
  },
});
