// Contradictions in a peg policy whose values are each within their limits: missing references, and bands that no price can reach.
import type { Contradiction } from '../../define/policy/define.ts';
import type { PegAsset, PegPolicy } from './peg-schema.ts';

/** A price cannot fall by more than 100 %, and multiples past tenfold are meaningless. */
const LOWEST_BPS = 10_000;
const HIGHEST_BPS = 100_000;

export type AssetName = Pick<PegAsset, 'symbol' | 'quote' | 'asset_id' | 'chain'>;

/** The name of an asset in messages and in lists: `USDC-USD`, `USDC-USD@ethereum:0xa0b8…`. */
export function assetName({ symbol, quote, asset_id, chain }: AssetName): string {
  const pair = `${symbol}-${quote}`;
  if (asset_id === undefined && chain === undefined) return pair;
  return `${pair}@${chain ?? '*'}:${asset_id ?? '*'}`;
}

export function pegContradictions(peg: PegPolicy): readonly Contradiction[] {
  const kinds = Object.entries(peg.bands).flatMap(([kind, band]) =>
    unreachable(`.bands.${kind}`, { ...band, immediate_multiple: peg.immediate_multiple }),
  );
  return [
    ...noWeight(peg),
    ...shallow('', peg),
    ...kinds,
    ...peg.assets.flatMap((asset) => [...wrongAsset(asset, peg), ...ambiguousName(asset, peg)]),
  ];
}

function noWeight({ weights }: PegPolicy): readonly Contradiction[] {
  const hasReference = weights.oracle > 0 || weights.venue > 0;
  const given = `oracle ${weights.oracle}, venue ${weights.venue}`;
  return hasReference ? [] : [['.weights', given, 'a weight above 0: a pool is never the only reference']];
}

function shallow(where: string, { pool_min_depth, pool_full_depth }: PegDepths): readonly Contradiction[] {
  if (pool_min_depth <= pool_full_depth) return [];
  const given = `pool_min_depth ${pool_min_depth}, pool_full_depth ${pool_full_depth}`;
  return [[where, given, 'pool_full_depth at or above pool_min_depth']];
}

function wrongAsset(asset: PegAsset, peg: PegPolicy): readonly Contradiction[] {
  const where = `.assets ${assetName(asset)}`;
  const { kind } = asset as Partial<PegAsset>;
  if (kind === undefined)
    return [[where, 'has no kind', 'a kind, because the defaults do not include this asset']];
  const references = [asset.reference_price, asset.reference_pair].filter(
    (reference) => reference !== undefined,
  );
  const reference: Contradiction = [
    where,
    `has ${references.length} references`,
    'either reference_price or reference_pair',
  ];
  const { immediate_multiple, pool_min_depth, pool_full_depth } = peg;
  return [
    ...shallow(where, { pool_min_depth, pool_full_depth, ...asset }),
    ...(references.length === 1 ? [] : [reference]),
    ...unreachable(where, { immediate_multiple, ...peg.bands[kind], ...asset }),
  ];
}

/** A second peg of a symbol is named by its quote, and one of several assets of a symbol by its id. */
function ambiguousName(asset: PegAsset, { assets }: PegPolicy): readonly Contradiction[] {
  const { asset_id: id, symbol } = asset;
  const isQuote = assets.some((other) => other.symbol === symbol && other.quote.toLowerCase() === id);
  if (id === undefined || (!isQuote && id !== 'unidentified')) return [];
  const expected = `an id that names no other peg of ${symbol}: its subject would be peg:<chain>:${symbol}:${id}`;
  return [[`.assets ${assetName(asset)}`, `asset_id ${id}`, expected]];
}

type PegDepths = Pick<PegPolicy, 'pool_min_depth' | 'pool_full_depth'>;
type Reach = PegPolicy['bands']['nav'] & { readonly immediate_multiple: number };

function unreachable(
  where: string,
  { enter_bps, exit_bps, is_downside_only, immediate_multiple }: Reach,
): readonly Contradiction[] {
  if (exit_bps >= enter_bps)
    return [[where, `exit_bps ${exit_bps}, enter_bps ${enter_bps}`, 'exit_bps below enter_bps']];
  const limit = is_downside_only ? LOWEST_BPS : HIGHEST_BPS;
  if (is_downside_only && enter_bps >= limit)
    return [
      [where, `enter_bps ${enter_bps}, downside only`, `enter_bps below ${limit}: no price falls to 0`],
    ];
  const far = enter_bps * immediate_multiple;
  if (far < limit) return [];
  const given = `enter_bps ${enter_bps} times immediate_multiple ${immediate_multiple} is ${far}`;
  return [
    [
      where,
      given,
      `less than ${limit}, which is as far as ${is_downside_only ? 'a price falls' : 'is judged'}`,
    ],
  ];
}
