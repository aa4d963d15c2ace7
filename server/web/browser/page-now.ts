// Now: what is wrong, and what changed overnight.
import { html, nothing, type TemplateResult } from 'lit-html';
import { type Meta, target } from './api.ts';
import type { Condition, RiskEvent } from './api-shapes.ts';
import { conditionItem } from './condition.ts';
import { changes } from './condition-changes.ts';
import { coverageFigures, type Manifest } from './coverage-figures.ts';
import { nowMs } from './environment.ts';
import { groupEvents, newestFirst } from './event-groups.ts';
import { eventTable, groupRow } from './event-row.ts';
import { figures } from './figures.ts';
import { caption, DAY_S, HOUR_S, isKnown, msOf, percent, serviceClock, span, timeText } from './format.ts';
import { rememberNames } from './names.ts';
import { from, type Origin } from './origin.ts';
import { panel } from './panel.ts';
import { pending } from './pending-changes.ts';
import { plainTable } from './plain-table.ts';
import { type Status, shownStatus } from './service-verdict.ts';
import { showPage } from './shell.ts';
import { apiKey, asOf, link } from './state.ts';
import { columnsOf } from './table.ts';

const isWorse = ({ severity }: Condition): boolean => severity !== 'info';

const conditions = panel<readonly Condition[]>({
  id: 'conditions',
  title: 'Open conditions',
  isWide: true,
  address: () => target('/v2/conditions'),
  view: (all) => {
    const [worse, notes] = [all.filter(isWorse), all.filter((one) => !isWorse(one))];
    return html`${worse.length === 0 ? nothingOpen() : html`<ul class="rows">${worse.map(conditionItem)}</ul>`}
      ${notes.length === 0 ? nothing : html`<details><summary><span data-derived>${notes.length}</span> informational</summary><ul class="rows">${notes.map(conditionItem)}</ul></details>`}`;
  },
  table: plainTable,
});

interface Regime {
  readonly scope: string;
  readonly hour: number;
  readonly regime: string | null;
  readonly confidence: number | null;
  /** Whether the confidence is high enough for the policy. */
  readonly is_sure: boolean;
  readonly current_regime: string | null;
  readonly signals: readonly string[];
  readonly signals_known: number;
}

const column = columnsOf<Regime>();

const regime = panel<readonly Regime[]>({
  id: 'regime',
  title: 'Market regime',
  address: () => target('/v2/datasets/market-regime'),
  view: (rows) => {
    const all = rows.filter(({ scope }) => scope === 'global').toSorted((a, b) => a.hour - b.hour);
    const last = all.at(-1);
    if (last === undefined) return html`<p class="empty">No hour has been judged.</p>`;
    return html`<p><strong data-from=${from(last, 'current_regime')}>${caption(last.current_regime)}</strong>, <span data-from=${from(last, 'confidence')}>${percent(last.confidence, 0)}</span> of the signals agree
      <span class="quiet">(<span data-from=${from(last, 'signals_known')}>${last.signals_known}</span> known, hour of <span data-from=${from(last, 'hour')}>${timeText(last.hour)} UTC</span>)</span></p>
      ${strip(all)}
      <ul class="quiet">${last.signals.map((signal, index) => signalItem(signal, from(last.signals, index)))}</ul>`;
  },
  table: (rows) => ({
    rows,
    columns: [
      column.text('Hour, UTC', 'hour', timeText),
      column.text('Regime', 'regime', caption),
      column.number('Confidence', 'confidence', (share) => percent(share, 0)),
      column.number('Known signals', 'signals_known'),
    ],
  }),
});

const signalItem = (signal: string, origin: Origin): TemplateResult => {
  const [name = '', verdict = ''] = signal.split(':');
  return html`<li data-from=${origin}>${caption(name)}: ${caption(verdict)}</li>`;
};

/** Hours that are missing, or whose signals do not agree enough to judge them, are hatched. */
function strip(all: readonly Regime[]): TemplateResult {
  const byHour = new Map(all.map((row) => [row.hour, row]));
  const [first, last] = [all[0]?.hour ?? 0, all.at(-1)?.hour ?? 0];
  const hours = Array.from({ length: (last - first) / HOUR_S + 1 }, (_, index) => first + index * HOUR_S);
  const label = `Regime of each hour from ${timeText(first)} to ${timeText(last)} UTC; the table has every hour`;
  return html`<div class="strip" role="img" aria-label=${label}>${hours.map((hour) => {
    const row = byHour.get(hour);
    return html`<span class=${row?.is_sure === true ? (row.regime ?? 'unknown') : 'unknown'} title="${timeText(hour)} UTC: ${hourText(row)}"></span>`;
  })}</div><p class="quiet"><span data-from=${from(all[0], 'hour')}>${timeText(first)}</span> to <span data-from=${from(all.at(-1), 'hour')}>${timeText(last)} UTC</span></p>`;
}

