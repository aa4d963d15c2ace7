// Every event type: the members of its payload, and the rules in force for it (Part 6). The rules are those that the served version was
// computed with; before the first version they are null.
import { Strict, Type } from '../../schemas/define.ts';
import { AgenticSchema } from '../../schemas/envelopes.ts';
import type { EventType } from '../../schemas/event.ts';
import { type EventRule, EventTypeSchema, type RuleRole } from '../../schemas/event-rules.ts';
import { EVENT_CATALOGUE } from '../../schemas/events.ts';
import { defineEndpoint } from '../define/endpoint.ts';
import { TAGS } from '../define/tags.ts';
import type { LoadedDataset } from '../services.ts';

const DATASET = 'event-rules';

export const listEventTypes = defineEndpoint({
  method: 'GET',
  path: '/v2/event-types',
  tag: TAGS.events,
  summary: 'Every event type: schema of its data, severity, thresholds, confirmation and cooldown',
  datasets: [DATASET],
  access: 'open',
  envelope: 'v2',
  cache: 'shared',
  params: Strict({}),
  query: Strict({}),
  response: Strict({
    data: Type.Array(EventTypeSchema),
    meta: Strict({ _agentic: Type.Optional(AgenticSchema) }),
    error: Type.Null(),
  }),
  errors: ['invalid_request', 'internal_error'],
  handle(_, services) {
    const dataset = services.versions.current?.dataset(DATASET);
    const payload = EVENT_CATALOGUE.map((event) => describe(event, dataset));
    const identity = services.identify(JSON.stringify(payload));
    return { payload, identity, ...(dataset && { about: dataset.entry }) };
  },
  prepare: () => [{}],
});

function describe(event: EventType, dataset: LoadedDataset | undefined): object {
  const document = dataset?.documents.get(event.type);
  const rules = document && (JSON.parse(document.toString()) as readonly EventRule[]);
  const { type, summary, subject, severities, severity_rule = null, data } = event;
  return {
    type,
    summary,
    subject,
    severities,
    severity_rule,
    thresholds: rulesOf(rules, 'threshold'),
    confirmation: rulesOf(rules, 'confirmation'),
    cooldown_seconds: rules?.find(({ role }) => role === 'cooldown')?.value ?? null,
    policy_version: rules?.[0]?.policy_version ?? null,
    schema: data,
  };
}

const rulesOf = (rules: readonly EventRule[] | undefined, role: RuleRole) =>
  rules?.filter((rule) => rule.role === role).map(({ name, value, unit }) => ({ name, value, unit })) ?? null;
