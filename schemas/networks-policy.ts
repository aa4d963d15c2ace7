// Facts of networks that no block tells: what a seat of a validator costs where it has a fixed price, and the version of the protocol
// where a source does not deliver it. A network that is not here has a named gap instead.
import { Strict, Type } from './define.ts';

export interface NetworksPolicy {
  /** Network A: price of a validator's seat by network, native units. */
  readonly seat_price_native: { readonly [network: string]: number };
  /** Network B: protocol version by network, for answers without one. */
  readonly protocol_version: { readonly [network: string]: number };
}

export const DEFAULT_NETWORKS_POLICY: NetworksPolicy = Object.freeze({
  // MIN_ACTIVATION_BALANCE of the consensus specification.
  seat_price_native: { ethereum: 32 },
  protocol_version: {},
});

const NetworkName = Type.String({ pattern: '^[a-z0-9_.-]{1,64}$' });

export const NetworksSection = Strict({
  seat_price_native: Type.Optional(
    Type.Record(NetworkName, Type.Number({ exclusiveMinimum: 0, maximum: 1e9 })),
  ),
  protocol_version: Type.Optional(Type.Record(NetworkName, Type.Integer({ minimum: 1, maximum: 100_000 }))),
});
