// Ids by which a vault of Morpho's version 2 limits what adapters hold: of an adapter, of a collateral token, or of a market through an
// adapter. An id is the hash of its data, which starts with a tag. Source: morpho-org/vault-v2.
import {
  type AbiType,
  decodeFields,
  encodeFields,
  type Fields,
  type Value,
} from '../../../../../platform/base/abi-codec.ts';
import { contractFunction, keccak256 } from '../../../../../platform/base/contract-abi.ts';

/** What version 1 holds about a market. */
export const MORPHO_CONFIG = contractFunction(
  'config',
  { id: 'bytes32' },
  { cap: 'uint184', enabled: 'bool', removableAt: 'uint64' },
);

/** What Euler Earn holds about a vault. */
export const EULER_CONFIG = contractFunction(
  'config',
  { id: 'address' },
  { balance: 'uint112', cap: 'uint136', enabled: 'bool', removableAt: 'uint64' },
);

/** The parameters of a market; its id is their hash. */
export const MARKET_PARAMS = {
  loanToken: 'address',
  collateralToken: 'address',
  oracle: 'address',
  irm: 'address',
  lltv: 'uint256',
} as const satisfies Fields;
export type MarketParams = Value<typeof MARKET_PARAMS>;

export const marketIdOf = (params: MarketParams): string =>
  keccak256(`0x${encodeFields(MARKET_PARAMS, params)}`);

export type CapSubject =
  | { readonly kind: 'adapter'; readonly adapter: string }
  | { readonly kind: 'collateral'; readonly token: string }
  | {
      readonly kind: 'market';
      readonly adapter: string;
      readonly marketId: string;
      readonly params: MarketParams;
    }
  /** The tag is not one of Morpho's adapters. */
  | { readonly kind: 'other'; readonly data: string };

const ADAPTER = { tag: 'string', adapter: 'address' } as const satisfies Fields;
const COLLATERAL = { tag: 'string', token: 'address' } as const satisfies Fields;
const MARKET = { tag: 'string', adapter: 'address', params: MARKET_PARAMS } as const satisfies Fields;
const ADAPTER_TAG = 'this';
const COLLATERAL_TAG = 'collateralToken';
const MARKET_TAG = 'this/marketParams';

export const adapterIdData = (adapter: string): string =>
  `0x${encodeFields(ADAPTER, { tag: ADAPTER_TAG, adapter })}`;
export const collateralIdData = (token: string): string =>
  `0x${encodeFields(COLLATERAL, { tag: COLLATERAL_TAG, token })}`;
export const marketIdData = (adapter: string, params: MarketParams): string =>
  `0x${encodeFields(MARKET, { tag: MARKET_TAG, adapter, params })}`;

export const capIdOf = (idData: string): string => keccak256(idData);

/** What the data of an id stands for. Data that is not exactly that of a known tag is passed on as it is. */
export function capSubjectOf(idData: string): CapSubject {
  const data = idData.toLowerCase();
  const adapter = exactly(ADAPTER, data, ADAPTER_TAG);
  if (adapter !== null) return { kind: 'adapter', adapter: adapter.adapter };
  const collateral = exactly(COLLATERAL, data, COLLATERAL_TAG);
  if (collateral !== null) return { kind: 'collateral', token: collateral.token };
  const market = exactly(MARKET, data, MARKET_TAG);
  if (market !== null)
    return {
      kind: 'market',
      adapter: market.adapter,
      marketId: marketIdOf(market.params),
      params: market.params,
    };
  return { kind: 'other', data: idData };
}

/** The values if encoding them again gives the same bytes: another encoding would have another id. */
function exactly<F extends Fields & { readonly tag: AbiType }>(
  fields: F,
  data: string,
  tag: string,
): Value<F> | null {
  try {
    const values = decodeFields(fields, data);
    const isSame = (values as { tag: unknown }).tag === tag && `0x${encodeFields(fields, values)}` === data;
    return isSame ? values : null;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return null;
  }
}
