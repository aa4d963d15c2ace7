// The conditions domain: what is wrong now, across all other domains.

import { ConditionSchema } from '../../../schemas/conditions.ts';
import { defineDataset } from '../../define/dataset.ts';
import { defineDomain } from '../../define/domain.ts';

/** The published conditions: everything that is wrong now, one document each. */
const conditionList = defineDataset({
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

export const conditions = defineDomain({
  id: 'conditions',
  title: 'Conditions',
  folder: new URL('./', import.meta.url),
  raw: [],
  policy: [],
  datasets: [conditionList],
  detectors: [],
});
