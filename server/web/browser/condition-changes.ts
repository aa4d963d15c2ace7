// What changed since the reader's last visit, the last day or the last week: conditions that opened, closed, became worse or better, and
// those of which one of the two versions cannot say.
import { html, nothing, type TemplateResult } from 'lit-html';
import { target } from './api.ts';
import type { Change, Condition } from './api-shapes.ts';
import { nowMs } from './environment.ts';
import { badge, caption, DAY_S, isKnown, serviceClock, timeText, withUnit } from './format.ts';
import { from } from './origin.ts';
import { panel } from './panel.ts';
import { asOf, choose, link, param } from './state.ts';
import { columnsOf } from './table.ts';

interface ChangesMeta {
  readonly total: number;
  readonly has_more: boolean;
  readonly counts: Readonly<Record<string, number>>;
  readonly from: { readonly version: string; readonly as_of: string };
  readonly to: { readonly version: string; readonly as_of: string };
  readonly not_compared: readonly {
    readonly moment: 'from' | 'to';
    readonly dataset: string;
    readonly message: string;
  }[];
}

/** Time of the newest data that the reader has seen on this page. A tab keeps what it began with, so that reloading changes nothing. */
const SEEN = 'seen-until';
const lastSeen = sessionStorage.getItem(SEEN) ?? localStorage.getItem(SEEN) ?? '';
sessionStorage.setItem(SEEN, lastSeen);
/** There was an earlier visit, and the page shows the present. */
const hasVisit = (): boolean => lastSeen !== '' && asOf() === undefined;

const DAY_MS = DAY_S * 1_000;
const CHOICES = [
  ['visit', 'Since your last visit'],
  ['day', '24 hours'],
  ['week', '7 days'],
] as const;

const chosen = (): string => {
  const wanted = param('since') ?? 'visit';
  return wanted === 'visit' && !hasVisit() ? 'day' : wanted;
};

const isTime = (choice: string): boolean => /^\d{4}-/.test(choice);

/** Without a time, the service compares with 24 hours before. */
function startOf(choice: string): string | undefined {
  if (choice === 'visit') return lastSeen;
  if (isTime(choice)) return choice;
  if (choice !== 'week') return undefined;
  const end = asOf() === undefined ? serviceClock(nowMs()) : Date.parse(asOf() ?? '');
  // Full minutes, so that panels that ask for the same share a request.
  return `${new Date(end - 7 * DAY_MS).toISOString().slice(0, 16)}:00Z`;
}

const choices = (): TemplateResult =>
  html`<span class="choices" role="group" aria-label="Compare with">${CHOICES.filter(
    ([name]) => name !== 'visit' || hasVisit(),
  ).map(
    ([name, label]) =>
      html`<button type="button" aria-pressed=${String(chosen() === name)} @click=${() => choose({ since: name })}>${label}</button> `,
  )}</span>`;

const column = columnsOf<Change>();

export const changes = panel<readonly Change[]>({
  id: 'changes',
  title: 'What changed',
  isWide: true,
  address: () => target('/v2/changes', { from: startOf(chosen()) }),
  note: () => choices(),
  oldest: { label: 'Compare with the oldest', show: (since) => choose({ since }) },
  view: (all, meta) => {
    const { from: start, to: end, not_compared } = meta as unknown as ChangesMeta;
    if (asOf() === undefined) localStorage.setItem(SEEN, end.as_of);
    return html`<p>${summary(all, meta as unknown as ChangesMeta)} <span class="quiet">From <span data-from=${from(start, 'as_of')}>${timeText(start.as_of)}</span> to <span data-from=${from(end, 'as_of')}>${timeText(end.as_of)}</span> UTC</span></p>
      ${list(all.filter(isSevere))}${notes(all.filter((one) => !isSevere(one)))}
      ${not_compared.length === 0 ? nothing : html`<p class="note">Not compared:</p><ul class="quiet">${not_compared.map((one) => html`<li>${one.moment === 'from' ? 'then' : 'now'}, ${one.dataset}: <span data-from=${from(one, 'message')}>${one.message}</span></li>`)}</ul>`}`;
  },
  table: (rows) => ({
    rows,
    columns: [
      column.text('Change', 'change', caption),
      column.text('Condition', 'id'),
      column.text('Why not compared', 'reason', caption),
      column.text('Dataset', 'dataset'),
    ],
  }),
});

const COUNTED = [
  ['opened', 'opened'],
  ['reopened', 'opened again'],
  ['worsened', 'became worse'],
  ['closed', 'closed'],
  ['eased', 'eased'],
  ['unknown', 'cannot be compared'],
] as const;

function summary(
  all: readonly Change[],
  { counts, from: start, to: end, not_compared, has_more, total }: ChangesMeta,
): unknown {
  if (start.version === end.version) return 'No newer data has been published since.';
  if (all.length === 0)
    return not_compared.length === 0
      ? 'Nothing opened, closed or became worse.'
      : 'Nothing changed in what can be compared.';
  const named = COUNTED.filter(([kind]) => (counts[kind] ?? 0) > 0);
  const more = has_more
    ? html` Shown: the first <span data-derived>${all.length}</span> of <span data-derived>${total}</span>.`
    : nothing;
  return html`${named.map(([kind, label], index) => html`${index === 0 ? '' : ', '}<strong data-from=${from(counts, kind)}>${counts[kind]}</strong> ${label}`)}.${more}`;
}

const shownOf = ({ after, before }: Change): Condition | null => after ?? before;
const isSevere = (one: Change): boolean => shownOf(one)?.severity !== 'info';

const list = (all: readonly Change[]): unknown =>
  all.length === 0 ? nothing : html`<ul class="rows">${all.map(item)}</ul>`;

const notes = (all: readonly Change[]): unknown =>
  all.length === 0
    ? nothing
    : html`<details><summary><span data-derived>${all.length}</span> informational</summary>${list(all)}</details>`;

function item(one: Change): unknown {
  const condition = shownOf(one);
  if (condition === null) return nothing;
  const { severity, title, event_id } = condition;
  return html`<li class="condition" data-change=${one.change}>
    <span>${badge(severity)}</span>
    <span><strong data-from=${from(condition, 'title')}>${title}</strong><br><span class="quiet">${caption(one.change)}${why(one)}</span></span>
    <span>${values(one)}${isKnown(event_id) ? html`<a href=${link('/events', { id: event_id })}>Explain this alert</a>` : nothing}</span></li>`;
}

const REASONS: Readonly<Record<string, string>> = {
  not_published: 'not published',
  held_back: 'held back',
  not_read: 'its sources were not read',
  no_row: 'without a row of the subject',
  not_live: 'its sources do not cover the time',
};

function why({ change, reason, dataset, before, after }: Change): string {
  if (change === 'unknown')
    return `: ${dataset ?? ''} ${before === null ? 'then' : 'now'} ${REASONS[reason ?? ''] ?? caption(reason)}`;
  const isMoved = before !== null && after !== null && before.severity !== after.severity;
  return isMoved ? `: ${before.severity} to ${after.severity}` : '';
}

/** The worst value, then and now. */
function values({ before, after }: Change): unknown {
  if (!isKnown((after ?? before)?.measure)) return nothing;
  const shown = [
    ['worst then', before],
    ['worst now', after],
  ] as const;
  return html`<span class="values">${shown.map(([label, one]) =>
    one === null
      ? nothing
      : html`<span><small>${label}</small> <strong data-from=${from(one, 'value_worst')}>${withUnit(one.value_worst, one.unit)}</strong></span>`,
  )}</span>`;
}
