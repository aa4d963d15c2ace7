// A native table that sorts by its headings, with a choice of its columns that explains each. Rows beyond the limit are shown on request.
import { html, nothing, type TemplateResult } from 'lit-html';
import { ApiError, answerTo, ask } from './api.ts';
import type { ApiDescription, DatasetDescription, Explain } from './column-texts.ts';
import { isNarrow } from './environment.ts';
import { isKnown, UNKNOWN } from './format.ts';
import { from, type Origin } from './origin.ts';

export interface Column<T> {
  readonly name: string;
  readonly cell: (row: T) => unknown;
  /** The value by which the column sorts, also used in copies of the table; if omitted, the column does not sort. */
  readonly value?: (row: T) => number | string | boolean | null | undefined;
  readonly isNumber?: boolean;
  /** One line on what the column shows; if omitted, the description of the member that its figures come from. */
  readonly help?: string;
  /** Whether the column is shown only if it is chosen. */
  readonly isOptional?: boolean;
  /** The origin of the figure; if omitted, its parts carry their own. */
  readonly from?: (row: T) => Origin;
}

/** Smaller on narrow screens, where each row takes several lines. */
const PAGE = isNarrow ? 12 : 50;
/** Rows of a table that is not the main content of its page. */
export const SHORT_PAGE = 10;
/** Texts up to this length are not wrapped. */
const MAX_SHORT = 18;

interface TableState {
  /** Name of the column by which rows are sorted. */
  column: string | undefined;
  isDown: boolean;
  shown: number;
  /** Columns that the reader has chosen, and those that they have put away. */
  readonly chosen: Map<string, boolean>;
}

const states = new Map<string, TableState>();
/** Of as many columns as fit on every screen, none needs to be put away. */
const MAX_FIXED = 5;

/** `label` identifies the table on its page. */
export function tableView<T>(
  label: string,
  columns: readonly Column<T>[],
  rows: readonly T[],
  page = PAGE,
): TemplateResult {
  const state = states.get(label) ?? newState(label, page);
  states.set(label, state);
  if (rows.length === 0) return html`<p class="empty">No rows.</p>`;
  const sorted = sortedBy(
    rows,
    columns.find(({ name }) => name === state.column),
    state.isDown,
  );
  const shown = columns.filter((column) => isShown(column, state));
  return html`<div class="wide table-holder" data-table=${label} tabindex="0" role="region" aria-label="Rows: ${label}"><table>
    <thead @pointerenter=${loadTexts} @focusin=${loadTexts}><tr>${shown.map((column) => heading(column, helpOf(column, rows), state))}</tr></thead>
    <tbody>${sorted.slice(0, state.shown).map((row) => html`<tr>${shown.map((column) => cellOf(column, row))}</tr>`)}</tbody>
  </table></div>${more(rows.length, state)}${columnChoice(label, columns, { rows, state })}`;
}

const storeName = (label: string): string => `columns:${label}`;

/** The choice of columns stays in this tab. */
function newState(label: string, page: number): TableState {
  const stored = sessionStorage.getItem(storeName(label));
  const chosen = new Map(stored === null ? [] : (JSON.parse(stored) as [string, boolean][]));
  return { column: undefined, isDown: true, shown: page, chosen };
}

const isShown = <T>({ name, isOptional }: Column<T>, { chosen }: TableState): boolean =>
  chosen.get(name) ?? isOptional !== true;

/** Every column with what it shows; the first one names the row and stays. */
function columnChoice<T>(
  label: string,
  columns: readonly Column<T>[],
  { rows, state }: { readonly rows: readonly T[]; readonly state: TableState },
): unknown {
  const isFixed = columns.length <= MAX_FIXED && columns.every(({ help }) => help === undefined);
  if (isFixed) return nothing;
  const choose = (name: string) => (event: Event) => {
    state.chosen.set(name, (event.target as HTMLInputElement).checked);
    sessionStorage.setItem(storeName(label), JSON.stringify([...state.chosen]));
    repaint(event);
  };
  return html`<details class="columns" data-table=${label} @toggle=${loadTexts}><summary>Columns</summary><ul>${columns.map(
    (column, index) =>
      html`<li><label><input type="checkbox" .checked=${isShown(column, state)} ?disabled=${index === 0} @change=${choose(column.name)}> ${column.name}</label>${helpView(helpOf(column, rows))}</li>`,
  )}</ul></details>`;
}

