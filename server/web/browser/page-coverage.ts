// Coverage: what does the service not know? Gaps by scope and kind, then every item.
import { html, type TemplateResult } from 'lit-html';
import { target } from './api.ts';
import { filterForm } from './filters.ts';
import { age, isKnown, named, number, percent, shortName, timeText, words } from './format.ts';
import { panel } from './panel.ts';
import { seriesPanel } from './series.ts';
import { bar } from './shapes.ts';
import { showPage } from './shell.ts';
import { link, param } from './state.ts';
import { tableView } from './table.ts';

interface Manifest {
  readonly markets: Readonly<Record<string, number>>;
  readonly feeds: Readonly<Record<string, number>>;
  readonly vaults: Readonly<Record<string, number>>;
}

const summary = panel<Manifest>({
  id: 'summary',
  title: 'Summary',
  isWide: true,
  address: () => target('/v2/data-manifest'),
  view: (all) =>
    html`<div class="figures">${(['feeds', 'markets', 'vaults'] as const).flatMap((scope) =>
      Object.entries(all[scope])
        .filter(([name]) => name !== 'total')
        .map(
          ([name, count]) =>
            html`<a href=${link('/coverage', { scope: SCOPES[scope] })}><span class="quiet">${scope}: ${words(name)}</span><strong>${number(count)} <small class="quiet">of ${number(all[scope]['total'])}</small></strong></a>`,
        ),
    )}</div>`,
});

const SCOPES = { feeds: 'oracle_feed', markets: 'lending_market', vaults: 'lending_vault' } as const;

interface Gap {
  readonly kind: string;
  readonly from?: string;
  readonly to?: string;
}

interface Item {
  readonly chain: string;
  readonly scope: string;
  readonly scope_id: string;
  readonly label: string;
  readonly history_completeness_pct: number | null;
  readonly last_update_at: string | null;
  readonly gaps: readonly Gap[];
}

const KINDS = ['missing_metadata', 'missing_history', 'stale', 'unverifiable'];

const items = panel<readonly Item[]>({
  id: 'items',
  title: 'Gaps by scope and kind, and every item',
  isWide: true,
  address: () => target('/v2/datasets/coverage'),
  view: (rows) => {
    const [scope, kind] = [param('scope'), param('kind')];
    const shown = rows.filter(
      (row) =>
        (scope === undefined || row.scope === scope) &&
        (kind === undefined || row.gaps.some((gap) => gap.kind === kind)),
    );
    return html`${heatMap(rows)}
      ${filterForm([
        { name: 'scope', label: 'Scope', values: rows.map((row) => row.scope) },
        { name: 'kind', label: 'Kind of gap', values: KINDS },
      ])}
      <p class="note">${shown.length} of ${rows.length} items, the least complete first.</p>${tableView(
        'Items',
        COLUMNS,
        shown.toSorted((a, b) => (a.history_completeness_pct ?? -1) - (b.history_completeness_pct ?? -1)),
      )}`;
  },
});

/** Items that have such a gap, as a share of the items of the scope. */
function heatMap(rows: readonly Item[]): TemplateResult {
  const scopes = [...new Set(rows.map(({ scope }) => scope))];
  return html`<div class="wide" tabindex="0" role="region" aria-label="Gaps by scope and kind"><table class="heat"><thead><tr><th scope="col">Scope</th><th scope="col" class="number">Items</th>${KINDS.map((kind) => html`<th scope="col" class="number">${words(kind)}</th>`)}</tr></thead><tbody>${scopes.map(
    (scope) => {
      const own = rows.filter((row) => row.scope === scope);
      return html`<tr><th scope="row">${words(scope)}</th><td class="number">${own.length}</td>${KINDS.map(
        (kind) => {
          const count = own.filter(({ gaps }) => gaps.some((gap) => gap.kind === kind)).length;
          return html`<td class="number ${count > 0 ? 'has-gap' : ''}"><a href="${link('/coverage', { scope, kind })}#items">${count}</a> <span class="quiet">${percent(count / own.length, 0)}</span></td>`;
        },
      )}</tr>`;
    },
  )}</tbody></table></div>`;
}

const COLUMNS = [
  {
    name: 'Item',
    cell: ({ label, scope_id }: Item) => named(shortName(label), scope_id),
    value: ({ label }: Item) => label,
  },
  { name: 'Scope', cell: ({ scope }: Item) => words(scope), value: ({ scope }: Item) => scope },
  { name: 'Chain', cell: ({ chain }: Item) => chain, value: ({ chain }: Item) => chain },
  {
    name: 'Completeness',
    isNumber: true,
    cell: ({ history_completeness_pct: pct }: Item) =>
      bar(isKnown(pct) ? pct / 100 : undefined, `${number(pct)} %`),
    value: (row: Item) => row.history_completeness_pct,
  },
  {
    name: 'Last update',
    cell: (row: Item) => age(row.last_update_at),
    value: (row: Item) => row.last_update_at,
  },
  {
    name: 'Gaps',
    cell: ({ gaps }: Item) =>
      gaps.length === 0
        ? 'none'
        : html`<ul class="rows">${gaps.slice(0, 5).map(gapText)}</ul>${gaps.length > 5 ? `and ${gaps.length - 5} more` : ''}`,
    value: ({ gaps }: Item) => gaps.length,
  },
];

const gapText = ({ kind, from, to }: Gap): TemplateResult =>
  html`<li>${words(kind)}${isKnown(from) ? html` <span class="quiet">${timeText(from)} to ${timeText(to)}</span>` : ''}</li>`;

const history = seriesPanel({
  id: 'history',
  title: 'Coverage over time',
  address: () => target('/v2/coverage/history', { scope: param('scope') ?? 'oracle_feed', resolution: '1d' }),
  columns: ['mean_completeness', 'complete'],
  unit: 'number',
});

showPage([summary, items, history]);
