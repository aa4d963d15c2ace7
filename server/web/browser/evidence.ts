// One event explained: the observations around its time, the rules that decided, and the sources of the numbers.
import { html, nothing, type TemplateResult } from 'lit-html';
import { target } from './api.ts';
import type { Evidence, RiskEvent, Rule } from './api-shapes.ts';
import { timeChart } from './chart.ts';
import { columnsOf } from './columns.ts';
import { titleOf } from './event-groups.ts';
import { gistView, subjectOf } from './event-row.ts';
import { badge, isKnown, msOf, number, plainText, shortName, timeText, withUnit, caption } from './format.ts';
import { rememberNames } from './names.ts';
import { from } from './origin.ts';
import { type Panel, panel } from './panel.ts';
import { rulesOfEvent } from './rules-of-event.ts';
import { link, param } from './state.ts';
import { type Column, SHORT_PAGE, tableView } from './table.ts';

type EvidenceSeries = Evidence['series'][number];

const address = (end = ''): string | undefined => {
  const id = param('id');
  return id === undefined ? undefined : target(`/v2/events/${encodeURIComponent(id)}${end}`);
};

const one = panel<RiskEvent>({
  id: 'event',
  title: 'Event',
  isWide: true,
  address: () => address(),
  view: (event, meta) => {
    rememberNames(meta);
    return html`<p><a href=${link('/events')}>All events</a></p>
    <h3>${badge(event.severity)} ${titleOf(event)}: ${subjectOf(event)}</h3>
    <p><span data-from=${from(event, 'ts')}>${timeText(event.ts)} UTC</span> ${gistView(event)}</p>
    ${event.retracts_event_id === undefined ? nothing : html`<p>It retracts <a href=${link('/events', { id: event.retracts_event_id })}>an earlier event</a>: what that one reported did not happen.</p>`}
    ${tableView(
      'Figures of the event',
      DATA_COLUMNS,
      Object.entries(event.data).map(([name, value]): Datum => [name, value, event.data]),
    )}
    <details class="quiet"><summary>Ids</summary><p>event <code>${event.event_id}</code></p><p>subject <code>${event.subject_id}</code></p></details>`;
  },
});

type Datum = readonly [name: string, value: unknown, data: object];

const DATA_COLUMNS: readonly Column<Datum>[] = [
  { name: 'Figure', cell: ([name]) => caption(name), value: ([name]) => name },
  {
    name: 'Value',
    cell: ([name, value]) => valueView(name, value),
    from: ([name, value, data]) => (typeof value === 'object' && value !== null ? nothing : from(data, name)),
  },
];

/** A value of an event. Lists of records are shown as tables, not as text for programs. */
function valueView(name: string, value: unknown): unknown {
  if (!isKnown(value)) return undefined;
  if (Array.isArray(value)) {
    if (value.every((one) => typeof one !== 'object')) return value.join(', ') || 'none';
    return recordsView(name, value as readonly Rec[]);
  }
  if (typeof value === 'object') return recordsView(name, [value as Rec]);
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number' && /(timestamp|_at)$/.test(name)) return `${timeText(value)} UTC`;
  return typeof value === 'number' ? number(value, 8) : shortName(String(value));
}

type Rec = Readonly<Record<string, unknown>>;

function recordsView(name: string, records: readonly Rec[]): TemplateResult {
  const members = [...new Set(records.flatMap((one) => Object.keys(one)))];
  const columns = members.map(
    (member): Column<Rec> => ({
      name: caption(member),
      cell: (one) => valueView(member, one[member]),
      from: (one) => (typeof one[member] === 'object' && one[member] !== null ? nothing : from(one, member)),
    }),
  );
  return tableView(caption(name), columns, records, SHORT_PAGE);
}

