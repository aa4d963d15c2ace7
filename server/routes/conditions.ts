// All current conditions (decision 66): open to all callers, worst first, and within a severity by what they affect (decision 86).
import { type Condition, ConditionSchema } from '../../schemas/conditions.ts';
import { Strict } from '../../schemas/define.ts';
import { V2List } from '../../schemas/envelopes.ts';
import { defineEndpoint } from '../define/endpoint.ts';
import { missingDataset, servedVersion } from '../define/missing-data.ts';
import { listParameter, namesIn } from '../define/parameters.ts';
import type { LoadedDataset, Services } from '../services.ts';
import { TAGS } from '../define/tags.ts';
import { CONDITIONS, parsedCondition } from '../replies/condition-inputs.ts';
import { byWeight } from '../replies/condition-order.ts';

const query = {
  severity: listParameter('severities'),
  type: listParameter('types'),
  chain: listParameter('chains'),
  protocol: listParameter('protocols'),
};
const FILTERS = ['severity', 'type', 'chain', 'protocol'] as const;

export const listConditions = defineEndpoint({
  method: 'GET',
  path: '/v2/conditions',
  tag: TAGS.events,
  summary:
    'Current conditions, by severity, then by reach: everything that began and has not ended, with its first, worst and latest value, the rule it broke, and the markets, vaults, yields and dollars that it affects',
  datasets: [CONDITIONS],
  access: 'open',
  isBrowsed: true,
  envelope: 'v2',
  cache: 'shared',
  params: Strict({}),
  query: Strict(query),
  response: V2List(ConditionSchema),
  errors: ['invalid_request', 'unavailable', 'internal_error'],
  handle({ query: asked }, services) {
    const loaded = services.versions.current?.dataset(CONDITIONS);
    if (loaded === undefined) throw missingDataset(servedVersion(services), CONDITIONS);
    const wanted = FILTERS.map((name) => [name, namesIn(name, asked[name])] as const);
    const isWanted = (condition: Condition) =>
      wanted.every(
        ([name, names]) => names === undefined || names.has((condition[name] ?? '').toLowerCase()),
      );
    const payload = conditionsOf(loaded).toSorted(byWeight).filter(isWanted);
    const identity = services.identify(`${loaded.entry.sha256} ${JSON.stringify(asked)}`);
    return { payload, meta: { total: payload.length }, about: loaded.entry, identity };
  },
  *prepare({ versions }: Services) {
    if (versions.current?.dataset(CONDITIONS) !== undefined) yield {};
  },
});

const conditionsOf = ({ documents }: LoadedDataset): readonly Condition[] =>
  [...documents.keys()].map((key) => parsedCondition(documents.get(key)?.toString() ?? '{}'));
