// Choices that narrow a table, kept in the address under the names of the API.
import { html, nothing, type TemplateResult } from 'lit-html';
import { isKnown, words } from './format.ts';
import { param, setParams } from './state.ts';

export interface Filter {
  readonly name: string;
  readonly label: string;
  readonly values: readonly (string | null | undefined)[];
}

export function filterForm(filters: readonly Filter[], more: unknown = nothing): TemplateResult {
  return html`<form class="filters" @submit=${(event: Event) => event.preventDefault()}>${filters.map(choice)}${more}</form>`;
}

function choice({ name, label, values }: Filter): TemplateResult {
  const chosen = param(name) ?? '';
  const all = [...new Set(values.filter(isKnown))].sort();
  // A value of a link may not be among those that are known now.
  if (chosen !== '' && !all.includes(chosen)) all.push(chosen);
  return html`<label>${label.charAt(0).toUpperCase() + label.slice(1)}<select name=${name} @change=${(event: Event) => setParams({ [name]: (event.target as HTMLSelectElement).value })}>
    <option value="" ?selected=${chosen === ''}>all</option>
    ${all.map((value) => html`<option value=${value} ?selected=${value === chosen}>${words(value)}</option>`)}</select></label>`;
}

interface Field {
  readonly name: string;
  readonly label: string;
  readonly type?: string;
  readonly example?: string;
}

/** A field whose text becomes a parameter of the address when it is left. */
export const textFilter = ({ name, label, type = 'text', example = '' }: Field): TemplateResult =>
  html`<label>${label}<input name=${name} type=${type} placeholder=${example} .value=${param(name) ?? ''} @change=${(event: Event) => setParams({ [name]: (event.target as HTMLInputElement).value.trim() })}></label>`;
