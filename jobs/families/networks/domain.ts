// The networks domain: one list of all networks, of the first layer and of the second.

import { NetworkSchema } from '../../../schemas/networks.ts';
import { defineDataset } from '../../define/dataset.ts';
import { defineDomain } from '../../define/domain.ts';

/** The published list of networks: one document each. */
const networkList = defineDataset({
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

export const networks = defineDomain({
  id: 'networks',
  title: 'Networks',
  folder: new URL('./', import.meta.url),
  raw: [],
  policy: [],
  datasets: [networkList],
  detectors: [],
});
