// All current conditions (decision 66): open to all callers, worst first, and within a severity by what they affect (decision 86).
import { CONDITIONS_WITHOUT_EVENT, type Condition, ConditionSchema } from '../../schemas/conditions.ts';
import { Strict } from '../../schemas/define.ts';
import { uncheckedSchema, unmatchedSchema, V2List } from '../../schemas/envelopes.ts';
import { SEVERITIES } from '../../schemas/event.ts';
import { EVENT_TYPES } from '../../schemas/events.ts';
import { defineEndpoint } from '../define/endpoint.ts';
import { refuseOthers, uncheckedMember, unmatchedMember } from '../define/filter-values.ts';
import { currentVersion, missingDataset, servedVersion } from '../define/missing-data.ts';
import { listParameter, namesIn } from '../define/parameters.ts';
import { TAGS } from '../define/tags.ts';
import { CONDITIONS, parsedCondition } from '../replies/condition-inputs.ts';
import { byWeight } from '../replies/condition-order.ts';
import { eventNames, refuseUnknownNames } from '../replies/known-names.ts';
import type { LoadedDataset, Services } from '../services.ts';

const CONDITION_TYPES = [...EVENT_TYPES, ...CONDITIONS_WITHOUT_EVENT];
const query = {
  severity: listParameter('severities', SEVERITIES),
  type: listParameter('types'),
  chain: listParameter('chains'),
  protocol: listParameter('protocols'),
};
const FILTERS = ['severity', 'type', 'chain', 'protocol'] as const;
type Filter = (typeof FILTERS)[number];

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
  response: V2List(ConditionSchema, { unmatched: unmatchedSchema, unchecked: uncheckedSchema }),
  errors: ['invalid_request', 'unavailable', 'internal_error'],
  handle({ query: asked }, services) {
    const loaded = services.versions.current?.dataset(CONDITIONS);
    if (loaded === undefined) throw missingDataset(servedVersion(services), CONDITIONS);
    const all = conditionsOf(loaded);
    const wanted = wantedIn(asked);
    const isWanted = (condition: Condition) =>
      FILTERS.every((name) => wanted[name]?.has(textIn(condition, name)) ?? true);
    const payload = all.toSorted(byWeight).filter(isWanted);
    const identity = services.identify(`${loaded.entry.sha256} ${JSON.stringify(asked)}`);
    const total = payload.length;
    const reply = { payload, meta: { total }, about: loaded.entry, identity };
    const names = eventNames(wanted).filter(
      ({ parameter, value }) => !all.some((condition) => textIn(condition, parameter as Filter) === value),
    );
    // Without a filter the reply is at once, because prepared responses must not wait.
    if (names.length === 0) return reply;
    const { manifest } = currentVersion(services);
    return refuseUnknownNames(services, names, { manifest }).then(({ unmatched, unchecked }) => ({
      ...reply,
      meta: { total, ...unmatchedMember(unmatched), ...uncheckedMember(unchecked) },
    }));
  },
  *prepare({ versions }: Services) {
    if (versions.current?.dataset(CONDITIONS) !== undefined) yield {};
  },
});

/** @throws Failure `validation_failed` for a value that no condition can have */
function wantedIn(asked: { readonly [name in Filter]?: string | undefined }) {
  const names = (name: Filter) => namesIn(name, asked[name]);
  const wanted = {
    severity: names('severity'),
    type: names('type'),
    chain: names('chain'),
    protocol: names('protocol'),
  };
  refuseOthers('severity', wanted.severity, SEVERITIES);
  refuseOthers('type', wanted.type, CONDITION_TYPES);
  return wanted;
}

const textIn = (condition: Condition, name: Filter): string => (condition[name] ?? '').toLowerCase();

const conditionsOf = ({ documents }: LoadedDataset): readonly Condition[] =>
  [...documents.keys()].map((key) => parsedCondition(documents.get(key)?.toString() ?? '{}'));
