// The event-rules domain: publishes the rules of every event type, taken from the detectors of the other domains.

import { EventRuleSchema } from '../../../schemas/event-rules.ts';
import { defineDataset } from '../../define/dataset.ts';
import { type Domain, defineDomain } from '../../define/domain.ts';
import { eventRuleTable } from './rules.ts';

export const eventRulesOf = (families: readonly Pick<Domain, 'detectors'>[]) =>
  defineDomain({
    id: 'event-rules',
    title: 'Event rules',
    folder: new URL('./', import.meta.url),
    raw: [],
    policy: [],
    policyTables: [eventRuleTable(families)],
    datasets: [eventRules],
    detectors: [],
  });

/** The published rules of the detectors: the values in force for each event type. */
const eventRules = defineDataset({
  id: 'event-rules',
  title: 'Thresholds, confirmations and cooldowns of every event type',
  table: 'out.event_rule',
  key: ['type'],
  separator: '/',
  shape: 'list',
  order: 'place',
  subject: { none: 'values of the configuration' },
  row: EventRuleSchema,
  updateCadenceSeconds: 300,
});
