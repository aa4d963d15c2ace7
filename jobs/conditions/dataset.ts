// The published conditions: everything that is wrong now, one document each.
import { ConditionSchema } from '../../schemas/conditions.ts';
import { defineDataset } from '../define/dataset.ts';

export const conditionList = defineDataset({
  id: 'conditions',
  title: 'Everything that is wrong now',
  table: 'out.condition',
  key: ['id'],
  separator: '|',
  shape: 'one',
  order: '',
  subjectsOf: [],
  isSparse: true,
  hasConditions: true,
  row: ConditionSchema,
  updateCadenceSeconds: 300,
});
