// A native table that sorts by its headings. Rows beyond the limit are shown on request.
import { html, nothing, type TemplateResult } from 'lit-html';
import { isNarrow } from './environment.ts';
import { isKnown, UNKNOWN } from './format.ts';
import type { Origin } from './origin.ts';

export interface Column<T> {
  readonly name: string;
  readonly cell: (row: T) => unknown;
  /** The value by which the column sorts, also used in copies of the table; if omitted, the column does not sort. */
  readonly value?: (row: T) => number | string | boolean | null | undefined;
  readonly isNumber?: boolean;
  /** The origin of the figure; if omitted, its parts carry their own. */
  readonly from?: (row: T) => Origin;
}

/** Smaller on narrow screens, where each row takes several lines. */
const PAGE = isNarrow ? 12 : 50;
/** Rows of a table that is not the main content of its page. */
export const SHORT_PAGE = 10;
/** Texts up to this length are not wrapped. */
const MAX_SHORT = 18;

interface Sorting {
  column: number;
  isDown: boolean;
  shown: number;
}

const sortings = new Map<string, Sorting>();

/** `label` identifies the table on its page. */
export function tableView<T>(
  label: string,
  columns: readonly Column<T>[],
  rows: readonly T[],
  page = PAGE,
): TemplateResult {
  const state = sortings.get(label) ?? { column: -1, isDown: true, shown: page };
  sortings.set(label, state);
  if (rows.length === 0) return html`<p class="empty">No rows.</p>`;
  const sorted = sortedBy(rows, columns[state.column], state.isDown);
  return html`<div class="wide table-holder" tabindex="0" role="region" aria-label="Rows: ${label}"><table>
    <thead><tr>${columns.map((column, index) => heading(column, index, state))}</tr></thead>
    <tbody>${sorted.slice(0, state.shown).map((row) => html`<tr>${columns.map((column) => cellOf(column, row))}</tr>`)}</tbody>
  </table></div>${more(rows.length, state)}`;
}

/** Makes the panel around an element render again. */
export const repaint = (event: Event): void => {
  event.target?.dispatchEvent(new CustomEvent('repaint', { bubbles: true }));
};

function cellOf<T>({ cell, isNumber, name, from }: Column<T>, row: T): TemplateResult {
  const value = cell(row);
  const isShort = typeof value === 'string' && value.length <= MAX_SHORT;
  return html`<td class=${isNumber ? 'number' : isShort ? 'short' : ''} data-label=${name} data-from=${from?.(row) ?? nothing}>${isKnown(value) ? value : html`<span class="unknown">${UNKNOWN}</span>`}</td>`;
}

function heading<T>({ name, value, isNumber }: Column<T>, at: number, state: Sorting): TemplateResult {
  const isSorted = state.column === at;
  const order = isSorted ? (state.isDown ? 'descending' : 'ascending') : 'none';
  const sort = (event: Event) => {
    state.isDown = isSorted ? !state.isDown : isNumber === true;
    state.column = at;
    repaint(event);
  };
  return value === undefined
    ? html`<th scope="col" class=${isNumber ? 'number' : ''}>${name}</th>`
    : html`<th scope="col" class=${isNumber ? 'number' : ''} aria-sort=${order}><button type="button" @click=${sort}>${name}<span aria-hidden="true">${isSorted ? (state.isDown ? ' ↓' : ' ↑') : ''}</span></button></th>`;
}

function more(total: number, state: Sorting): TemplateResult | typeof nothing {
  if (total <= state.shown) return nothing;
  const show = (event: Event) => {
    state.shown += 4 * PAGE;
    repaint(event);
  };
  return html`<p class="more"><button type="button" @click=${show}>Show more</button> <span data-derived>${state.shown} of ${total.toLocaleString('en')} rows</span></p>`;
}

/** Unknown values come last in both directions. */
function sortedBy<T>(rows: readonly T[], column: Column<T> | undefined, isDown: boolean): readonly T[] {
  const value = column?.value;
  if (value === undefined) return rows;
  return rows.toSorted((a, b) => {
    const [x, y] = [value(a), value(b)];
    if (!isKnown(x) || !isKnown(y)) return Number(!isKnown(x)) - Number(!isKnown(y));
    const order = typeof x === 'number' && typeof y === 'number' ? x - y : String(x).localeCompare(String(y));
    return isDown ? -order : order;
  });
}
