// The published conditions: everything that is wrong now, one document each.
import { ConditionSchema } from '../../../schemas/conditions.ts';
import { defineDataset } from '../../define/dataset.ts';

export const conditionList = defineDataset({
  id: 'conditions',
  title: 'Everything that is wrong now',
  table: 'out.condition',
  key: ['id'],
  separator: '|',
  shape: 'one',
  order: '',
  subject: {
    idColumn: 'subject_id',
    ids: [
      'peg:{chain}:{asset_name}',
      'oracle:{chain}:{feed_address}:*',
      'oracle:{chain}:*:{market_id}',
      'liquidity:{chain}:{market_id}',
      'vault:{chain}:{vault_address}',
    ],
    everything: { id: 'vault:global', table: 'derived.regime_condition' },
  },
  subjectsOf: [],
  isSparse: true,
  hasConditions: true,
  row: ConditionSchema,
  updateCadenceSeconds: 300,
});
