// Why a figure is missing, in words: held back by a check, or not delivered by any source.
import { html, nothing, type TemplateResult } from 'lit-html';
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

/** Held subjects beyond those that are listed: each may be of any dataset. If the status of that time is not available, any may be held. */
function unlistedReason(): string | undefined {
  const status = shownStatus();
  return status === null
    ? 'Whether something was held back at this time is not known.'
    : status?.reasons.find(({ code, dataset }) => code === 'held_back' && dataset === null)?.message;
}

const listedReason = (datasets: readonly string[]): string | undefined =>
  datasets.map((dataset) => heldReason(dataset, '')).find((reason) => reason !== undefined);

/** Why something is missing from a dataset, or from one of several, or may be; undefined if nothing is held back. */
export const anyHeldReason = (...datasets: readonly string[]): string | undefined =>
  listedReason(datasets) ?? unlistedReason();

/** A list without everything that is held back says so. */
export function heldNote(...datasets: readonly string[]): TemplateResult | typeof nothing {
  const held = anyHeldReason(...datasets);
  if (held === undefined) return nothing;
  const what =
    listedReason(datasets) === undefined ? 'Perhaps not complete' : 'Not complete: something is held back';
  return html`<p class="trouble" role="status">${what}. <span data-derived>${held}</span></p>`;
}

/** What is shown instead of a row that is not published. */
export function missingRow(what: string, dataset: string, id: string): TemplateResult {
  const [held, unlisted] = [heldReason(dataset, id), unlistedReason()];
  if (held === undefined && unlisted === undefined)
    return html`<p class="empty">${what}: ${UNKNOWN}, no source reports it.</p>`;
  const state = held === undefined ? 'not known, it may be held back' : 'held back';
  return html`<p class="trouble" role="status">${what}: ${state}. <span data-derived>${held ?? unlisted}</span></p>`;
}

/** A figure that is not known, with the reason below it. */
export const reasonLine = (reason: string): TemplateResult =>
  html`<small class="quiet" data-derived>${reason}</small>`;
