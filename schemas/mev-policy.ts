// When a sandwich counts as large (decision 27), and which contracts are open to all, so that sharing one says nothing about who acts.
import { Strict, Type } from './define.ts';

export interface MevPolicy {
  /** Least extraction of one sandwich, USD. */
  readonly sandwich_large_usd: number;
  /** Addresses in lower case. Two swaps through the same contract are of the same hand unless it is one of these. */
  readonly public_routers: readonly string[];
}

export const DEFAULT_MEV_POLICY: MevPolicy = Object.freeze({
  sandwich_large_usd: 10_000,
  public_routers: [
    // Uniswap v2, v3, v3 (02), the universal router, SushiSwap, 1inch v3 to v5, 0x, MetaMask.
    '0x7a250d5630b4cf539739df2c5dacb4c659f2488d',
    '0xe592427a0aece92de3edee1f18e0157c05861564',
    '0x68b3465833fb72a70ecdf485e0e4c7bd8665fc45',
    '0x3fc91a3afd70395cd496c647d5a6cc9d4b2b7fad',
    '0xd9e1ce17f2641f24ae83637ab66a2cca9c378b9f',
    '0x11111112542d85b3ef69ae05771c2dccff4faa26',
    '0x1111111254fb6c44bac0bed2854e76f90643097d',
    '0x1111111254eeb25477b68fb85ed929f73a960582',
    '0xdef1c0ded9bec7f1a1670819833240f027b25eff',
    '0x881d40237659c251811cec9c364ef91dc08d300c',
  ],
});

export const MevSection = Strict({
  sandwich_large_usd: Type.Optional(Type.Number({ minimum: 0, maximum: 1e12 })),
  public_routers: Type.Optional(
    Type.Array(
      Type.String({ pattern: '^0x[0-9a-f]{40}$', description: 'an address of 40 digits in lower case' }),
    ),
  ),
});
