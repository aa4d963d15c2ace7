// Status: is the service up to date, and was it yesterday?
import { html, nothing, type TemplateResult } from 'lit-html';
import { target } from './api.ts';
import type { Series } from './api-shapes.ts';
import { type Figure, figures } from './figures.ts';
import { age, daysBetween, dayText, due, number, plainText, serviceBadge, span, timeText } from './format.ts';
import { type LatencyDay, latencyColumns, latencyLines } from './latency.ts';
import { from } from './origin.ts';
import { panel } from './panel.ts';
import { type DatasetStatus, dataBadge, type Family, type Status, statusAddress } from './service-verdict.ts';
import { showPage } from './shell.ts';
import { asOf, link, param } from './state.ts';
import { type Column, columnsOf, SHORT_PAGE, tableView } from './table.ts';

/** Looks of families' states. */
const FAMILY_LOOKS: Readonly<Record<string, string>> = {
  complete: 'ok',
  partial: 'degraded',
  unknown: 'degraded',
  pending: 'unknown',
  no_source: 'unknown',
};

interface FullStatus extends Status {
  readonly uptime_seconds: number;
  readonly events: {
    readonly published: number;
    readonly indexed: number;
    readonly last_event_id: string | null;
  };
}

type Row = readonly [id: string, status: DatasetStatus];

const service = panel<FullStatus>({
  id: 'service',
  title: 'Service',
  isWide: true,
  note: 'Whether the service works. Risk has its own sign at the top.',
  address: statusAddress,
  view: (status) => {
    const rows = Object.entries(status.datasets);
    const state = param('state');
    const shown = rows.filter(([, one]) => state === undefined || statesOf(one).includes(state));
    return html`<p>${serviceBadge(status.status)} ${status.version === null ? 'Nothing has been published yet. The first version will appear here.' : html`Data as of <span data-from=${from(status, 'as_of')}>${timeText(status.as_of)} UTC</span>, ${age(status.as_of)}${asOf() === undefined ? html`; running for <span data-from=${from(status, 'uptime_seconds')}>${span(status.uptime_seconds)}</span>` : nothing}`}</p>
      <p data-derived>${status.headline}</p>
      ${status.reasons.length === 0 ? nothing : html`<h3>Reasons</h3><ul>${status.reasons.map(({ message }) => html`<li data-derived>${message}</li>`)}</ul>`}
      ${status.notices.length === 0 ? '' : html`<h3>Problems</h3><ul>${status.notices.map(({ at, message }) => html`<li><span data-derived>${timeText(at)} UTC ${message}</span></li>`)}</ul>`}
      ${status.version === null ? nothing : figures([...counts(rows), { name: 'Events published', text: number(status.events.published), from: from(status.events, 'published'), href: link('/events') }])}
      ${shown.length < rows.length ? html`<p class="note" data-derived>${shown.length} of ${rows.length} datasets. <a href=${link('/status')}>All datasets</a></p>` : ''}
      ${status.version === null ? nothing : tableView('Datasets', COLUMNS, shown)}`;
  },
});

/** The words under which a dataset is counted and found. */
const statesOf = ({ state, quality_gate, freshness }: DatasetStatus): readonly string[] => [
  state,
  quality_gate,
  freshness.status,
];

const COUNTED = [
  ['fresh', serviceBadge('fresh')],
  ['aging', serviceBadge('aging')],
  ['stale', serviceBadge('stale')],
  ['warn', dataBadge('warn')],
  ['held_back', dataBadge('fail')],
  ['no_source', serviceBadge('no source', 'unknown')],
] as const;

function counts(rows: readonly Row[]): readonly Figure[] {
  const count = (word: string) => rows.filter(([, one]) => statesOf(one).includes(word)).length;
  return COUNTED.map(([word, name]) => ({
    name,
    text: html`<span data-derived>${number(count(word))}</span>`,
    of: { text: html`<span data-derived>${number(rows.length)}</span>` },
    href: `${link('/status', { state: word })}#service`,
  }));
}

const COLUMNS: readonly Column<Row>[] = [
  {
    name: 'Dataset',
    cell: ([id]) => html`<a href=${link('/datasets', { id })}>${id}</a>`,
    value: ([id]) => id,
  },
  {
    name: 'Freshness',
    cell: ([, { state, freshness }]) =>
      state === 'no_source' ? serviceBadge('no source', 'unknown') : serviceBadge(freshness.status),
    value: ([, { freshness }]) => freshness.status,
  },
  {
    name: 'Gate',
    cell: ([, { quality_gate }]) => dataBadge(quality_gate),
    value: ([, { quality_gate }]) => quality_gate,
  },
  {
    name: 'Computed',
    cell: ([, { freshness }]) => age(freshness.computed_at),
    value: ([, { freshness }]) => freshness.computed_at,
    from: ([, { freshness }]) => from(freshness, 'computed_at'),
  },
  {
    name: 'Next',
    cell: ([, { freshness }]) => due(freshness.next_update_at),
    value: ([, { freshness }]) => freshness.next_update_at,
    from: ([, { freshness }]) => from(freshness, 'next_update_at'),
  },
  {
    name: 'Documents',
    isNumber: true,
    cell: ([, { documents }]) => number(documents),
    value: ([, { documents }]) => documents,
    from: ([, row]) => from(row, 'documents'),
  },
];

