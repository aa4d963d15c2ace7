// The published exposure graph: vaults, markets and assets, and what they hold.
import { ExposureNodeSchema } from '../../../schemas/exposure.ts';
import { defineDataset } from '../../define/dataset.ts';

export const exposureGraph = defineDataset({
  id: 'exposure-graph',
  title: 'Holdings of vaults, markets and assets, by share of their value',
  table: 'out.exposure_node',
  key: ['node'],
  separator: '|',
  shape: 'one',
  order: '',
  subject: { columns: { node: 'node' } },
  subjectsOf: ['vault_allocation', 'asset_backing'],
  row: ExposureNodeSchema,
  updateCadenceSeconds: 21_600,
});
