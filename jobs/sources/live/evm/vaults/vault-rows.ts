// Rows of the raw tables `vault_state` and `vault_position`. Amounts are digits in the smallest unit, as the contracts hold them.
import { decimalText } from '../hex.ts';
import type { MarketAtBlock } from './market-state.ts';
import { floorSub, minOf } from './morpho-interest.ts';
import { holdingKey, type Limits, type ValuedHolding, type VaultFigures } from './vault-totals.ts';

type Row = { readonly [field: string]: string | number | boolean | null };

export interface RowPlace {
  readonly chain: string;
  readonly observed_at: number;
  readonly block_number: number;
}

/** A vault of unknown kind has a row, because it was read, and no figure. */
export const unknownVaultRow = (at: RowPlace, vault: string): Row => ({
  ...at,
  vault_address: vault,
  kind: 'unknown',
  position_count: 0,
});

export function vaultStateRow(at: RowPlace, { draft, quoted, feeShares, real, ...rest }: VaultFigures): Row {
  const { vault, facts, account } = draft;
  return {
    ...at,
    vault_address: vault,
    kind: facts.kind,
    asset_decimals: facts.assetDecimals,
    share_decimals: facts.shareDecimals,
    total_assets: quoted.assets.toString(),
    total_supply: account.supply.toString(),
    fee_shares: feeShares.toString(),
    real_assets: real?.toString() ?? null,
    undistributed_assets: rest.undistributed?.toString() ?? null,
    ...accountRow(draft),
    position_count: rest.holdings.length,
  };
}

function accountRow({ account, facts }: VaultFigures['draft']): Row {
  switch (account.form) {
    case 'booked':
      return {
        address_one_shares: account.addressOne.toString(),
        lost_assets: account.lost?.toString() ?? null,
        performance_fee: account.fee.toString(),
      };
    case 'limited':
      return {
        address_one_shares: account.addressOne.toString(),
        idle_assets: account.idle.toString(),
        performance_fee: account.performanceFee.toString(),
        management_fee: account.managementFee.toString(),
        max_rate: account.maxRate.toString(),
        receive_shares_gate: account.gates.receiveSharesGate,
        send_shares_gate: account.gates.sendSharesGate,
        receive_assets_gate: account.gates.receiveAssetsGate,
        send_assets_gate: account.gates.sendAssetsGate,
      };
    case 'lent':
      return { idle_assets: account.idle.toString() };
    case 'plain':
      return { share_price: decimalText(account.perShare, facts.assetDecimals).slice(0, PRICE_CHARACTERS) };
  }
}

/** 60 digits, a point and 18 places. */
const PRICE_CHARACTERS = 79;

export interface MarketFacts {
  readonly markets: ReadonlyMap<string, MarketAtBlock>;
  /** Tokens in Morpho by loan token: no market can pay out more. */
  readonly tokens: ReadonlyMap<string, bigint>;
  readonly limits: { readonly [holding: string]: Limits };
}

export const positionRows = (
  at: RowPlace,
  { draft, holdings }: VaultFigures,
  facts: MarketFacts,
): readonly Row[] => holdings.map((holding) => positionRow(at, draft.vault, { holding, facts }));

function positionRow(
  { chain, observed_at }: RowPlace,
  vault: string,
  { holding, facts }: { readonly holding: ValuedHolding; readonly facts: MarketFacts },
): Row {
  const limits = facts.limits[holdingKey(vault, holding)];
  return {
    chain,
    vault_address: vault,
    observed_at,
    via_address: holding.via,
    held_kind: holding.kind,
    held: holding.held,
    assets: holding.assets?.toString() ?? null,
    shares: holding.shares?.toString() ?? null,
    absolute_cap: limits?.absolute ?? null,
    relative_cap: limits?.relative ?? null,
    penalty: limits?.penalty ?? null,
    max_in: limits?.maxIn ?? null,
    max_out: limits?.maxOut ?? null,
    queue_index: holding.queueIndex,
    is_liquidity: holding.isLiquidity,
    ...(holding.kind === 'market' ? marketRow(holding.held, facts) : {}),
  };
}

function marketRow(id: string, { markets, tokens }: MarketFacts): Row {
  const market = markets.get(id);
  if (market === undefined) return {};
  const { supplyAssets, borrowAssets } = market.totals;
  const inMorpho = tokens.get(market.loan);
  return {
    market_supply: supplyAssets.toString(),
    market_cash:
      inMorpho === undefined ? null : minOf(floorSub(supplyAssets, borrowAssets), inMorpho).toString(),
  };
}
