// The price of a validator seat in networks where it is fixed. A network that is not listed has a named gap instead.
import { definePolicy, Strict, Type } from '../../define/policy/define.ts';

export const networkAPolicy = definePolicy({
  section: 'networks',
  schema: Strict({
    seat_price_native: Type.Record(
      Type.String({ pattern: '^[a-z0-9_.-]{1,64}$' }),
      Type.Number({ exclusiveMinimum: 0, maximum: 1e9, description: 'Price of a seat, native units' }),
      {
        // MIN_ACTIVATION_BALANCE of the consensus specification.
        default: { ethereum: 32 },
        additionalProperties: false,
        expected: 'a map from network names in lower case to prices',
        description: 'Price of a validator seat by network, native units',
      },
    ),
  }),
  tables: [
    {
      name: 'network_a_seat',
      columns: { network: 'VARCHAR', seat_price_native: 'DOUBLE' },
      rows: (networks) =>
        Object.entries(networks.seat_price_native).map(([network, seat_price_native]) => ({
          network,
          seat_price_native,
        })),
    },
  ],
});
