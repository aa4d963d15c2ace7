// When a sandwich counts as large (decision 27), which contracts anyone may call (sharing one does not identify an actor), and which
// tokens our own feeds price if a source does not.
import { definePolicy, oneRow, Strict, Type } from '../../define/policy/define.ts';

const Address = (description: string) =>
  Type.String({
    pattern: '^0x[0-9a-f]{40}$',
    expected: 'an address of 40 digits in lower case',
    description,
  });

const Token = Strict({
  chain: Type.String({ pattern: '^[^|\\s]{1,64}$', expected: 'a chain name', description: 'Chain' }),
  token: Address('Contract of the token'),
  pair: Type.String({
    pattern: '^[^a-z\\s-]+-USD$',
    expected: 'a pair against the dollar, in upper case, such as ETH-USD',
    description: 'Pair of the feeds that price the token',
  }),
  decimals: Type.Integer({ minimum: 0, maximum: 36, description: 'Decimals of the token’s amounts' }),
});

const token = (chain: string, address: string, pair: string, decimals: number) => ({
  chain,
  token: address,
  pair,
  decimals,
});

const schema = Strict({
  sandwich_large_usd: Type.Number({
    minimum: 0,
    maximum: 1e12,
    default: 10_000,
    description: 'Minimum extraction of a large sandwich, USD',
  }),
  leg_tolerance: Type.Number({
    minimum: 0,
    maximum: 0.5,
    default: 0.05,
    description:
      'Share of the smaller leg up to which an overlap of a purchase and a sale is a remainder, and up to which a sale may exceed what was bought without a doubt',
  }),
  public_routers: Type.Array(Address('Contract'), {
    default: [
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
    description:
      'Contracts that anyone may call; two swaps through one and the same other contract have the same actor',
  }),
  // Wrapped ether, USDC, USDT, DAI, wrapped bitcoin.
  tokens: Type.Array(Token, {
    default: [
      token('ethereum', '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2', 'ETH-USD', 18),
      token('ethereum', '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48', 'USDC-USD', 6),
      token('ethereum', '0xdac17f958d2ee523a2206206994597c13d831ec7', 'USDT-USD', 6),
      token('ethereum', '0x6b175474e89094c44da98b954eedeac495271d0f', 'DAI-USD', 18),
      token('ethereum', '0x2260fac5e5542a773aa44fbcfedf7c193bc2c599', 'BTC-USD', 8),
      token('arbitrum', '0x82af49447d8a07e3bd95bd0d56f35241523fbab1', 'ETH-USD', 18),
      token('arbitrum', '0xaf88d065e77c8cc2239327c5edb3a432268e5831', 'USDC-USD', 6),
      token('optimism', '0x4200000000000000000000000000000000000006', 'ETH-USD', 18),
      token('base', '0x4200000000000000000000000000000000000006', 'ETH-USD', 18),
      token('base', '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913', 'USDC-USD', 6),
    ],
    description: 'Tokens that the oracle feeds price if a source does not',
  }),
});

export const mevPolicy = definePolicy({
  section: 'mev',
  schema,
  tables: [
    oneRow('mev', schema),
    {
      name: 'mev_router',
      columns: { contract: 'VARCHAR' },
      rows: ({ public_routers }) => [...new Set(public_routers)].map((contract) => ({ contract })),
    },
    {
      name: 'mev_token',
      columns: { chain: 'VARCHAR', token: 'VARCHAR', pair: 'VARCHAR', decimals: 'BIGINT' },
      rows: ({ tokens }) => [...new Map(tokens.map((one) => [`${one.chain} ${one.token}`, one])).values()],
    },
  ],
});
