// What a validator's seat costs on each network, as a table.
import { definePolicyTable } from '../define.ts';

export const networkASeatPolicy = definePolicyTable({
  name: 'network_a_seat_policy',
  columns: [
    { name: 'network', type: 'VARCHAR' },
    { name: 'seat_price_native', type: 'DOUBLE' },
  ],
  rows: ({ networks }) => Object.entries(networks.seat_price_native),
});
