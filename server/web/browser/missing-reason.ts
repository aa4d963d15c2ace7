// Why a figure is missing, in words: held back by a check, or not delivered by any source.
import { html, type TemplateResult } from 'lit-html';
import { UNKNOWN } from './format.ts';
import { shownStatus } from './service-verdict.ts';

/** The message of the check that holds back a subject, or the whole dataset, at the displayed time; undefined if none does. */
export function heldReason(dataset: string, id: string): string | undefined {
  const lower = id.toLowerCase();
  return shownStatus()?.reasons.find(
    (one) =>
      one.code === 'held_back' &&
      one.dataset === dataset &&
      (one.subject === null || one.subject.toLowerCase().includes(lower)),
  )?.message;
}

/** What is shown instead of a row that is not published. */
export function missingRow(what: string, dataset: string, id: string): TemplateResult {
  const held = heldReason(dataset, id);
  return held === undefined
    ? html`<p class="empty">${what}: ${UNKNOWN}, no source reports it.</p>`
    : html`<p class="trouble" role="status">${what}: held back. <span data-derived>${held}</span></p>`;
}

/** A figure that is not known, with the reason below it. */
export const reasonLine = (reason: string): TemplateResult =>
  html`<small class="quiet" data-derived>${reason}</small>`;
