// The event domain: the rules that the detectors of all domains follow.
import { defineDomain } from '../define.ts';
import { eventRules } from './dataset.ts';
import { eventRuleTable } from './rules.ts';

export const events = defineDomain({
  id: 'events',
  folder: new URL('./', import.meta.url),
  raw: [],
  policy: [],
  policyTables: [eventRuleTable],
  datasets: [eventRules],
  detectors: [],
});
