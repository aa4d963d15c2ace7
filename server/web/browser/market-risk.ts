// What can be lost in one market: what can be withdrawn now, how much debt a fall of the collateral puts at risk, and who is exposed.
import { html, nothing, type TemplateResult } from 'lit-html';
import { target } from './api.ts';
import { type AtRisk, type Borrowers, riskByFall } from './borrower-risk.ts';
import { type Figure, figures } from './figures.ts';
import { age, dollars, isKnown, percent, serviceBadge, UNKNOWN, caption } from './format.ts';
import { LIMIT, type Market, stateOf, whyUnknown } from './lending-rows.ts';
import { missingRow, reasonLine } from './missing-reason.ts';
import { from } from './origin.ts';
import { panel } from './panel.ts';
import { rangeChoice, seriesPanel } from './series.ts';
import { bar } from './shapes.ts';
import { link, param } from './state.ts';
import { type Column, tableView } from './table.ts';

const isMarket = (): boolean => isKnown(param('market')) && isKnown(param('chain'));

export const marketRisk = panel<readonly Market[]>({
  id: 'market-risk',
  title: 'What can be lost in this market',
  isWide: true,
  address: () =>
    isMarket()
      ? target('/v2/lending/markets', { chain: param('chain'), market_id: param('market') })
      : undefined,
  view: ([market]) =>
    market === undefined
      ? missingRow('The state of this market', 'lending-markets', param('market') ?? '')
      : html`<p><strong data-from=${from(market, isKnown(market.name) ? 'name' : 'market_id')}>${market.name ?? market.market_id}</strong> of <a href=${link('/protocols', { protocol: market.protocol })}>${market.protocol}</a> on <span class="name">${market.chain}</span>, observed ${age(market.state_at)}</p>${figures(riskFigures(market))}`,
});

const riskFigures = (market: Market): readonly Figure[] => [
  {
    ...amount(market, 'Withdrawable now', 'withdrawable_usd'),
    ...(isKnown(market.supplied_usd) && {
      of: { text: dollars(market.supplied_usd), from: from(market, 'supplied_usd') },
    }),
  },
  amount(market, 'Of it, sellable at a slippage of 1 %', 'depth_usd'),
  {
    name: `Borrowed, of what is supplied`,
    text: percent(market.utilization),
    from: from(market, 'utilization'),
    more: isKnown(market.utilization)
      ? reasonLine(market.utilization >= LIMIT ? `at or above ${percent(LIMIT, 0)}: withdrawing is hard` : '')
      : reasonLine(whyUnknown(market)),
  },
  {
    name: 'Liquidated from a loan to value of',
    ...(isKnown(market.lltv)
      ? { text: percent(market.lltv), from: from(market, 'lltv') }
      : { text: percent(market.liquidation_threshold), from: from(market, 'liquidation_threshold') }),
  },
  {
    name: 'Price of its oracle',
    text: serviceBadge(market.oracle_status),
    from: from(market, 'oracle_status'),
    more: isKnown(market.oracle_status_reason) ? reasonLine(caption(market.oracle_status_reason)) : nothing,
  },
  {
    name: 'State',
    text: stateOf(market) ?? UNKNOWN,
    more: stateOf(market) === undefined ? reasonLine('no source reports whether it is frozen') : nothing,
  },
];

function amount(market: Market, name: string, member: 'withdrawable_usd' | 'depth_usd'): Figure {
  return {
    name,
    text: dollars(market[member]),
    from: from(market, member),
    more: isKnown(market[member]) ? nothing : reasonLine(whyUnknown(market)),
  };
}

export const debtAtRisk = panel<readonly Borrowers[]>({
  id: 'debt-at-risk',
  title: 'Debt at risk if the collateral falls',
  isWide: true,
  address: () => (isMarket() ? target('/v2/datasets/borrower-tranches') : undefined),
  view: (rows) => {
    const own = chosenOf(rows);
    return own === undefined
      ? missingRow('The borrowers of this market', 'borrower-tranches', param('market') ?? '')
      : html`<p class="note">Debt that can be liquidated at each fall of the price, with everything that a smaller fall reaches. Observed ${age(own.observed_at)}.</p>${tableView('Debt at risk', riskColumns(own), riskByFall(own.tranches))}`;
  },
  table: (rows) => ({ rows: chosenOf(rows)?.tranches ?? [], columns: TRANCHE_COLUMNS }),
});

const chosenOf = (rows: readonly Borrowers[]): Borrowers | undefined =>
  rows.find(({ chain, market_id }) => chain === param('chain') && market_id === param('market'));

function riskColumns({ tranches }: Borrowers): readonly Column<AtRisk>[] {
  const debt = tranches.reduce((sum, { debt_usd }) => sum + debt_usd, 0);
  const derived = (text: string): TemplateResult => html`<span data-derived>${text}</span>`;
  return [
    { name: 'Fall', cell: ({ fall }) => derived(percent(fall, 0)), value: ({ fall }) => fall },
    {
      name: 'Share of the debt',
      isNumber: true,
      cell: ({ debt_usd }) =>
        debt === 0 ? undefined : bar(debt_usd / debt, derived(percent(debt_usd / debt, 0))),
    },
    { name: 'Debt', isNumber: true, cell: ({ debt_usd }) => derived(dollars(debt_usd)) },
    { name: 'Collateral', isNumber: true, cell: ({ collateral_usd }) => derived(dollars(collateral_usd)) },
  ];
}

type TrancheRow = Borrowers['tranches'][number];

const trancheColumn = (name: string, member: keyof TrancheRow): Column<TrancheRow> => ({
  name,
  isNumber: true,
  cell: (row) => String(row[member]),
  value: (row) => row[member],
  from: (row) => from(row, member),
});

const TRANCHE_COLUMNS: readonly Column<TrancheRow>[] = [
  trancheColumn('Fall from, fraction', 'fall_from'),
  trancheColumn('Fall to, fraction', 'fall_to'),
  trancheColumn('Debt, USD', 'debt_usd'),
  trancheColumn('Collateral, USD', 'collateral_usd'),
];

const historyAddress = () =>
  isKnown(param('market')) && isKnown(param('chain'))
    ? target(
        `/v2/lending/markets/${encodeURIComponent(param('chain') ?? '')}/${encodeURIComponent(param('market') ?? '')}/history`,
        { resolution: param('resolution') ?? '1h' },
      )
    : undefined;

export const utilization = seriesPanel({
  id: 'utilization',
  title: 'Utilization of the market',
  note: () => rangeChoice(param('resolution') ?? '1h'),
  address: historyAddress,
  columns: ['utilization'],
  unit: 'fraction',
  decoration: () => ({ thresholds: [{ value: LIMIT, label: `limit ${percent(LIMIT, 0)}` }] }),
});

export const amounts = seriesPanel({
  id: 'amounts',
  title: 'Supplied, borrowed and withdrawable, USD',
  address: historyAddress,
  columns: ['supplied_usd', 'borrowed_usd', 'withdrawable_usd'],
  unit: 'usd',
});
