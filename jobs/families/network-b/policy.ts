// The protocol version of networks whose responses do not include it. A network that is not listed has a named gap instead.
import { definePolicy, Strict, Type } from '../../define/policy/define.ts';

export const networkBPolicy = definePolicy({
  section: 'networks',
  schema: Strict({
    protocol_version: Type.Record(
      Type.String({ pattern: '^[a-z0-9_.-]{1,64}$' }),
      Type.Integer({ minimum: 1, maximum: 100_000, description: 'Protocol version' }),
      {
        default: {},
        additionalProperties: false,
        expected: 'a map from network names in lower case to versions',
        description: 'Protocol version by network, for responses without one',
      },
    ),
  }),
  tables: [
    {
      name: 'network_b_version',
      columns: { network: 'VARCHAR', protocol_version: 'BIGINT' },
      rows: (networks) =>
        Object.entries(networks.protocol_version).map(([network, protocol_version]) => ({
          network,
          protocol_version,
        })),
    },
  ],
});
