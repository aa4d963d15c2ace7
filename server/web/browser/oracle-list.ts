// The oracles of all markets, worst first, and what they assume: one assumption may stand behind many markets.
import { html, nothing, type TemplateResult } from 'lit-html';
import { target } from './api.ts';
import { assumptionRank, assumptionState, restsOn, statementView, testers } from './assumption-cells.ts';
import { filterForm } from './filters.ts';
import { age, caption, dollars, isKnown, number, shortName } from './format.ts';
import { anyHeldReason, heldNote } from './missing-reason.ts';
import {
  type AssumptionUse,
  assumptionUses,
  debtOf,
  type OraclePath,
  severityIn,
  worstFirst,
} from './oracle-path.ts';
import { shortSentence, stateBadges, stateText } from './oracle-texts.ts';
import { from } from './origin.ts';
import { countOfPage, MAX_ROWS, pager } from './pager.ts';
import { LocalPanel, panel } from './panel.ts';
import { link, param } from './state.ts';
import { type Column, columnsOf, tableView } from './table.ts';

const FILTERS = ['chain', 'protocol', 'kind', 'verdict', 'is_broken', 'assumption'] as const;

let listed: readonly OraclePath[] | undefined;

export const oracles = panel<readonly OraclePath[]>({
  id: 'oracles',
  title: 'Oracles of lending markets',
  isWide: true,
  address: () =>
    target('/v2/lending/oracles', {
      ...Object.fromEntries(FILTERS.map((name) => [name, param(name)])),
      limit: MAX_ROWS,
      cursor: param('cursor'),
    }),
  draw: (_, all) => {
    if (listed === all) return;
    listed = all;
    assumptions.paint();
  },
  view: (all, meta) =>
    html`${filterForm(FILTERS.map((name) => ({ name, label: caption(name), values: valuesOf(all, name), textOf: String })))}${heldNote('oracle-paths')}
      <p class="note">${countOfPage(all, meta, 'oracles')}, worst first. Markets whose oracle was never read are not among them. ${FILTERS.some((name) => isKnown(param(name))) ? html`<a href=${link('/oracles')}>All oracles</a>` : nothing}</p>
      ${pager({ name: 'cursor', of: 'oracles' }, meta)}${tableView('Oracles of lending markets', ORACLE_COLUMNS, worstFirst(all))}`,
});

function valuesOf(all: readonly OraclePath[], name: (typeof FILTERS)[number]): readonly (string | null)[] {
  if (name === 'is_broken') return ['true', 'false', 'unknown'];
  if (name === 'assumption') return all.flatMap((path) => path.assumptions.map(({ id }) => id));
  return all.map((path) => path[name]);
}

const column = columnsOf<OraclePath>();

const ORACLE_COLUMNS: readonly Column<OraclePath>[] = [
  {
    name: 'Market',
    cell: (path) =>
      html`<a href=${link('/oracles', { chain: path.chain, market: path.market_id })}>${path.name ?? shortName(path.market_id)}</a><br><span class="quiet name">${path.protocol ?? 'no registry'}, ${path.chain}</span>`,
    value: ({ name }) => name,
    from: (path) => from(path, isKnown(path.name) ? 'name' : 'market_id'),
  },
  { name: 'State', cell: stateBadges, value: stateText },
  { name: 'What is wrong', cell: (path) => html`<span class="oracle-line">${shortSentence(path)}</span>` },
  {
    ...column.number('Price gap, bps', 'gap_bps', (gap) => `${gap > 0 ? '+' : ''}${number(gap)}`),
    help: 'Above 0: the oracle values the collateral above the market, at the cost of lenders',
  },
  { ...column.number('Debt', 'debt_usd', dollars), help: 'Debt of the market' },
  { ...column.number('Not covered, at least', 'unrealised_bad_debt_low_usd', dollars), isOptional: true },
  {
    ...column.number('Not covered, at most', 'unrealised_bad_debt_high_usd', dollars),
    help: 'Debt that the collateral does not cover at the market price, at most',
  },
  column.text('Observed', 'observed_at', age),
  { ...column.text('Verdict', 'verdict'), isOptional: true },
  { ...column.text('Kind', 'kind', caption), isOptional: true },
];

/** Filled when the list is received. */
export const assumptions: LocalPanel = new LocalPanel('assumptions', 'What they assume', () => {
  if (listed === undefined) return html`<p class="loading">Known with the list of oracles.</p>`;
  const shared = assumptionUses(listed).filter(({ assumption }) => assumption.kind !== 'path');
  return shared.length === 0
    ? html`<p class="empty">${anyHeldReason('oracle-paths') === undefined ? 'No assumption is known.' : 'Held back.'}</p>`
    : html`<p class="note">Of the oracles above. An assumption that nothing tests may be broken without anyone knowing.</p>${tableView('Assumptions of oracles', SHARED_COLUMNS, shared)}`;
});

const SHARED_COLUMNS: readonly Column<AssumptionUse>[] = [
  {
    name: 'What must be true',
    cell: ({ assumption }) => statementView(assumption),
    value: ({ assumption }) => assumption.statement,
  },
  {
    name: 'State',
    cell: ({ assumption, paths }) => assumptionState(assumption.is_broken, severityIn(assumption, paths)),
    value: ({ assumption }) => assumptionRank(assumption),
  },
  {
    name: 'Tested by',
    cell: ({ chain, assumption }) => testers(chain, assumption),
    value: ({ assumption }) => assumption.tested_by ?? '',
  },
  {
    name: 'Price gap, bps',
    isNumber: true,
    cell: ({ assumption }) => (isKnown(assumption.gap_bps) ? number(assumption.gap_bps) : undefined),
    value: ({ assumption }) => assumption.gap_bps,
    from: ({ assumption }) => from(assumption, 'gap_bps'),
  },
  {
    name: 'Markets',
    isNumber: true,
    cell: ({ chain, assumption, paths }): TemplateResult =>
      html`<a href=${link('/oracles', { chain, assumption: assumption.id })} data-derived>${paths.length}</a>`,
    value: ({ paths }) => paths.length,
  },
  {
    name: 'Their debt',
    isNumber: true,
    cell: ({ paths }) => {
      const debt = debtOf(paths);
      return debt === undefined ? undefined : html`<span data-derived>${dollars(debt)}</span>`;
    },
    value: ({ paths }) => debtOf(paths),
  },
  {
    name: 'Rests on it',
    cell: ({ chain, assumption }) => html`<a href=${restsOn(chain, assumption.id)}>What falls with it</a>`,
  },
];
