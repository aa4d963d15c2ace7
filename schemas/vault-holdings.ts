// What a vault holds, and what that ultimately rests on, as published. Amounts are in units of the vault's asset unless a name says USD.
import { Nullable, type Static, Strict, Type, UnixSeconds } from './define.ts';

const text = (description: string) => Type.String({ description });
const maybeText = (description: string) => Nullable(text(description));
const Amount = (description: string) => Nullable(Type.Number({ minimum: 0, description }));
const Share = (description: string) => Amount(`${description}, as a fraction`);

export const VaultHoldingsSchema = Strict({
  chain: text('Chain name'),
  vault_address: text('Address of the vault'),
  name: maybeText('Display name'),
  asset_symbol: maybeText('Symbol of the asset that the vault accepts'),
  state_at: UnixSeconds('Time of the newest state'),
  total_assets: Amount('Total assets as the contract quotes them'),
  idle_assets: Amount('Balance of the vault itself'),
  is_complete: Type.Boolean({ description: 'Every position was read; otherwise no share is stated' }),
  holdings: Type.Array(
    Strict({
      held_kind: Type.Enum(['market', 'vault', 'unknown'], {
        description: '`unknown`: an adapter that cannot be read',
      }),
      held: text('Id of the market, address of the vault or adapter'),
      name: maybeText('Name of the market or vault'),
      loan_symbol: maybeText('Symbol of the lent asset'),
      collateral_symbol: maybeText('Symbol of the collateral'),
      lltv: Share('Liquidation loan-to-value'),
      assets: Amount('Value of the position'),
      assets_usd: Amount('Value of the position, USD'),
      share: Share('Share of what backs the vault'),
      market_supply: Amount('Supply of the market by all its suppliers'),
      market_cash: Amount('What all suppliers together could withdraw'),
      supply_share: Share('Share of that supply'),
      withdrawable: Amount('What the vault could withdraw from there if no one else withdrew'),
      absolute_cap: Amount(
        'Maximum amount, that of all adapters together that hold it; null if unknown or without a limit',
      ),
      is_uncapped: Nullable(Type.Boolean({ description: 'There is no maximum amount' })),
      relative_cap: Share('Maximum share of the total assets; 1 for no limit'),
      cap: Amount(
        'The lower of both limits, added up over the adapters that hold it; null if unknown or without a limit',
      ),
      queue_index: Nullable(Type.Integer({ minimum: 0, description: 'Position in the withdraw queue' })),
      is_liquidity: Nullable(Type.Boolean({ description: 'Ordinary withdrawals take from here' })),
      penalty: Share('Penalty of a forced withdrawal'),
      max_in: Amount('What the public allocator may move into it'),
      max_out: Amount('What the public allocator may move out of it'),
    }),
    { description: 'Largest first' },
  ),
  look_through: Type.Array(
    Strict({
      node: text('`<kind>:<id>`, or `unknown`'),
      kind: Type.Enum(['asset', 'issuer', 'venue', 'market', 'vault', 'unknown']),
      name: maybeText('Display name'),
      share: Share('Share of what backs the vault'),
    }),
    { description: 'What the holdings ultimately rest on, largest first' },
  ),
  known_share: Type.Number({
    minimum: 0,
    maximum: 1,
    description: 'Share that the look-through accounts for; the rest is `unknown`',
  }),
});
export type VaultHoldings = Static<typeof VaultHoldingsSchema>;
