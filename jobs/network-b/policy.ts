// The protocol version of networks whose answers do not carry it, as a table.
import { definePolicyTable } from '../define.ts';

export const networkBVersionPolicy = definePolicyTable({
  name: 'network_b_version_policy',
  columns: [
    { name: 'network', type: 'VARCHAR' },
    { name: 'protocol_version', type: 'BIGINT' },
  ],
  rows: ({ networks }) => Object.entries(networks.protocol_version),
});
