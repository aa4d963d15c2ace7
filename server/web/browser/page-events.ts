// Events: what happened, and what is happening. A filtered list, a picture by type over time with a replay slider, the live stream with a
// key, and one event explained with its evidence.
import { html, nothing, type TemplateResult } from 'lit-html';
import { type Meta, target } from './api.ts';
import type { RiskEvent } from './api-shapes.ts';
import { groupRuns, newestFirst, retractedIn } from './event-groups.ts';
import { eventPicture } from './event-picture.ts';
import { eventTable, groupRow } from './event-row.ts';
import { evidence } from './evidence.ts';
import { filterForm, textFilter } from './filters.ts';
import { msOf, number, span, timeText } from './format.ts';
import { loadNames, rememberNames } from './names.ts';
import { from } from './origin.ts';
import { pager } from './pager.ts';
import { type Panel, panel } from './panel.ts';
import { showPage } from './shell.ts';
import { apiKey, asOf, onState, param, setParams } from './state.ts';
import { repaint } from './table.ts';

const FILTERS = ['severity', 'type', 'chain', 'protocol', 'subject', 'from', 'to', 'cursor'];
const MAX_LIVE = 200;
/** Lines of the list before it is expanded. */
const SHORT_LIST = 40;

let types: readonly string[] = [];

const timeline = panel<readonly RiskEvent[]>({
  id: 'timeline',
  title: 'Events',
  isWide: true,
  address: () =>
    param('id') === undefined
      ? target('/v2/events', {
          order: 'desc',
          limit: 200,
          ...Object.fromEntries(FILTERS.map((name) => [name, param(name)])),
        })
      : undefined,
  view: (events, meta) => {
    rememberNames(meta);
    const all = newestFirst(events);
    const until = untilMs();
    const shown = all.filter(({ ts }) => until === undefined || msOf(ts) <= until);
    return html`${filters(all)}${eventPicture(all)}${scrubber(all, until)}
      <p class="note">${param('cursor') === undefined ? 'The newest' : 'Earlier'} ${shown.length === 1 ? 'event' : html`<span data-derived>${number(shown.length)}</span> events`}${delay(meta)}${meta.has_more ? '; there are earlier ones' : ''}.</p>
      ${shown.length === 0 ? html`<p class="empty">No event matches these filters in this window.</p>` : eventList(shown)}
      ${pager({ name: 'cursor', of: 'events', first: 'Newest events', next: 'Earlier events' }, meta)}`;
  },
  table: eventTable,
});

let listed = SHORT_LIST;

function eventList(shown: readonly RiskEvent[]): TemplateResult {
  const groups = groupRuns(shown);
  const more = (event: Event) => {
    listed += SHORT_LIST;
    repaint(event);
  };
  return html`<ul class="rows" id="event-list">${groups.slice(0, listed).map(groupRow)}</ul>
    ${groups.length > listed ? html`<p class="more"><button type="button" @click=${more}>Show more</button> <span data-derived>${listed} of ${groups.length} lines</span></p>` : nothing}`;
}

const delay = (meta: Meta): unknown => {
  const seconds = meta['delay_seconds'];
  return typeof seconds === 'number' && seconds > 0
    ? html`, <span data-from=${from(meta, 'delay_seconds')}>${span(seconds)}</span> late: a key that includes events shows them at once`
    : '';
};

const filters = (all: readonly RiskEvent[]): TemplateResult =>
  filterForm(
    [
      { name: 'severity', label: 'Severity', values: ['critical', 'high', 'warn', 'info'] },
      { name: 'type', label: 'Type', values: [...types, ...all.map(({ type }) => type)] },
      { name: 'chain', label: 'Chain', values: all.map(({ chain }) => chain) },
    ],
    html`${textFilter({ name: 'protocol', label: 'Protocol' })}${textFilter({ name: 'from', label: 'From, UTC', example: 'YYYY-MM-DDThh:mm:ssZ' })}${textFilter({ name: 'to', label: 'To, UTC', example: 'YYYY-MM-DDThh:mm:ssZ' })}`,
  );

