// The published list of networks: one document each.
import { NetworkSchema } from '../../../schemas/networks.ts';
import { defineDataset } from '../../define/dataset.ts';

export const networkList = defineDataset({
  id: 'networks',
  title: 'Networks and layer-2 networks with the figures of their last complete day',
  table: 'out.network',
  key: ['network'],
  separator: '/',
  shape: 'one',
  order: '',
  subject: { columns: { network: 'network' } },
  subjectsOf: [],
  row: NetworkSchema,
  updateCadenceSeconds: 86_400,
});
