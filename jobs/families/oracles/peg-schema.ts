// When a pegged asset is off its peg (decisions 19-21): the bands of each kind of peg, how a depeg is confirmed and how it ends, the
// weight of each price source, and the assets watched.
import { PRICE_SOURCE_KINDS } from '../../../schemas/oracles.ts';
import { Strict, Type, type ValuesOf } from '../../define/policy/define.ts';
import { PEGGED_ASSETS } from './pegged-assets.ts';

const Bps = (value: number, description: string) =>
  Type.Number({ minimum: 0, maximum: 10_000, default: value, description });
const Seconds = (value: number, description: string) =>
  Type.Integer({ minimum: 0, maximum: 31_536_000, default: value, description });
const Weight = (value: number, description: string) =>
  Type.Number({ minimum: 0, maximum: 1_000, default: value, description });
const AssetSymbol = (description: string) =>
  Type.String({ pattern: '^[^a-z\\s-]{1,64}$', expected: 'a symbol in upper case', description });
const ChainName = (description: string) =>
  Type.String({ pattern: '^[^A-Z\\s]{1,64}$', expected: 'a chain name in lower case', description });
const Id = (description: string) =>
  Type.String({ pattern: '^[^A-Z\\s|]{1,80}$', expected: 'an address or id in lower case', description });

const Band = (
  enter_bps: number,
  exit_bps: number,
  {
    downside_only,
    reference_fall_bps,
  }: { readonly downside_only: boolean; readonly reference_fall_bps: number },
) =>
  Strict({
    enter_bps: Bps(enter_bps, 'Deviation from the reference at which a depeg starts, basis points'),
    exit_bps: Bps(exit_bps, 'Deviation from the reference at which a depeg ends, basis points'),
    is_downside_only: Type.Boolean({
      default: downside_only,
      description: 'Whether only prices below the reference count',
    }),
    reference_fall_bps: Bps(
      reference_fall_bps,
      'Fall of the reference pair that is reported as an anomaly, basis points, for references that only rise, such as redemption rates; 0 reports none',
    ),
  });
const BOTH_SIDES = { downside_only: false, reference_fall_bps: 0 };
const DOWNSIDE = { downside_only: true, reference_fall_bps: 0 };
/** Redemption rates and net asset values: any fall beyond rounding is a loss of those who hold the asset. */
const AGAINST_A_RATE = { downside_only: true, reference_fall_bps: 1 };

const bands = Strict({
  fiat_usd: Band(100, 50, BOTH_SIDES),
  fiat_other: Band(150, 75, BOTH_SIDES),
  crypto_backed: Band(200, 100, BOTH_SIDES),
  algorithmic: Band(300, 150, BOTH_SIDES),
  liquid_staking: Band(100, 50, AGAINST_A_RATE),
  liquid_restaking: Band(200, 100, AGAINST_A_RATE),
  wrapped_btc: Band(200, 100, DOWNSIDE),
  nav: Band(150, 75, AGAINST_A_RATE),
});
export type PegKind = keyof ValuesOf<typeof bands>;

/** Rules for all assets; an asset may override them. */
const rules = {
  is_feed_deviation_floor: Type.Boolean({
    default: true,
    description:
      'Whether the feed’s own deviation band plus a margin raises the deviation at which a depeg starts',
  }),
  feed_band_margin_bps: Bps(25, 'Margin added to the feed’s own deviation band, basis points'),
  agreement: Type.Enum(['any', 'centre', 'majority', 'all'], {
    default: 'centre',
    description:
      'What must be beyond the band for a depeg: any source, the centre of all prices, the centre and more than half of the sources, or every source',
  }),
  is_disagreement_reported: Type.Boolean({
    default: true,
    description: 'Whether a source that stays beyond the band while that is no depeg yet starts a warning',
  }),
  lag_multiple: Type.Number({
    minimum: 1,
    maximum: 1_000,
    default: 4,
    description:
      'Multiple of its own deviation threshold by which another source has moved since a source last answered, at which the silent one lags',
  }),
  pool_min_depth: Type.Number({
    minimum: 0,
    maximum: 1e15,
    default: 100_000,
    description:
      'Depth below which a pool only doubts a price: what it holds of the asset, in units of the quote',
  }),
  pool_full_depth: Type.Number({
    minimum: 1e-9,
    maximum: 1e15,
    default: 1_000_000,
    description: 'Depth from which a pool has the whole weight of its kind, in units of the quote',
  }),
  confirm_observations: Type.Integer({
    minimum: 1,
    maximum: 1_000,
    default: 2,
    description: 'Observations that confirm a depeg or its end',
  }),
  confirm_spacing_s: Seconds(60, 'Minimum time from the first to the last confirming observation, seconds'),
  immediate_multiple: Type.Number({
    minimum: 1,
    maximum: 1_000,
    default: 2,
    description: 'Multiple of the deviation at which one observation needs no confirmation',
  }),
  recovery_hold_s: Seconds(21_600, 'Time inside the band after which a peg has recovered, seconds'),
  recovery_min_observed_fraction: Type.Number({
    minimum: 0,
    maximum: 1,
    default: 0.9,
    description: 'Minimum share of the recovery hold in which a live source covers the asset',
  }),
};

