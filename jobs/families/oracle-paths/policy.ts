// How oracle paths are judged: which symbols are the same or a unit of account, how large a price gap breaks an assumption and how it is
// confirmed, and how old readings may be.
import { definePolicy, oneRow, Strict, Type } from '../../define/policy/define.ts';

const Seconds = (value: number, description: string) =>
  Type.Integer({ minimum: 1, maximum: 31_536_000, default: value, description: `${description}, seconds` });
const Bps = (value: number, description: string) =>
  Type.Number({ minimum: 0, maximum: 10_000, default: value, description: `${description}, basis points` });
const AssetSymbol = (description: string) =>
  Type.String({ pattern: '^[^a-z\\s]{1,64}$', expected: 'a symbol in upper case', description });

const values = {
  path_max_age_s: Seconds(259_200, 'Maximum age of the legs of an oracle'),
  price_max_age_s: Seconds(7_200, 'Maximum age of the price of an oracle'),
  default_heartbeat_s: Seconds(86_400, 'Heartbeat assumed for a source without a known one'),
  default_enter_bps: Bps(
    200,
    'Price gap that breaks an assumption about a rate, a discount, or an asset without a configured peg',
  ),
  margin_bps: Bps(25, 'Margin added to the deviation threshold of the feeds that an assumption rests on'),
  cap_enter_bps: Bps(10, 'How far a cap must hold a value down to count as broken'),
  jump_bps: Bps(200, 'Change of a price with a change of its path that is critical'),
  sample_tolerance_bps: Type.Number({
    minimum: 0,
    maximum: 10_000,
    default: 0.1,
    description: 'Rounding of a vault’s rate above which its sample is too small, basis points',
  }),
  min_debt_usd: Type.Number({
    minimum: 0,
    maximum: 1e12,
    default: 10_000,
    description: 'Debt behind an assumption below which its breaks are no events, USD',
  }),
  pool_min_depth: Type.Number({
    minimum: 0,
    maximum: 1e15,
    default: 100_000,
    description: 'What a pool must hold of an asset to be a source of its price, in units of the quote',
  }),
  confirm_observations: Type.Integer({
    minimum: 1,
    maximum: 1_000,
    default: 2,
    description: 'Observations that confirm a break or its end',
  }),
  confirm_spacing_s: Seconds(60, 'Minimum time from the first to the last confirming observation'),
  immediate_multiple: Type.Number({
    minimum: 1,
    maximum: 1_000,
    default: 2,
    description: 'Multiple of the gap at which one observation needs no confirmation',
  }),
};

const Identity = Strict({
  symbol: AssetSymbol('Symbol of the wrapped asset'),
  same_as: AssetSymbol('Symbol of what it can be exchanged for, one to one, in its own contract'),
});

const schema = Strict({
  ...values,
  identities: Type.Array(Identity, {
    default: [
      ['WETH', 'ETH'],
      ['WBNB', 'BNB'],
      ['WAVAX', 'AVAX'],
      ['WPOL', 'POL'],
      ['WMATIC', 'POL'],
      ['MATIC', 'POL'],
      ['WS', 'S'],
    ].map(([symbol = '', same_as = '']) => ({ symbol, same_as })),
    description: 'Symbols that stand for the same asset',
  }),
  units: Type.Array(AssetSymbol('Symbol'), {
    default: ['USD', 'EUR', 'GBP', 'JPY', 'CHF', 'XAU', 'BTC', 'ETH'],
    description:
      'Units in which prices are quoted. An asset of one unit is never assumed to equal another unit',
  }),
});

export const oraclePathPolicy = definePolicy({
  section: 'oracle_paths',
  schema,
  lists: { identities: { name: ({ symbol }) => String(symbol) } },
  tables: [
    oneRow('oracle_paths', schema),
    {
      name: 'oracle_identity',
      columns: { symbol: 'VARCHAR', same_as: 'VARCHAR' },
      rows: ({ identities }) => identities.map((identity) => ({ ...identity })),
    },
    {
      name: 'oracle_unit',
      columns: { symbol: 'VARCHAR' },
      rows: ({ units }) => units.map((symbol) => ({ symbol })),
    },
  ],
});
