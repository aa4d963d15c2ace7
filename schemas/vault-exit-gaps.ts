// Why figures of exits from vaults are null, apart from the schemas that use the names, so that calculations load no package.

export const VAULT_EXIT_GAPS = {
  no_state: 'the vault was never read',
  held_back: 'a failed check may hold its figures back',
  holdings_missing: 'its positions are not published, or of another state',
  positions_missing: 'a position was not read',
  held_vault_unknown: 'a vault that it holds has no figures',
  market_state_unknown: 'the cash of a market is not known',
  kind_unknown: 'what backs this kind of contract is not known',
  withdrawable_unknown: 'what could be withdrawn is not known',
  decimals_unknown: 'the decimals of its asset are not known',
  price_unknown: 'the price of its asset is not known',
  share_price_unknown: 'its share price is not known',
  total_assets_unknown: 'its total assets are not known',
  coverage_unknown: 'what backs its shares is not known',
  bad_debt_unknown: 'whether the collateral of its markets covers their debt is not known',
  penalty_unknown: 'the penalty of a forced withdrawal is not known',
  not_forceable: 'this kind of vault has no forced withdrawals',
  gated: 'a contract decides who may leave, and whether it lets this holder is not known',
  gates_unknown: 'whether a contract decides who may leave is not known',
  sources_disagree: 'its sources state different figures, so which are right is not known',
  state_not_fresh: 'its newest state is old, or its source is overdue',
} as const;
export type VaultExitGap = keyof typeof VAULT_EXIT_GAPS;

/** Of the exit from several vaults at the same time. */
export const VAULT_SET_EXIT_GAPS = {
  no_state: VAULT_EXIT_GAPS.no_state,
  held_back: VAULT_EXIT_GAPS.held_back,
  holdings_missing: VAULT_EXIT_GAPS.holdings_missing,
  positions_missing:
    'a position was not read: what it waits for is not known, nor whether it is another vault of the set',
  held_vault_unknown: VAULT_EXIT_GAPS.held_vault_unknown,
  market_state_unknown: VAULT_EXIT_GAPS.market_state_unknown,
  kind_unknown: VAULT_EXIT_GAPS.kind_unknown,
  withdrawable_unknown: VAULT_EXIT_GAPS.withdrawable_unknown,
  decimals_unknown: VAULT_EXIT_GAPS.decimals_unknown,
  price_unknown: VAULT_EXIT_GAPS.price_unknown,
  share_price_unknown: VAULT_EXIT_GAPS.share_price_unknown,
  total_assets_unknown: VAULT_EXIT_GAPS.total_assets_unknown,
  gated: VAULT_EXIT_GAPS.gated,
  gates_unknown: VAULT_EXIT_GAPS.gates_unknown,
  sources_disagree: VAULT_EXIT_GAPS.sources_disagree,
  state_not_fresh: VAULT_EXIT_GAPS.state_not_fresh,
} as const;
export type VaultSetExitGap = keyof typeof VAULT_SET_EXIT_GAPS;
