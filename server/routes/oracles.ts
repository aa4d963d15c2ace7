// Oracle pairs and their weekly parameters (4.16, 4.17; decisions 10, 11). Documents are sent as the jobs published them.
import { Strict, Type } from '../../schemas/define.ts';
import { LegacyList } from '../../schemas/envelopes.ts';
import { OraclePairSchema, OracleParameterSchema } from '../../schemas/oracles.ts';
import { defineEndpoint } from '../define/endpoint.ts';
import type { Services } from '../services.ts';
import { TAGS } from '../define/tags.ts';
import { documentKeys, documentReply } from '../replies/document-reply.ts';

const PAIRS = 'oracle-pairs';
const PARAMETERS = 'oracle-parameters';

const provider = Type.String({ description: 'Oracle provider, lower case', examples: ['chainlink'] });
const access = { plan: 'free', scope: 'oracle:read' } as const;

export const listOraclePairs = defineEndpoint({
  method: 'GET',
  path: '/data/oracle/:provider/pairs',
  tag: TAGS.oracles,
  summary: 'Price feed pairs of an oracle provider',
  datasets: [PAIRS],
  access,
  envelope: 'legacy',
  cache: 'shared',
  params: Strict({ provider }),
  query: Strict({}),
  response: LegacyList(OraclePairSchema),
  errors: ['invalid_request', 'not_found', 'unavailable', 'internal_error'],
  handle: ({ params }, services) => documentReply(services, PAIRS, params.provider),
  *prepare(services) {
    for (const key of documentKeys(services, PAIRS)) yield { provider: key };
  },
});

export const getOraclePair = defineEndpoint({
  method: 'GET',
  path: '/data/oracle/:provider/:pair',
  tag: TAGS.oracles,
  summary: 'Weekly dynamic parameters of a price feed pair, one row per day, newest first',
  datasets: [PARAMETERS],
  isDaily: true,
  access,
  envelope: 'legacy',
  cache: 'shared',
  params: Strict({
    provider,
    pair: Type.String({ description: '`<BASE>-<QUOTE>`, in any case', examples: ['ETH-USD'] }),
  }),
  query: Strict({}),
  response: LegacyList(OracleParameterSchema),
  errors: ['invalid_request', 'not_found', 'unavailable', 'internal_error'],
  handle({ params: { provider, pair: given } }, services) {
    const pair = given.toUpperCase();
    return isSilent(services, provider, pair)
      ? { payload: [] }
      : documentReply(services, PARAMETERS, `${provider}/${pair}`);
  },
  *prepare(services) {
    for (const key of documentKeys(services, PARAMETERS)) {
      const slash = key.indexOf('/');
      yield { provider: key.slice(0, slash), pair: key.slice(slash + 1) };
    }
  },
});

/** A pair that its provider lists, none of whose feeds has ever answered: it exists, and has no days to describe. */
function isSilent({ versions }: Services, provider: string, pair: string): boolean {
  const parameters = versions.current?.dataset(PARAMETERS);
  if (parameters === undefined || parameters.documents.get(`${provider}/${pair}`) !== undefined) return false;
  const listed = versions.current?.dataset(PAIRS)?.documents.get(provider);
  const feeds = listed === undefined ? [] : (JSON.parse(listed.toString()) as readonly { pair: string }[]);
  return feeds.some((feed) => feed.pair === pair);
}
