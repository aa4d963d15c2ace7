// Coverage: what does the service not know? Gaps by scope and kind, then every item.
import { html, type TemplateResult } from 'lit-html';
import { target } from './api.ts';
import { coverageFigures, type Manifest } from './coverage-figures.ts';
import { countOf, figures } from './figures.ts';
import { filterForm } from './filters.ts';
import { age, caption, isKnown, named, number, percent, points, shortName, timeText } from './format.ts';
import { from, lengthOf } from './origin.ts';
import { panel } from './panel.ts';
import { plainTable } from './plain-table.ts';
import { seriesPanel } from './series.ts';
import { bar } from './shapes.ts';
import { showPage } from './shell.ts';
import { link, param } from './state.ts';
import { type Column, columnsOf, tableView } from './table.ts';

const summary = panel<Manifest>({
  id: 'summary',
  title: 'Summary',
  isWide: true,
  address: () => target('/v2/data-manifest'),
  view: (manifest) => figures(coverageFigures(manifest)),
  table: plainTable,
});

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
  readonly classified: boolean;
  readonly has_metadata: boolean;
  readonly history_completeness_pct: number | null;
  readonly last_update_at: string | null;
  readonly gaps: readonly Gap[];
}

const MAX_GAPS = 5;
const KINDS = ['missing_metadata', 'missing_history', 'stale', 'unverifiable'];

const hasHistory = ({ history_completeness_pct: pct }: Item): boolean => pct !== 0;

/** The properties that the counts of the summary refer to. */
const HAS: Readonly<Record<string, (item: Item) => boolean>> = {
  complete: ({ history_completeness_pct: pct, gaps }) =>
    pct === 100 && !gaps.some(({ kind }) => kind === 'stale'),
  with_metadata: ({ has_metadata }) => has_metadata,
  with_history: hasHistory,
  governance_indexed: hasHistory,
  classified: ({ classified }) => classified,
};

const items = panel<readonly Item[]>({
  id: 'items',
  title: 'Gaps by scope and kind, and every item',
  isWide: true,
  address: () => target('/v2/datasets/coverage'),
  view: (rows) => {
    const [scope, kind] = [param('scope'), param('kind')];
    const filter = param('has') ?? '';
    const has = Object.hasOwn(HAS, filter) ? HAS[filter] : undefined;
    const shown = rows.filter(
      (row) =>
        (scope === undefined || row.scope === scope) &&
        (kind === undefined || row.gaps.some((gap) => gap.kind === kind)) &&
        (has === undefined || has(row)),
    );
    return html`${heatMap(rows)}
      ${filterForm([
        { name: 'scope', label: 'Scope', values: rows.map((row) => row.scope) },
        { name: 'kind', label: 'Kind of gap', values: KINDS },
        { name: 'has', label: 'Has', values: Object.keys(HAS) },
      ])}
      <p class="note"><span data-derived>${number(shown.length)}</span> of ${countOf(rows.length, lengthOf(rows))} items, least complete first.</p>${tableView(
        'Items',
        COLUMNS,
        shown.toSorted((a, b) => (a.history_completeness_pct ?? -1) - (b.history_completeness_pct ?? -1)),
      )}`;
  },
});

/** Lower bounds of the heat levels; the text has the numbers. */
const LEVELS = [0.2, 0.1, 0] as const;

function heatOf(share: number): string {
  const level = LEVELS.findIndex((min) => share > min);
  return level === -1 ? '' : `heat-${LEVELS.length - level}`;
}

/** Items with such a gap, as a share of the items of the scope. */
function heatMap(rows: readonly Item[]): TemplateResult {
  const scopes = [...new Set(rows.map(({ scope }) => scope))];
  return html`<div class="wide table-holder" tabindex="0" role="region" aria-label="Gaps by scope and kind"><table class="heat"><thead><tr><th scope="col">Scope</th><th scope="col" class="number">Items</th>${KINDS.map((kind) => html`<th scope="col" class="number">${caption(kind)}</th>`)}</tr></thead><tbody>${scopes.map(
    (scope) => {
      const own = rows.filter((row) => row.scope === scope);
      return html`<tr><th scope="row">${caption(scope)}</th><td class="number" data-label="Items" data-derived>${own.length}</td>${KINDS.map(
        (kind) => {
          const count = own.filter(({ gaps }) => gaps.some((gap) => gap.kind === kind)).length;
          return html`<td class="number ${heatOf(count / own.length)}" data-label=${caption(kind)} data-derived><a href="${link('/coverage', { scope, kind })}#items">${count}</a> <span class="quiet">(${percent(count / own.length, 0)})</span></td>`;
        },
      )}</tr>`;
    },
  )}</tbody></table></div>`;
}

const column = columnsOf<Item>();

const COLUMNS: readonly Column<Item>[] = [
  {
    name: 'Item',
    cell: ({ label, scope_id }) => named(shortName(label), scope_id),
    value: ({ label }) => label,
    from: (row) => from(row, 'label'),
  },
  column.text('Scope', 'scope', caption),
  column.text('Chain', 'chain'),
  column.number('Completeness', 'history_completeness_pct', (pct) => bar(pct / 100, points(pct))),
  column.text('Last update', 'last_update_at', age),
  {
    name: 'Gaps',
    cell: ({ gaps }) =>
      gaps.length === 0
        ? html`<span class="quiet">none</span>`
        : html`<ul class="rows">${gaps.slice(0, MAX_GAPS).map(gapText)}</ul>${gaps.length > MAX_GAPS ? html`<span data-derived>and ${gaps.length - MAX_GAPS} more</span>` : ''}`,
    value: ({ gaps }) => gaps.length,
  },
];

const gapText = (gap: Gap): TemplateResult =>
  html`<li>${caption(gap.kind)}${isKnown(gap.from) ? html` <span class="quiet"><span data-from=${from(gap, 'from')}>${timeText(gap.from)}</span> to <span data-from=${from(gap, 'to')}>${timeText(gap.to)}</span></span>` : ''}</li>`;

const history = seriesPanel({
  id: 'history',
  title: 'Mean completeness over time',
  address: () => target('/v2/coverage/history', { scope: param('scope') ?? 'all', resolution: '1d' }),
  columns: ['mean_completeness'],
  unit: 'percent',
});

showPage([summary, items, history]);
