// Choices that narrow a table, kept in the URL under the parameter names of the API.
import { html, nothing, type TemplateResult } from 'lit-html';
import { isKnown, caption } from './format.ts';
import { choose, param } from './state.ts';

export interface Filter {
  readonly name: string;
  readonly label: string;
  readonly values: readonly (string | null | undefined)[];
  /** The label for choosing none. */
  readonly none?: string;
  readonly textOf?: (value: string) => string;
}

export function filterForm(filters: readonly Filter[], more: unknown = nothing): TemplateResult {
  return html`<form class="filters" @submit=${(event: Event) => event.preventDefault()}>${filters.map(choice)}${more}</form>`;
}

/** Values that a choice has ever offered, because a list narrowed to one value contains no others. */
const seen = new Map<string, Set<string>>();

function choice({ name, label, values, none = 'all', textOf = caption }: Filter): TemplateResult {
  const chosen = param(name) ?? '';
  const known = seen.get(name) ?? new Set();
  seen.set(name, known);
  // A value from a link may not be among those known now.
  for (const value of [chosen, ...values]) if (isKnown(value) && value !== '') known.add(value);
  const all = [...known].sort();
  return html`<label>${label.charAt(0).toUpperCase() + label.slice(1)}<select name=${name} @change=${(event: Event) => choose({ [name]: (event.target as HTMLSelectElement).value })}>
    <option value="" ?selected=${chosen === ''}>${none}</option>
    ${all.map((value) => html`<option value=${value} ?selected=${value === chosen}>${textOf(value)}</option>`)}</select></label>`;
}

interface Field {
  readonly name: string;
  readonly label: string;
  readonly type?: string;
  /** Shown while the field is empty. */
  readonly example?: string;
}

/** A text field whose value becomes a URL parameter when the field loses focus. */
export const textFilter = ({ name, label, type = 'text', example = ' ' }: Field): TemplateResult =>
  html`<label>${label}<input name=${name} type=${type} placeholder=${example} .value=${param(name) ?? ''} @change=${(event: Event) => choose({ [name]: (event.target as HTMLInputElement).value.trim() })}></label>`;