const untilMs = (): number | undefined => {
  const until = param('until');
  return until === undefined ? undefined : msOf(until);
};

/** Steps through the events in order, showing what was known until a given time. */
function scrubber(all: readonly RiskEvent[], until: number | undefined): TemplateResult | typeof nothing {
  if (all.length < 2) return nothing;
  const order = all.toReversed();
  const found = order.findLastIndex(({ ts }) => until === undefined || msOf(ts) <= until);
  const move = (event: Event) => {
    const index = Number((event.target as HTMLInputElement).value);
    setParams({ until: index === order.length - 1 ? undefined : order[index]?.ts });
  };
  return html`<p class="filters"><label class="scrubber">Replay until <input type="range" min="0" max=${order.length - 1} .value=${String(Math.max(0, found))} @change=${move} aria-valuetext=${timeText(order[Math.max(0, found)]?.ts)}></label>
    <span data-from=${from(order[Math.max(0, found)], 'ts')}>${timeText(order[Math.max(0, found)]?.ts)} UTC</span> ${until === undefined ? nothing : html`<button type="button" @click=${() => setParams({ until: undefined })}>To the end</button>`}</p>`;
}

const live: { state: string; text: string; events: readonly RiskEvent[] } = {
  state: '',
  text: '',
  events: [],
};
let stop: () => void = () => undefined;

/** A retraction in the stream marks the event above which it arrived. */
function liveRows(events: readonly RiskEvent[]): readonly TemplateResult[] {
  const retracted = retractedIn(events);
  return events.map((event) => groupRow({ event, count: 1, isRetracted: retracted.has(event.event_id) }));
}

/** The list of event types is always available, so this panel can also show the live tail. */
const tail: Panel = panel<readonly { readonly type: string; readonly summary: string }[]>({
  id: 'live',
  title: 'New events',
  isWide: true,
  address: () => (param('id') === undefined && asOf() === undefined ? target('/v2/event-types') : undefined),
  view: (all) => {
    types = all.map(({ type }) => type);
    if (apiKey() === undefined)
      return html`<p>The live stream requires a key of the plan analyst or higher. Without one, the list above is updated with every version.</p>`;
    return html`<p id="stream" class="stream ${live.state}" role="status">${live.text}</p>
      ${live.events.length === 0 ? html`<p class="empty">New events appear here as they are published.</p>` : html`<ul class="rows" id="live-list">${liveRows(live.events)}</ul>`}`;
  },
  draw: (element) => {
    if (live.events.length > 0) loadNames(element);
  },
});

/** Above the list while it follows the stream, and below it when it can only state why it does not. */
function placeTail(): void {
  if (apiKey() === undefined) timeline.element.after(tail.element);
  else timeline.element.before(tail.element);
}

let isTailDue = false;

/** Repaints once for all events that arrive before the browser's next frame. */
function repaintTail(): void {
  if (isTailDue) return;
  isTailDue = true;
  requestAnimationFrame(() => {
    isTailDue = false;
    tail.element.dispatchEvent(new CustomEvent('repaint'));
  });
}

/** How often it has begun to follow; an earlier beginning that is still loading gives way. */
let begun = 0;

async function follow(): Promise<void> {
  begun += 1;
  const own = begun;
  placeTail();
  stop();
  stop = () => undefined;
  live.events = [];
  const key = apiKey();
  if (key === undefined || asOf() !== undefined || param('id') !== undefined) return;
  const { followStream } = await import('./stream.ts');
  if (own !== begun) return;
  stop = followStream({
    key,
    onEvent: (event) => {
      live.events = [event, ...live.events].slice(0, MAX_LIVE);
      repaintTail();
    },
    onState: (state, text) => {
      live.state = state;
      live.text = text;
      repaintTail();
    },
  });
}

let followed = `${apiKey()} ${asOf()} ${param('id')}`;
onState(() => {
  const next = `${apiKey()} ${asOf()} ${param('id')}`;
  if (next === followed) return;
  followed = next;
  void follow();
});

showPage([...evidence, timeline, tail]);
void follow();