const explained = panel<Evidence>({
  id: 'evidence',
  title: 'Evidence',
  isWide: true,
  address: () => address('/evidence'),
  note: 'The observations around the time of the event, and the rules that decided. The line marks the event.',
  view: ({
    event,
    rules,
    policy_version,
    series,
    sources,
    gaps,
  }) => html`${rulesView(rulesOfEvent(event, rules), policy_version)}
    ${series.map(
      (one, index) =>
        html`<h3>${caption(one.dataset)}</h3>${drawable(one).length === 0 ? html`<p class="empty">No numbers around this time.</p>` : html`<div class="chart" data-series=${index}></div>`}${tableView(
          `${one.dataset} ${one.key}`,
          seriesColumns(one),
          one.t.map((_, index) => index),
        )}`,
    )}
    ${gaps.length === 0 ? nothing : html`<h3>What is missing</h3><ul>${gaps.map((gap) => html`<li>${gap}</li>`)}</ul>`}
    <h3>Sources</h3><ul>${sources.map(({ name, kind }) => html`<li>${name} <span class="quiet">${kind}</span></li>`)}</ul>`,
  draw: (element, { event, series }) => {
    for (const location of element.querySelectorAll<HTMLElement>('[data-series]')) {
      const shown = series[Number(location.dataset['series'])];
      if (shown !== undefined) drawSeries(location, shown, event);
    }
  },
});

const ROLES: Readonly<Record<Rule['role'], string>> = {
  threshold: 'Where it fires',
  confirmation: 'What else must hold',
  cooldown: 'How long it is then suppressed',
};

const rulesView = (rules: readonly Rule[], policyVersion: string | null): TemplateResult =>
  html`<h3>Rules <span class="quiet">${policyVersion === null ? 'not known' : `policy ${policyVersion}`}</span></h3>${tableView('Rules', RULE_COLUMNS, rules)}`;

const rule = columnsOf<Rule>();

const RULE_COLUMNS: readonly Column<Rule>[] = [
  rule.text('Rule', 'name', caption),
  {
    name: 'Value',
    isNumber: true,
    cell: ({ value, unit }) => withUnit(value, unit),
    from: (row) => from(row, 'value'),
  },
  { name: 'Decides', cell: ({ role }) => ROLES[role], value: ({ role }) => role },
];

const MAIN = ['deviation_bps', 'price', 'utilization', 'withdrawable_usd', 'supplied_usd'];

/** The columns of numbers to draw, which share one unit in a picture. */
function drawable({ columns }: EvidenceSeries): string[] {
  const numbers = Object.keys(columns).filter((name) =>
    columns[name]?.some((value) => typeof value === 'number'),
  );
  const main = MAIN.find((name) => numbers.includes(name)) ?? numbers[0];
  return main === undefined ? [] : [main];
}

function drawSeries(container: HTMLElement, series: EvidenceSeries, event: RiskEvent): void {
  const names = drawable(series);
  timeChart(container, {
    label: `${caption(names[0])} around the event`,
    t: series.t,
    gaps: series.gaps,
    axis: (value) => number(value, 4),
    lines: names.map((name) => ({
      label: caption(name),
      values: (series.columns[name] ?? []).map((value) => (typeof value === 'number' ? value : null)),
      text: (value) => number(value, 6),
      isStepped: true,
    })),
    decoration: {
      events: [{ t: msOf(event.ts) / 1_000, label: caption(event.type), severity: event.severity }],
    },
  });
}

const seriesColumns = ({ t, columns }: EvidenceSeries) => [
  {
    name: 'Time, UTC',
    cell: (at: number) => timeText(t[at]),
    value: (at: number) => t[at],
    from: (at: number) => from(t, at),
  },
  ...Object.keys(columns).map((name) => ({
    name: caption(name),
    isNumber: true,
    cell: (at: number) => plainText(columns[name]?.[at]),
    value: (at: number) => columns[name]?.[at],
    from: (at: number) => from(columns[name], at),
  })),
];

export const evidence: readonly Panel[] = [one, explained];
