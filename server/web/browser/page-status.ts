// Status: is the service up to date, and was it yesterday?
import { html } from 'lit-html';
import { type Figure, figures } from './figures.ts';
import { age, badge, due, number, span, timeText } from './format.ts';
import { from } from './origin.ts';
import { panel } from './panel.ts';
import { type DatasetStatus, type Status, showPage } from './shell.ts';
import { link, param } from './state.ts';
import { type Column, tableView } from './table.ts';

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
  note: 'Whether the service works. Risk is shown by its own sign at the top.',
  address: () => '/v1/status',
  view: (status) => {
    const rows = Object.entries(status.datasets);
    const state = param('state');
    const shown = rows.filter(
      ([, { quality_gate, freshness }]) =>
        state === undefined || quality_gate === state || freshness.status === state,
    );
    return html`<p>${badge(status.status)} ${status.version === null ? 'Nothing has been published yet. The first version will appear here.' : html`Data as of <span data-from=${from(status, 'as_of')}>${timeText(status.as_of)} UTC</span>, ${age(status.as_of)}; running for <span data-from=${from(status, 'uptime_seconds')}>${span(status.uptime_seconds)}</span>`}</p>
      ${status.notices.length === 0 ? '' : html`<h3>Problems</h3><ul>${status.notices.map(({ at, message }) => html`<li><span data-derived>${timeText(at)} UTC ${message}</span></li>`)}</ul>`}
      ${figures([...counts(rows), { name: 'Events published', words: number(status.events.published), from: from(status.events, 'published'), href: link('/events') }])}
      ${shown.length < rows.length ? html`<p class="note" data-derived>${shown.length} of ${rows.length} datasets. <a href=${link('/status')}>All datasets</a></p>` : ''}
      ${tableView('Datasets', COLUMNS, shown)}`;
  },
});

function counts(rows: readonly Row[]): readonly Figure[] {
  const count = (word: string) =>
    rows.filter(([, { quality_gate, freshness }]) => quality_gate === word || freshness.status === word)
      .length;
  return (['fresh', 'aging', 'stale', 'warn', 'fail'] as const).map((word) => ({
    name: badge(word),
    words: html`<span data-derived>${number(count(word))}</span>`,
    of: { words: html`<span data-derived>${number(rows.length)}</span>` },
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
    cell: ([, { freshness }]) => badge(freshness.status),
    value: ([, { freshness }]) => freshness.status,
    from: ([, { freshness }]) => from(freshness, 'status'),
  },
  {
    name: 'Gate',
    cell: ([, { quality_gate }]) => badge(quality_gate),
    value: ([, { quality_gate }]) => quality_gate,
    from: ([, row]) => from(row, 'quality_gate'),
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

interface HistoryRow {
  readonly dataset: string;
  readonly day: string | number;
  readonly gate: string | null;
  readonly freshness: string | null;
}

const DAYS = 90;

const history = panel<readonly HistoryRow[]>({
  id: 'history',
  title: 'The worst state of each day',
  isWide: true,
  address: () => '/v1/status/history',
  view: (rows) => {
    const ids = [...new Set(rows.map(({ dataset }) => dataset))].sort();
    const days = [...new Set(rows.map(({ day }) => day))].sort().slice(-DAYS);
    return html`<p class="note">${days.length} days; hatched where nothing is recorded</p><ul class="rows">${ids.map(
      (id) => {
        const own = new Map(rows.filter(({ dataset }) => dataset === id).map((row) => [row.day, row]));
        return html`<li><a href=${link('/datasets', { id })}>${id}</a><div class="strip" role="img" aria-label="${id}: ${days.map((day) => `${day} ${own.get(day)?.gate ?? 'not recorded'}`).join(', ')}">${days.map((day) => html`<span class=${own.get(day)?.gate ?? 'unknown'} title="${day}: ${own.get(day)?.gate ?? 'not recorded'}"></span>`)}</div></li>`;
      },
    )}</ul>`;
  },
});

showPage([service, history]);
