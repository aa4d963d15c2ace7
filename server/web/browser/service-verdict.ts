// The verdict of the service as the pages show it: the response of `/v1/status`, which every page requests anyway. No page says more, or
// anything else, about what can be judged.
import { html, nothing, type TemplateResult } from 'lit-html';
import { badge, timeText } from './format.ts';
import { asOf, link } from './state.ts';

export interface Status {
  readonly status: string;
  readonly summary: string;
  readonly reasons: readonly { readonly code: string; readonly message: string }[];
  readonly families: readonly Family[];
  readonly is_simulated: boolean;
  readonly version: string | null;
  readonly as_of: string | null;
  readonly age_seconds: number | null;
  readonly notices: readonly { readonly at: string; readonly message: string }[];
  readonly datasets: Readonly<Record<string, DatasetStatus>>;
}

export interface Family {
  readonly id: string;
  readonly title: string;
  readonly state: string;
  readonly message: string;
}

export interface DatasetStatus {
  readonly state: string;
  readonly freshness: {
    readonly status: string;
    readonly computed_at: string;
    readonly next_update_at: string;
  };
  readonly documents: number;
  readonly quality_gate: string;
}

/** The last response, and whether the service has stopped responding since. */
let known: Status | undefined;
let isSilent = false;

export const serviceStatus = (): Status | undefined => known;

export function noteStatus(status: Status): void {
  known = status;
  isSilent = false;
}

export function noteSilence(): void {
  isSilent = true;
}

/** Looks of families' states. */
export const FAMILY_LOOKS: Readonly<Record<string, string>> = {
  complete: 'ok',
  partial: 'degraded',
  unknown: 'degraded',
  pending: 'info',
  no_source: 'unknown',
};

/** For a list of what is wrong that is empty: what that means, which depends on what could be judged. */
export function nothingOpen(): TemplateResult {
  const status = known;
  if (asOf() !== undefined) return html`<p>No condition was open in what could be judged then.</p>`;
  if (status === undefined)
    return html`<p>No condition is open. Whether everything could be judged is not known yet.</p>`;
  return status.status === 'ok'
    ? html`<p>No condition is open.</p>`
    : html`<p>No condition is open in what can be judged. ${verdictWords(status)}</p>`;
}

const SHOWN_REASONS = 5;

const verdictWords = ({ summary }: Status): TemplateResult =>
  html`<span data-derived>${summary}</span> <a href=${link('/status')}>Why</a>`;

/** What keeps the service from being well, above the panels. */
export function verdictBar(): TemplateResult | typeof nothing {
  const status = known;
  if (status === undefined || status.status === 'ok' || asOf() !== undefined) return nothing;
  const { reasons } = status;
  const shown = reasons.slice(0, SHOWN_REASONS);
  const more = reasons.length - shown.length;
  return html`<div class="verdict" id="verdict" role="status"><p>${badge(status.status)} <span data-derived>${status.summary}</span></p>
    ${reasons.length === 0 ? nothing : html`<details><summary><span data-derived>${reasons.length}</span> ${reasons.length === 1 ? 'reason' : 'reasons'}</summary><ul>${shown.map(({ message }) => html`<li data-derived>${message}</li>`)}</ul>${more > 0 ? html`<p><a href=${link('/status')}>${more} more</a></p>` : nothing}</details>`}</div>`;
}

/** Real names with made-up figures must not be taken for the market. */
export const simulatedBar = (): TemplateResult | typeof nothing =>
  known?.is_simulated === true
    ? html`<p class="simulated" role="note"><strong>Simulated data.</strong> Names are real; figures and incidents are made up.</p>`
    : nothing;

/** Figures that are no longer refreshed get a mark of their age. */
export const silenceBar = (): TemplateResult | typeof nothing =>
  isSilent && known !== undefined
    ? html`<p class="moment" role="alert"><strong>The service does not respond.</strong> What is shown is as of ${timeText(known.as_of)} UTC and is not refreshed.</p>`
    : nothing;

/** The verdict of a quality gate. It is about the data, so it never looks like the severity of a risk. */
export function dataBadge(
  verdict: string | undefined,
  checks: readonly { readonly verdict: string }[] = [],
): TemplateResult {
  const count = checks.filter((check) => check.verdict === verdict).length;
  const some = count === 0 ? '' : `${count} ${count === 1 ? 'check' : 'checks'} `;
  const ending = count === 1 ? 's' : '';
  const words: Readonly<Record<string, string>> = {
    pass: 'checked',
    warn: count === 0 ? 'warnings' : `${some}warn${ending}`,
    fail: 'held back',
    not_evaluated: 'no source',
  };
  return html`<span class="data-state ${verdict ?? ''}">data: <span data-derived>${words[verdict ?? ''] ?? 'not known'}</span></span>`;
}
