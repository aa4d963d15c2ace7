// One event explained: what was observed around the moment, the rules that decided, and where the numbers come from.
import { html, nothing, type TemplateResult } from 'lit-html';
import { target } from './api.ts';
import { timeChart } from './chart.ts';
import type { Gap } from './chart-decoration.ts';
import { gistOf, subjectOf } from './event-row.ts';
import { badge, isKnown, msOf, number, timeText, withUnit, words } from './format.ts';
import { type Panel, panel } from './panel.ts';
import { link, param } from './state.ts';
import type { RiskEvent } from './stream.ts';
import { tableView } from './table.ts';

interface Rule {
  readonly name: string;
  readonly value: number | string | null;
  readonly unit: string | null;
}

interface EvidenceSeries {
  readonly dataset: string;
  readonly key: string;
  readonly t: readonly number[];
  readonly columns: Readonly<Record<string, readonly (number | string | boolean | null)[]>>;
  readonly gaps: readonly Gap[];
}

interface Evidence {
  readonly event: RiskEvent;
  readonly rules: {
    readonly thresholds: readonly Rule[];
    readonly confirmation: readonly Rule[];
    readonly cooldown_seconds: number | null;
    readonly policy_version: string;
  } | null;
  readonly series: readonly EvidenceSeries[];
  readonly sources: readonly { readonly name: string; readonly kind: string }[];
  readonly notes: readonly string[];
}

const address = (end = ''): string | undefined => {
  const id = param('id');
  return id === undefined ? undefined : target(`/v2/events/${encodeURIComponent(id)}${end}`);
};

const one = panel<RiskEvent>({
  id: 'event',
  title: 'Event',
  isWide: true,
  address: () => address(),
  view: (event) => html`<p><a href=${link('/events')}>All events</a></p>
    <h3>${badge(event.severity)} ${words(event.type)}: ${subjectOf(event)}</h3>
    <p>${timeText(event.ts)} UTC${gistOf(event) === '' ? nothing : html`, ${gistOf(event)}`}</p>
    ${tableView('Figures of the event', DATA_COLUMNS, Object.entries(event.data))}
    <details class="quiet"><summary>Ids</summary><p>event <code>${event.event_id}</code></p><p>subject <code>${event.subject_id}</code></p></details>`,
});

const DATA_COLUMNS = [
  {
    name: 'Figure',
    cell: ([name]: [string, unknown]) => words(name),
    value: ([name]: [string, unknown]) => name,
  },
  {
    name: 'Value',
    cell: ([name, value]: [string, unknown]) => {
      if (!isKnown(value)) return undefined;
      if (typeof value === 'number' && name.endsWith('timestamp')) return `${timeText(value)} UTC`;
      return typeof value === 'object' ? JSON.stringify(value) : String(value);
    },
  },
];

const explained = panel<Evidence>({
  id: 'evidence',
  title: 'Evidence',
  isWide: true,
  address: () => address('/evidence'),
  note: 'What was observed around the moment, and the rules that decided. The line marks the event.',
  view: ({ rules, series, sources, notes }) => html`${rulesView(rules)}
    ${series.map(
      (one, index) =>
        html`<h3>${words(one.dataset)}</h3>${drawable(one).length === 0 ? html`<p class="empty">No numbers around the moment.</p>` : html`<div class="chart" data-series=${index}></div>`}${tableView(
          `${one.dataset} ${one.key}`,
          seriesColumns(one),
          one.t.map((_, at) => at),
        )}`,
    )}
    ${series.length === 0 ? html`<p>The event itself is the record: there is no series of observations behind it.</p>` : nothing}
    ${notes.length === 0 ? nothing : html`<h3>What is missing</h3><ul>${notes.map((note) => html`<li>${note}</li>`)}</ul>`}
    <h3>Sources</h3><ul>${sources.map(({ name, kind }) => html`<li>${name} <span class="quiet">${kind}</span></li>`)}</ul>`,
  draw: (element, { event, series }) => {
    for (const place of element.querySelectorAll<HTMLElement>('[data-series]')) {
      const shown = series[Number(place.dataset['series'])];
      if (shown !== undefined) drawSeries(place, shown, event);
    }
  },
});

const rulesView = (rules: Evidence['rules']): TemplateResult =>
  rules === null
    ? html`<p>The rules of that time are not known.</p>`
    : html`<h3>Rules <span class="quiet">policy ${rules.policy_version}</span></h3><dl>${[
        ...rules.thresholds,
        ...rules.confirmation,
      ].map(
        ({ name, value, unit }) => html`<dt>${words(name)}</dt><dd>${withUnit(value, unit)}</dd>`,
      )}<dt>cooldown</dt><dd>${withUnit(rules.cooldown_seconds, 'seconds')}</dd></dl>`;

const MAIN = ['deviation_bps', 'price', 'utilization', 'withdrawable_usd', 'supplied_usd'];

/** The columns of numbers that are drawn: one unit in a picture. */
function drawable({ columns }: EvidenceSeries): string[] {
  const numbers = Object.keys(columns).filter((name) =>
    columns[name]?.some((value) => typeof value === 'number'),
  );
  const main = MAIN.find((name) => numbers.includes(name)) ?? numbers[0];
  return main === undefined ? [] : [main];
}

function drawSeries(place: HTMLElement, series: EvidenceSeries, event: RiskEvent): void {
  const names = drawable(series);
  timeChart(place, {
    label: `${words(names[0])} around the event`,
    t: series.t,
    gaps: series.gaps,
    axis: (value) => number(value, 4),
    lines: names.map((name) => ({
      label: words(name),
      values: (series.columns[name] ?? []).map((value) => (typeof value === 'number' ? value : null)),
      text: (value) => number(value, 6),
      isStepped: true,
    })),
    decoration: {
      events: [{ t: msOf(event.ts) / 1_000, label: words(event.type), severity: event.severity }],
    },
  });
}

const seriesColumns = ({ t, columns }: EvidenceSeries) => [
  { name: 'Time, UTC', cell: (at: number) => timeText(t[at]), value: (at: number) => t[at] },
  ...Object.keys(columns).map((name) => ({
    name: words(name),
    isNumber: true,
    cell: (at: number) => {
      const value = columns[name]?.[at];
      return isKnown(value) ? String(value) : undefined;
    },
    value: (at: number) => columns[name]?.[at],
  })),
];

export const evidence: readonly Panel[] = [one, explained];
