// Social channels (4.1-4.3). Documents are sent as the jobs published them.
import { Strict, Type } from '../../schemas/define.ts';
import { LegacyList } from '../../schemas/envelopes.ts';
import { SocialProtocolSchema, SocialScoreSchema } from '../../schemas/social.ts';
import { defineEndpoint } from '../define/endpoint.ts';
import { TAGS } from '../define/tags.ts';
import { documentKeys, documentReply } from '../replies/document-reply.ts';

const PROTOCOLS = 'social-protocols';
const SCORES = 'social-scores';

const shared = {
  method: 'GET',
  access: { plan: 'free', scope: 'scores:read' },
  envelope: 'legacy',
  cache: 'shared',
  query: Strict({}),
  errors: ['invalid_request', 'not_found', 'unavailable', 'internal_error'],
} as const;

export const listSocialProtocols = defineEndpoint({
  ...shared,
  path: '/scores/social/protocols/:channel',
  tag: TAGS.scores,
  summary: 'Protocols tracked on a social channel',
  datasets: [PROTOCOLS],
  params: Strict({
    channel: Type.String({ description: 'Channel, lower case', examples: ['discord', 'reddit'] }),
  }),
  response: LegacyList(SocialProtocolSchema),
  handle: ({ params }, services) => documentReply(services, PROTOCOLS, params.channel),
  *prepare(services) {
    for (const channel of documentKeys(services, PROTOCOLS)) yield { channel };
  },
});

export const getDiscordScores = scoresOf('discord');
export const getRedditScores = scoresOf('reddit');

function scoresOf(channel: string) {
  return defineEndpoint({
    ...shared,
    path: `/scores/social/${channel}/:protocol`,
    tag: TAGS.scores,
    summary: `Messages, sentiment and topics of a protocol on ${channel} over the last seven days, one row per day, newest first`,
    datasets: [SCORES],
    isDaily: true,
    params: Strict({
      protocol: Type.String({ description: 'A protocol_id from the list, lower case', examples: ['aave'] }),
    }),
    response: LegacyList(SocialScoreSchema),
    handle: ({ params }, services) => documentReply(services, SCORES, `${channel}/${params.protocol}`),
    *prepare(services) {
      for (const key of documentKeys(services, SCORES)) {
        const slash = key.indexOf('/');
        if (key.slice(0, slash) === channel) yield { protocol: key.slice(slash + 1) };
      }
    },
  });
}
