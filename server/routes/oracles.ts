// Oracle pairs and their weekly parameters (4.16, 4.17; decisions 10, 11). Documents are sent as the jobs published them.
import { Strict, Type } from '../../schemas/define.ts';
import { LegacyList } from '../../schemas/envelopes.ts';
import { OraclePairSchema, OracleParameterSchema } from '../../schemas/oracles.ts';
import { documentKeys, documentReply } from '../define/document-reply.ts';
import { defineEndpoint } from '../define/endpoint.ts';
import { TAGS } from '../define/tags.ts';

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
  handle: ({ params }, services) =>
    documentReply(services, PARAMETERS, `${params.provider}/${params.pair.toUpperCase()}`),
  *prepare(services) {
    for (const key of documentKeys(services, PARAMETERS)) {
      const slash = key.indexOf('/');
      yield { provider: key.slice(0, slash), pair: key.slice(slash + 1) };
    }
  },
});