/**
 * The sources of an asset are the feeds of `<symbol>-<quote>` (or, inverted, of `<quote>-<symbol>`) on one chain. Without an id, the entry
 * matches every asset of that symbol; with one, only the asset of that id, whose events have the plain subject `peg:<chain>:<symbol>`.
 */
const Asset = Strict({
  symbol: AssetSymbol('Symbol of the asset'),
  quote: AssetSymbol('Symbol that its price is quoted in'),
  asset_id: Type.Optional(Id('Contract address, or any id that feeds carry')),
  chain: Type.Optional(ChainName('Chain of that id; every chain when absent')),
  kind: Type.Enum(Object.keys(bands.properties) as PegKind[], {
    inherited: true,
    description: 'Kind of peg; required for an asset that the defaults do not include',
  }),
  reference_price: Type.Optional(
    Type.String({
      pattern: '^(?=.*[1-9])[0-9]{1,20}(\\.[0-9]{1,18})?$',
      expected: 'a decimal above 0 in a string',
      description: 'Constant reference, in the quote',
    }),
  ),
  reference_pair: Type.Optional(
    Type.String({
      pattern: '^[^a-z\\s-]+-[^a-z\\s-]+$',
      expected: 'BASE-QUOTE in upper case',
      description: 'Pair whose price is the reference',
    }),
  ),
  ...Type.Partial(Band(0, 0, BOTH_SIDES)).properties,
  ...Type.Partial(Type.Object(rules)).properties,
});
export type PegAsset = ValuesOf<typeof Asset>;

const Source = Strict({
  chain: ChainName('Chain of the feed'),
  feed_address: Id('Address of the feed'),
  asset_id: Type.Optional(Id('Id of the asset that the feed prices')),
  source_kind: Type.Optional(
    Type.Enum([...PRICE_SOURCE_KINDS], {
      description: 'An oracle’s own aggregate, one venue, or the rate of one pool',
    }),
  ),
  weight: Type.Optional(
    Weight(
      0,
      'Weight that replaces the weight of the feed’s kind, and the weight by depth of a pool; 0 leaves the feed out',
    ),
  ),
  pool_address: Type.Optional(Id('Pool whose rate the feed reports, as the states of pools name it')),
});

export const pegSchema = Strict({
  bands,
  default_heartbeat_s: Type.Integer({
    minimum: 1,
    maximum: 31_536_000,
    default: 86_400,
    description: 'Heartbeat assumed for a feed without a known one, seconds; an older price is not live',
  }),
  weights: Strict(
    {
      oracle: Weight(1, 'Weight of an oracle’s own aggregate'),
      venue: Weight(1, 'Weight of a single venue'),
      pool: Weight(1, 'Weight of the rate of a pool'),
    },
    'Weights of the sources in the centre price, up to six decimals; equal weights make it the median. Heavier kinds are listed first; 0 leaves a kind out',
  ),
  sources: Type.Array(Source, {
    default: [],
    description: 'Facts about single feeds that the registry lacks, identified by chain and address',
  }),
  ...rules,
  assets: Type.Array(Asset, {
    default: PEGGED_ASSETS,
    description: 'Assets watched, identified by symbol, quote, id and chain',
  }),
});
export type PegPolicy = ValuesOf<typeof pegSchema>;
