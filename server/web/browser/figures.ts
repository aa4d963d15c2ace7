// Figures with their names, in a grid. A figure may be a share of another figure and may link to its rows.
import { html, nothing, type TemplateResult } from 'lit-html';
import type { Origin } from './origin.ts';

export interface Figure {
  readonly name: unknown;
  readonly text: unknown;
  readonly from?: Origin;
  /** The whole that the figure is a part of. */
  readonly of?: { readonly text: unknown; readonly from?: Origin };
  readonly href?: string;
  /** Shown below the figure. */
  readonly more?: unknown;
}

export const figures = (all: readonly Figure[]): TemplateResult =>
  html`<div class="figures">${all.map((one) =>
    one.href === undefined
      ? html`<div>${contents(one)}</div>`
      : html`<a href=${one.href}>${contents(one)}</a>`,
  )}</div>`;

const contents = ({ name, text, from = nothing, of, more }: Figure): TemplateResult =>
  html`<span class="quiet name">${name}</span><strong><span data-from=${from}>${text}</span>${
    of === undefined
      ? nothing
      : html` <small class="quiet">of <span data-from=${of.from ?? nothing}>${of.text}</span></small>`
  }</strong>${more ?? nothing}`;

/** The length of a published list. */
export const countOf = (count: number, origin: Origin): TemplateResult =>
  html`<span data-count=${origin}>${count.toLocaleString('en')}</span>`;
