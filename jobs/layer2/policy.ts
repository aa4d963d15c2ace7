// The layer-2 registry as tables, so that models read it like any other fact.
import { definePolicyTable } from '../define.ts';

export const layer2NetworkPolicy = definePolicyTable({
  name: 'layer2_network_policy',
  columns: [{ name: 'network', type: 'VARCHAR' }],
  rows: ({ layer2 }) => [...new Set(layer2.networks)].map((network) => [network]),
});

export const layer2FactPolicy = definePolicyTable({
  name: 'layer2_fact_policy',
  columns: [
    { name: 'network', type: 'VARCHAR' },
    { name: 'fact', type: 'VARCHAR' },
    { name: 'text_value', type: 'VARCHAR' },
    { name: 'number_value', type: 'DOUBLE' },
    { name: 'note', type: 'VARCHAR' },
    { name: 'source', type: 'VARCHAR' },
    { name: 'checked_on', type: 'VARCHAR' },
  ],
  rows: ({ layer2 }) =>
    layer2.facts.map(({ network, fact, value, note, source, checked_on }) => [
      network,
      fact,
      String(value),
      typeof value === 'number' ? value : null,
      note,
      source,
      checked_on,
    ]),
});