function hourText(row: Regime | undefined): string {
  if (row === undefined || !isKnown(row.regime)) return 'not known';
  return row.is_sure ? caption(row.regime) : `not sure, ${percent(row.confidence, 0)} of the signals agree`;
}

const MAX_LINES = 12;

const newestEvents = (severity: string): string =>
  target('/v2/events', { order: 'desc', limit: 200, severity });

function eventList(
  all: readonly RiskEvent[],
  {
    meta,
    empty,
    href,
    allText,
  }: { readonly meta: Meta; readonly empty: unknown; readonly href: string; readonly allText: string },
): TemplateResult {
  rememberNames(meta);
  const groups = groupEvents(newestFirst(all));
  return html`${delayNote(meta)}${groups.length === 0 ? html`<p class="empty">${empty}</p>` : html`<ul class="rows">${groups.slice(0, MAX_LINES).map(groupRow)}</ul>`}
    <p><a href=${href}>${allText}</a></p>`;
}

const severe = panel<readonly RiskEvent[]>({
  id: 'severe',
  title: 'High and critical in the last 24 hours',
  isWide: true,
  address: () => newestEvents('high,critical'),
  view: (all, meta) => {
    const moment = asOf();
    const now = moment === undefined ? serviceClock(nowMs()) : msOf(moment);
    const recent = all.filter(({ ts }) => msOf(ts) > now - DAY_S * 1_000);
    const href = link('/events', { severity: 'high,critical' });
    return eventList(recent, {
      meta,
      empty: noneText(meta),
      href,
      allText: 'All high and critical events',
    });
  },
  table: eventTable,
});

const events = panel<readonly RiskEvent[]>({
  id: 'events',
  title: 'Newest events, warn and above',
  isWide: true,
  address: () => newestEvents('warn,high,critical'),
  view: (all, meta) =>
    eventList(all, {
      meta,
      empty: 'No event in this window.',
      href: link('/events', { severity: 'warn,high,critical' }),
      allText: 'All events, warn and above',
    }),
  table: eventTable,
});

/** Of other conditions no event reports the end: what changed says that they closed, and their page that they are no longer open. */
const ended = panel<readonly RiskEvent[]>({
  id: 'ended',
  title: 'Depegs that ended',
  isWide: true,
  address: () => target('/v2/events', { order: 'desc', limit: 50, type: 'peg.depeg.end' }),
  view: (all, meta) =>
    eventList(all, {
      meta,
      empty: noneText(meta),
      href: link('/events', { type: 'peg.depeg.end' }),
      allText: 'All ends of depegs',
    }),
  table: eventTable,
});

/** Zero if events are shown at once. */
const delayOf = (meta: Meta): number => Number(meta['delay_seconds'] ?? 0);

/** A list that is late cannot say that there is nothing newer, while conditions, which are not late, may show it. */
const noneText = (meta: Meta): unknown =>
  delayOf(meta) > 0
    ? html`None older than <span data-from=${from(meta, 'delay_seconds')}>${span(delayOf(meta))}</span>. Open conditions are not delayed.`
    : shownStatus()?.status === 'ok'
      ? 'None.'
      : 'None in what can be judged.';

const delayNote = (meta: Meta): unknown => {
  const seconds = delayOf(meta);
  return seconds > 0
    ? html`<p class="note">${apiKey() === undefined ? 'Without a key' : 'In this plan'} events are shown <span data-from=${from(meta, 'delay_seconds')}>${span(seconds)}</span> late.</p>`
    : nothing;
};

const coverage = panel<Manifest>({
  id: 'coverage',
  title: 'What the data covers',
  address: () => target('/v2/data-manifest'),
  view: (manifest) => figures(coverageFigures(manifest)),
  table: plainTable,
});

showPage([conditions, pending, changes, ended, severe, events, regime, coverage]);

/** For a list of what is wrong that is empty: what that means, which depends on what could be judged. */
function nothingOpen(): TemplateResult {
  const status = shownStatus();
  if (asOf() !== undefined)
    return status?.status === 'ok'
      ? html`<p>No condition was open.</p>`
      : html`<p>No condition was open in what could be judged then. ${isKnown(status) ? verdictText(status) : nothing}</p>`;
  if (!isKnown(status))
    return html`<p>No condition is open. Whether everything could be judged is not known yet.</p>`;
  return status.status === 'ok'
    ? html`<p>No condition is open.</p>`
    : html`<p>No condition is open in what can be judged. ${verdictText(status)}</p>`;
}

const verdictText = ({ summary }: Status): TemplateResult =>
  html`<span data-derived>${summary}</span> <a href=${link('/status')}>Why</a>`;
