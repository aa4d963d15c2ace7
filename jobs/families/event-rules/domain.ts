// The event-rules domain: publishes the rules of every event type, taken from the detectors of the other domains.

import { type Domain, defineDomain } from '../../define/domain.ts';
import { eventRules } from './dataset.ts';
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
