// The verdict of the service as the pages show it: the response of `/v1/status`, which every page requests anyway, now and, if it shows an
// earlier time, for that time. No page says more, or anything else, about what can be judged.
import { html, nothing, type TemplateResult } from 'lit-html';
import { isKnown, serviceBadge, timeText } from './format.ts';
import { asOf, link } from './state.ts';

export interface Status {
  readonly status: string;
  readonly headline: string;
  /** By severity; null if it is unknown how many are open. */
  readonly open_conditions: Readonly<Record<string, number>> | null;
  readonly summary: string;
  readonly reasons: readonly {
    readonly code: string;
    readonly message: string;
    readonly dataset: string | null;
    readonly subject: string | null;
  }[];
  readonly families: readonly Family[];
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

/** The response for an earlier time; null if there is none. */
let past: { readonly moment: string; readonly status: Status | null } | undefined;

export function notePast(moment: string, status: Status | null): void {
  past = { moment, status };
}

/** The verdict of the time that the page shows; undefined until it is received, null if it is not available. */
export const shownStatus = (): Status | null | undefined =>
  asOf() === undefined ? known : past?.moment === asOf() ? past?.status : undefined;

/** The address of the verdict of the displayed time. */
export const statusAddress = (): string => {
  const moment = asOf();
  return moment === undefined ? '/v1/status' : `/v1/status?as_of=${encodeURIComponent(moment)}`;
};

export function noteStatus(status: Status): void {
  known = status;
  isSilent = false;
}

export function noteSilence(): void {
  isSilent = true;
}

/** Above the panels: on Now always, with the open conditions first; elsewhere what keeps the service from being well. */
export function verdictBar(): TemplateResult | typeof nothing {
  const status = shownStatus();
  if (!isKnown(status)) return nothing;
  const { headline, open_conditions, summary } = status;
  if (isNow())
    return html`<p class="verdict headline ${worstOf(open_conditions)}" id="verdict" role="status"><strong data-derived>${momentText()}${headline}</strong> <a href=${link('/status')}>Why</a></p>`;
  if (status.status === 'ok') return nothing;
  return html`<p class="verdict" id="verdict" role="status">${serviceBadge(status.status)} <span data-derived>${momentText()}${summary}</span> <a href=${link('/status')}>Why</a></p>`;
}

/** Of an earlier time, which the last response of a silent service is too, so that no one takes its verdict for that of now. */
const momentText = (): string => {
  const moment = asOf() ?? (isSilent ? known?.as_of : undefined);
  return isKnown(moment) ? `As of ${timeText(moment)} UTC: ` : '';
};

const isNow = (): boolean => document.getElementById('conditions') !== null;

const SEVERITIES = ['critical', 'high', 'warn', 'info'];

/** The greatest severity of a count; `none` if nothing is open, `unknown` if that is not known. */
const worstOf = (open: Status['open_conditions']): string =>
  open === null ? 'unknown' : (SEVERITIES.find((name) => (open[name] ?? 0) > 0) ?? 'none');

/** The severities of open conditions with their counts; undefined if it is unknown how many are open. */
export const openCounts = (
  open: Status['open_conditions'] | undefined,
): readonly { readonly name: string; readonly count: number }[] | undefined =>
  open === null || open === undefined
    ? undefined
    : SEVERITIES.map((name) => ({ name, count: open[name] ?? 0 })).filter(({ count }) => count > 0);

let ownTitle: string | undefined;

/** The title of Now begins with its verdict, so that a tab in the background says what is wrong. */
export function titlePage(): void {
  if (!isNow()) return;
  ownTitle ??= document.title;
  const status = shownStatus();
  const verdict = isKnown(status) ? [`${momentText()}${status.headline}`] : [];
  const first = isSilent && known !== undefined ? ['The service does not respond.'] : verdict;
  document.title = [...first, ownTitle].join(' – ');
}

/** Figures that are no longer refreshed get a mark of their age. */
export const silenceBar = (): TemplateResult | typeof nothing =>
  isSilent && known !== undefined
    ? html`<p class="moment" role="alert"><strong>The service does not respond.</strong> What is shown is as of ${timeText(known.as_of)} UTC and is not refreshed.</p>`
    : nothing;

/** The verdict of a quality gate. It is about the data, so it never looks like the severity of a risk. */
export function dataBadge(
  verdict = '',
  checks: readonly { readonly verdict: string }[] = [],
): TemplateResult {
  const count = checks.filter((check) => check.verdict === verdict).length;
  const warnings = count === 0 ? 'warnings' : `${count} ${count === 1 ? 'check warns' : 'checks warn'}`;
  const labels: Readonly<Record<string, string>> = {
    pass: 'checked',
    warn: warnings,
    fail: 'held back',
    not_evaluated: 'no source',
  };
  return html`<span class="data-state ${verdict}">data: <span data-derived>${labels[verdict] ?? 'not known'}</span></span>`;
}