const families = panel<Status>({
  id: 'families',
  title: 'What can be judged',
  isWide: true,
  address: statusAddress,
  view: ({ version, families: all }) =>
    all.length === 0
      ? html`<p class="empty">${version === null ? 'Nothing has been published yet.' : 'The version does not say what it was computed from.'}</p>`
      : tableView('What can be judged', FAMILY_COLUMNS, all),
});

const FAMILY_COLUMNS: readonly Column<Family>[] = [
  {
    name: 'Family',
    cell: ({ title }) => title,
    value: ({ title }) => title,
    from: (one) => from(one, 'title'),
  },
  {
    name: 'State',
    cell: ({ state }) => serviceBadge(state, FAMILY_LOOKS[state]),
    value: ({ state }) => state,
    from: (one) => from(one, 'state'),
  },
  {
    name: 'Verdict',
    cell: ({ message }) => message,
    value: ({ message }) => message,
    from: (one) => from(one, 'message'),
  },
];

interface History extends Series {
  readonly dataset: string;
}

const measured = columnsOf<LatencyDay>();
const LATENCY_COLUMNS: readonly Column<LatencyDay>[] = [
  measured.text('Day', 'day'),
  ...latencyColumns<LatencyDay>(),
];

const history = panel<readonly History[]>({
  id: 'history',
  title: 'Worst gate per day',
  isWide: true,
  note: 'Days without a publication are hatched. The first line is the worst of all datasets.',
  address: () => target('/v1/status/history'),
  view: (all, { from: start, to }) => {
    if (typeof start !== 'number' || typeof to !== 'number' || all.length === 0)
      return html`<p class="empty">No days are on record yet.</p>`;
    const days = daysBetween(start, to);
    const [worst, others] = [
      all.filter((one) => one.dataset === 'all' || !isAllPass(one)),
      all.filter((one) => one.dataset !== 'all' && isAllPass(one)),
    ];
    const list = (some: readonly History[]) =>
      html`<ul class="rows">${some.map((one) => historyItem(one, days))}</ul>`;
    return html`${list(worst)}${others.length === 0 ? nothing : html`<details><summary><span data-derived>${others.length}</span> datasets without a warning on every day on record</summary>${list(others)}</details>`}`;
  },
  table: (all) => ({ rows: all.flatMap(daysOf), columns: HISTORY_COLUMNS }),
});

type HistoryDay = readonly [history: History, at: number];

const daysOf = (one: History): readonly HistoryDay[] => one.t.map((_, index): HistoryDay => [one, index]);

const historyColumn = (name: string, member: 'gate' | 'freshness'): Column<HistoryDay> => ({
  name,
  cell: ([{ columns }, at]) => plainText(columns[member]?.[at]),
  value: ([{ columns }, at]) => columns[member]?.[at],
  from: ([{ columns }, at]) => from(columns[member], at),
});

const HISTORY_COLUMNS: readonly Column<HistoryDay>[] = [
  {
    name: 'Dataset',
    cell: ([{ dataset }]) => dataset,
    value: ([{ dataset }]) => dataset,
    from: ([one]) => from(one, 'dataset'),
  },
  {
    name: 'Day',
    cell: ([{ t }, at]) => dayText(t[at]),
    value: ([{ t }, at]) => t[at],
    from: ([{ t }, at]) => from(t, at),
  },
  historyColumn('Worst gate', 'gate'),
  historyColumn('Worst freshness', 'freshness'),
];

/** A dataset without a source is not evaluated, which is no trouble. */
const isFine = (gate: unknown): boolean => gate === 'pass' || gate === 'not_evaluated';

const isAllPass = ({ columns }: History): boolean => (columns['gate'] ?? []).every(isFine);

function historyItem({ dataset, t, columns }: History, days: readonly number[]): TemplateResult {
  const gates = new Map(t.map((at, index) => [dayText(at), columns['gate']?.[index]]));
  const verdicts = days.map((day) => ({
    day: dayText(day),
    gate: gates.get(dayText(day)) ?? 'nothing published',
  }));
  const worse = verdicts.filter(({ gate }) => !isFine(gate));
  const label = `${dataset}: ${verdicts.length} days, ${worse.length === 0 ? 'all pass' : worse.map(({ day, gate }) => `${day} ${gate}`).join(', ')}`;
  return html`<li>${dataset === 'all' ? html`<strong>All datasets</strong>` : html`<a class="name" href=${link('/datasets', { id: dataset })}>${dataset}</a>`}<div class="strip" role="img" aria-label=${label}>${verdicts.map(({ day, gate }) => html`<span class=${gate === 'nothing published' || gate === 'not_evaluated' ? 'unknown' : gate} title="${day}: ${gate}"></span>`)}</div></li>`;
}

const latency = panel<readonly LatencyDay[]>({
  id: 'latency',
  title: 'Request time by day',
  isWide: true,
  note: 'From the arrival of a request until its response is ready, over the requests of all callers, accurate to 9 %.',
  // Measured live and not published, so there is no history to show for a past time.
  address: () => (asOf() === undefined ? '/v1/status/latency' : undefined),
  view: (days) =>
    days.length === 0
      ? html`<p class="empty">No requests have been measured yet.</p>`
      : html`${latencyLines('Time of a request', days)}${tableView('Request time by day', LATENCY_COLUMNS, days.toReversed(), SHORT_PAGE)}`,
});

showPage([service, families, history, latency]);
