// Pages of a list. The position in the list is a URL parameter, so every page has its own link.
import { html, nothing, type TemplateResult } from 'lit-html';
import type { Meta } from './api.ts';
import { countOf } from './figures.ts';
import { isKnown, number } from './format.ts';
import { from, lengthOf } from './origin.ts';
import { here, param, setParams } from './state.ts';

/** Maximum number of rows in one response of a list. */
export const MAX_ROWS = 500;

interface Pages {
  /** The URL parameter that holds the cursor. */
  readonly name: string;
  /** What is listed. */
  readonly of: string;
  readonly first?: string;
  readonly next?: string;
}

/** Links to the first and the next page, if they exist. */
export function pager(
  { name, of, first = 'First page', next = 'Next page' }: Pages,
  { cursor, has_more }: Meta,
): TemplateResult | typeof nothing {
  const isLater = param(name) !== undefined;
  const hasNext = has_more === true && isKnown(cursor);
  if (!isLater && !hasNext) return nothing;
  return html`<nav class="pager" aria-label="Pages of ${of}">${isLater ? step(first, { [name]: undefined }) : nothing} ${hasNext ? step(next, { [name]: cursor }) : nothing}</nav>`;
}

function step(text: string, changes: Readonly<Record<string, string | undefined>>): TemplateResult {
  const go = (event: MouseEvent) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    setParams(changes, false);
  };
  return html`<a href=${here(changes)} @click=${go}>${text}</a>`;
}

/** The number of rows on the page, out of the number that match the filters. */
export const countOfPage = (rows: readonly object[], meta: Meta, what: string): TemplateResult =>
  html`${countOf(rows.length, lengthOf(rows))} of <span class="total" data-from=${from(meta, 'total')}>${number(meta.total)}</span> ${what}`;
