// Now: what is wrong, and what changed overnight.
import { html, nothing, type TemplateResult } from 'lit-html';
import { target } from './api.ts';
import type { RiskEvent } from './api-shapes.ts';
import { type Condition, conditionItem } from './condition.ts';
import { nowMs } from './environment.ts';
import { groupEvents } from './event-groups.ts';
import { groupRow } from './event-row.ts';
import { isKnown, msOf, number, percent, serviceClock, timeText, words } from './format.ts';
import { loadNames } from './names.ts';
import { panel } from './panel.ts';
import { showPage } from './shell.ts';
import { asOf, link } from './state.ts';

const isWorse = ({ severity }: Condition): boolean => severity !== 'info';

const conditions = panel<readonly Condition[]>({
  id: 'conditions',
  title: 'Open conditions',
  isWide: true,
  address: () => target('/v2/conditions'),
  view: (all) => {
    const [worse, notes] = [all.filter(isWorse), all.filter((one) => !isWorse(one))];
    return html`${worse.length === 0 ? html`<p>Nothing is wrong.</p>` : html`<ul class="rows">${worse.map(conditionItem)}</ul>`}
      ${notes.length === 0 ? nothing : html`<details><summary>${notes.length} for information</summary><ul class="rows">${notes.map(conditionItem)}</ul></details>`}`;
  },
});

interface Regime {
  readonly scope: string;
  readonly hour: number;
  readonly regime: string | null;
  readonly confidence: number | null;
  readonly current_regime: string | null;
  readonly signals: readonly string[];
  readonly signals_known: number;
}

const regime = panel<readonly Regime[]>({
  id: 'regime',
  title: 'Market regime',
  address: () => target('/v2/datasets/market-regime'),
  view: (rows) => {
    const all = rows.filter(({ scope }) => scope === 'global').toSorted((a, b) => a.hour - b.hour);
    const last = all.at(-1);
    if (last === undefined) return html`<p class="empty">No hour has been judged.</p>`;
    return html`<p><strong>${words(last.current_regime)}</strong>, ${percent(last.confidence, 0)} of the signals agree
      <span class="quiet">(${last.signals_known} known, hour of ${timeText(last.hour)} UTC)</span></p>
      ${strip(all)}
      <ul class="quiet">${last.signals.map(signalItem)}</ul>`;
  },
  table: (rows) => ({
    rows,
    columns: [
      { name: 'Hour, UTC', cell: ({ hour }: Regime) => timeText(hour), value: ({ hour }: Regime) => hour },
      { name: 'Regime', cell: (row: Regime) => words(row.regime), value: (row: Regime) => row.regime },
      {
        name: 'Confidence',
        isNumber: true,
        cell: (row: Regime) => percent(row.confidence, 0),
        value: (row: Regime) => row.confidence,
      },
      {
        name: 'Known signals',
        isNumber: true,
        cell: (row: Regime) => row.signals_known,
        value: (row: Regime) => row.signals_known,
      },
    ],
  }),
});

const signalItem = (signal: string): TemplateResult => {
  const [name = '', verdict = ''] = signal.split(':');
  return html`<li>${words(name)}: ${words(verdict)}</li>`;
};

/** An hour that is missing is hatched. */
function strip(all: readonly Regime[]): TemplateResult {
  const byHour = new Map(all.map((row) => [row.hour, row]));
  const [first, last] = [all[0]?.hour ?? 0, all.at(-1)?.hour ?? 0];
  const hours = Array.from({ length: (last - first) / 3_600 + 1 }, (_, index) => first + index * 3_600);
  const label = `Regime of each hour from ${timeText(first)} to ${timeText(last)} UTC; the table has every hour`;
  return html`<div class="strip" role="img" aria-label=${label}>${hours.map((hour) => {
    const row = byHour.get(hour);
    return html`<span class=${row?.regime ?? 'unknown'} title="${timeText(hour)} UTC: ${isKnown(row) ? words(row.regime) : 'not known'}"></span>`;
  })}</div><p class="quiet">${timeText(first)} to ${timeText(last)} UTC</p>`;
}

const MAX_LINES = 12;
const DAY_MS = 86_400_000;

const newestEvents = (severity: string): string =>
  target('/v2/events', { order: 'desc', limit: 200, severity });

const eventList = (all: readonly RiskEvent[], empty: string): TemplateResult => {
  const groups = groupEvents(all);
  return groups.length === 0
    ? html`<p class="empty">${empty}</p>`
    : html`<ul class="rows">${groups.slice(0, MAX_LINES).map(groupRow)}</ul>${groups.length > MAX_LINES ? html`<p class="quiet">${groups.length - MAX_LINES} more.</p>` : nothing}`;
};

const severe = panel<readonly RiskEvent[]>({
  id: 'severe',
  title: 'High and critical in 24 hours',
  isWide: true,
  address: () => newestEvents('high,critical'),
  draw: (element) => loadNames(element),
  view: (all, meta) => {
    const moment = asOf();
    const now = moment === undefined ? serviceClock(nowMs()) : msOf(moment);
    const recent = all.filter(({ ts }) => msOf(ts) > now - DAY_MS);
    return html`${delayNote(meta['delay_seconds'])}${eventList(recent, 'None.')}
      <p><a href=${link('/events', { severity: 'high,critical' })}>All of them</a></p>`;
  },
});

const events = panel<readonly RiskEvent[]>({
  id: 'events',
  title: 'Newest events',
  isWide: true,
  address: () => newestEvents('warn,high,critical'),
  draw: (element) => loadNames(element),
  view: (all, meta) => html`${delayNote(meta['delay_seconds'])}${eventList(all, 'No event in this window.')}
    <p><a href=${link('/events')}>All events</a></p>`,
});

const delayNote = (seconds: unknown): unknown =>
  typeof seconds === 'number' && seconds > 0
    ? html`<p class="note">Without a key events are shown ${seconds / 60} minutes late.</p>`
    : nothing;

interface Manifest {
  readonly markets: Readonly<Record<string, number>>;
  readonly feeds: Readonly<Record<string, number>>;
  readonly vaults: Readonly<Record<string, number>>;
}

const coverage = panel<Manifest>({
  id: 'coverage',
  title: 'What the data covers',
  address: () => target('/v2/data-manifest'),
  view: ({ markets, feeds, vaults }) => {
    const figures: readonly (readonly [string, number | undefined, number | undefined, string])[] = [
      ['Feeds complete', feeds['complete'], feeds['total'], link('/coverage', { scope: 'oracle_feed' })],
      [
        'Feeds with history',
        feeds['with_history'],
        feeds['total'],
        link('/coverage', { scope: 'oracle_feed' }),
      ],
      ['Markets fresh', markets['fresh'], markets['total'], link('/lending', { oracle_status: 'fresh' })],
      ['Markets stale', markets['stale'], markets['total'], link('/lending', { oracle_status: 'stale' })],
      [
        'Markets unverifiable',
        markets['unverifiable'],
        markets['total'],
        link('/lending', { oracle_status: 'unverifiable' }),
      ],
      [
        'Vaults with governance',
        vaults['governance_indexed'],
        vaults['total'],
        link('/coverage', { scope: 'lending_vault' }),
      ],
    ];
    return html`<div class="figures">${figures.map(
      ([name, count, total, href]) =>
        html`<a href=${href}><span class="quiet">${name}</span><strong>${number(count)} <small class="quiet">of ${number(total)}</small></strong></a>`,
    )}</div>`;
  },
});

showPage([conditions, severe, events, regime, coverage]);