const helpView = (help: string | undefined): unknown =>
  help === undefined ? nothing : html` <span class="quiet name">${help}</span>`;

let explain: Explain | undefined;
let isAsked = false;

/** The words of the API for columns are loaded when a reader first wants them. If they cannot be read, the next time tries again. */
async function loadTexts(): Promise<void> {
  if (isAsked) return;
  isAsked = true;
  try {
    const texts = import('./column-texts.ts');
    const [{ explainer }, api, datasets] = await Promise.all([
      texts,
      answerTo('/openapi-public.json').then((response) => response.json() as Promise<ApiDescription>),
      ask<readonly DatasetDescription[]>('/v2/datasets'),
    ]);
    explain = explainer(api, datasets.data);
    for (const panel of document.querySelectorAll('.panel')) panel.dispatchEvent(new CustomEvent('repaint'));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    isAsked = false;
  }
}

/** Any row names the member that the column shows. */
function helpOf<T>({ help, from }: Column<T>, rows: readonly T[]): string | undefined {
  if (help !== undefined || explain === undefined || from === undefined) return help;
  const origin = rows.map(from).find((one) => typeof one === 'string');
  return typeof origin === 'string' ? explain(origin) : undefined;
}

/** Makes the panel around an element render again. */
export const repaint = (event: Event): void => {
  event.target?.dispatchEvent(new CustomEvent('repaint', { bubbles: true }));
};

/** A number that is shown shortened, in full. */
const exactText = (value: unknown, shown: unknown): string | typeof nothing =>
  typeof value === 'number' && typeof shown === 'string' && /[KMBT]$/.test(shown)
    ? value.toLocaleString('en', { maximumFractionDigits: 20 })
    : nothing;

function cellOf<T>({ cell, isNumber, name, from, value: sorted }: Column<T>, row: T): TemplateResult {
  const value = cell(row);
  const isShort = typeof value === 'string' && value.length <= MAX_SHORT;
  return html`<td class=${isNumber ? 'number' : isShort ? 'short' : ''} data-label=${name} title=${exactText(sorted?.(row), value)} data-from=${from?.(row) ?? nothing}>${isKnown(value) ? value : html`<span class="unknown">${UNKNOWN}</span>`}</td>`;
}

function heading<T>(
  { name, value, isNumber }: Column<T>,
  help: string | undefined,
  state: TableState,
): TemplateResult {
  const isSorted = state.column === name;
  const isChosen = state.chosen.get(name) === true ? '' : nothing;
  const order = isSorted ? (state.isDown ? 'descending' : 'ascending') : 'none';
  const sort = (event: Event) => {
    state.isDown = isSorted ? !state.isDown : isNumber === true;
    state.column = name;
    repaint(event);
  };
  return value === undefined
    ? html`<th scope="col" class=${isNumber ? 'number' : ''} title=${help ?? nothing} data-chosen=${isChosen}>${name}</th>`
    : html`<th scope="col" class=${isNumber ? 'number' : ''} aria-sort=${order} title=${help ?? nothing} data-chosen=${isChosen}><button type="button" @click=${sort}>${name}<span aria-hidden="true">${isSorted ? (state.isDown ? ' ↓' : ' ↑') : ''}</span></button></th>`;
}

function more(total: number, state: TableState): TemplateResult | typeof nothing {
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

type CellText<V> = (value: V) => unknown;

const plain = (value: unknown): unknown => String(value);

interface Columns<T extends object> {
  text<K extends keyof T & string>(name: string, member: K, cell?: CellText<NonNullable<T[K]>>): Column<T>;
  number<K extends keyof T & string>(name: string, member: K, cell?: CellText<NonNullable<T[K]>>): Column<T>;
}

/** Columns that show one member of their rows: its text, its sort value, and the origin of the figure. */
export function columnsOf<T extends object>(): Columns<T> {
  const column = <K extends keyof T & string>(
    name: string,
    member: K,
    text: CellText<NonNullable<T[K]>> = plain,
  ): Column<T> => ({
    name,
    cell: (row) => {
      const value: T[K] = row[member];
      return isKnown(value) ? text(value as NonNullable<T[K]>) : undefined;
    },
    value: (row) => {
      const value: unknown = row[member];
      return typeof value === 'object' ? undefined : (value as string | number | boolean | undefined);
    },
    from: (row) => from(row, member),
  });
  return { text: column, number: (...given) => ({ ...column(...given), isNumber: true }) };
}
