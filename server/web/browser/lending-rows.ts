// Lending markets and vaults as the pages read them, and the columns that several panels share.
import { html } from 'lit-html';
import { atRisk, type Borrowers, marketKey } from './borrower-risk.ts';
import type { ComparedRow } from './figure-changes.ts';
import { dollars, isKnown, percent, caption } from './format.ts';
import { from } from './origin.ts';
import type { Further } from './panel.ts';
import { bar } from './shapes.ts';
import { link } from './state.ts';
import type { Column } from './table.ts';

export interface Market extends ComparedRow {
  readonly chain: string;
  readonly market_id: string;
  readonly protocol: string;
  readonly name: string | null;
  readonly utilization: number | null;
  readonly supplied_usd: number | null;
  readonly borrowed_usd: number | null;
  readonly withdrawable_usd: number | null;
  readonly depth_usd: number | null;
  readonly supply_apr_pct: number | null;
  readonly borrow_apr_pct: number | null;
  readonly collateral_symbol: string | null;
  readonly loan_symbol: string | null;
  readonly lltv: number | null;
  readonly liquidation_threshold: number | null;
  readonly oracle_status: string | null;
  readonly oracle_status_reason: string | null;
  readonly risk_level: string | null;
  readonly is_classified: boolean;
  readonly is_frozen: boolean | null;
  readonly is_paused: boolean | null;
  readonly state_flags: readonly string[];
  readonly state_status: string | null;
  readonly state_at: number | null;
}

export interface Vault {
  readonly chain: string;
  readonly vault_address: string;
  readonly name: string | null;
  readonly protocol: string | null;
  readonly asset_symbol: string | null;
  readonly has_metadata: boolean;
  readonly is_listed: boolean | null;
  readonly curator_address: string | null;
  readonly curator_name: string | null;
  readonly owner_address: string | null;
  readonly guardian_address: string | null;
  readonly fee: string | null;
  readonly timelock_s: number | null;
  readonly events: number | null;
  readonly governance_kinds: readonly string[];
  readonly last_event_at: number | null;
}

/** Above this utilization, withdrawing becomes hard: the kink of common rate models. */
export const LIMIT = 0.9;

/** Undefined if it is unknown whether the market is frozen or paused. */
export function stateOf({ is_frozen, is_paused }: Market): string | undefined {
  if (!isKnown(is_frozen) && !isKnown(is_paused)) return undefined;
  return (
    [is_frozen === true && 'frozen', is_paused === true && 'paused'].filter(Boolean).join(', ') || 'open'
  );
}

export const marketLink = ({ chain, market_id, name }: Pick<Market, 'chain' | 'market_id' | 'name'>) =>
  html`<a href=${link('/lending', { chain, market: market_id })}>${name ?? market_id}</a>`;

/** Why the amounts of a market are not known. */
export function whyUnknown({ state_flags, state_status }: Market): string {
  if (state_flags.length > 0) return state_flags.map(caption).join(', ');
  return state_status === 'unknown' || state_status === null
    ? 'no source reports the state of this market'
    : 'its source does not report it';
}

/** Debt that can be liquidated after a fall of the collateral, as a column of markets. `further`: where the borrowers are. */
export function riskColumn(
  fall: number,
  borrowers: ReadonlyMap<string, Borrowers> | undefined,
  further: Further,
): Column<Market> {
  const debtOf = (market: Market): number | undefined => {
    const found = borrowers?.get(marketKey(market));
    return found === undefined ? undefined : atRisk(found.tranches, fall).debt_usd;
  };
  return {
    name: `Debt at risk, −${percent(fall, 0)}`,
    help: `Debt that can be liquidated if the price of the collateral falls by ${percent(fall, 0)}; the bar is its share of what is borrowed`,
    isNumber: true,
    cell: (market) => {
      const debt = debtOf(market);
      if (debt === undefined) {
        const why = borrowers === undefined ? further.trouble('borrowers') : undefined;
        return why === undefined ? undefined : html`<span class="unknown">${why}</span>`;
      }
      const share =
        isKnown(market.borrowed_usd) && market.borrowed_usd > 0 ? debt / market.borrowed_usd : null;
      const text = html`<span data-derived>${dollars(debt)}</span>`;
      return share === null ? text : bar(share, text);
    },
    value: debtOf,
  };
}

/** The columns that every list of markets begins with. */
export const nameColumn: Column<Market> = {
  name: 'Market',
  cell: (market) =>
    html`${marketLink(market)}<br><span class="quiet name">${market.protocol}, ${market.chain}</span>`,
  value: ({ name }) => name,
  from: (row) => from(row, isKnown(row.name) ? 'name' : 'market_id'),
};
