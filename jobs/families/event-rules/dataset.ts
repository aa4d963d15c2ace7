// The published rules of the detectors: the values in force for each event type.
import { EventRuleSchema } from '../../../schemas/event-rules.ts';
import { defineDataset } from '../../define/dataset.ts';

export const eventRules = defineDataset({
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
