// Deliveries of a webhook, each with its last attempt, request and response and a button to send it again, and their daily counts.
import { html, nothing, type TemplateResult } from 'lit-html';
import { ApiError, ask, send, target } from './api.ts';
import { dayBars, type Share } from './day-bars.ts';
import { caption, due, isKnown, number, quantity, serviceBadge, timeText } from './format.ts';
import { type LatencyDay, latencyColumns, latencyLines } from './latency.ts';
import { from } from './origin.ts';
import { pager } from './pager.ts';
import { panel, troubleText } from './panel.ts';
import { link, param } from './state.ts';
import { type Column, columnsOf, repaint, SHORT_PAGE, tableView } from './table.ts';

/** Maximum number of deliveries in one response. */
const MAX_PAGE = 100;

interface Delivery {
  readonly id: string;
  readonly webhook_id: string;
  readonly event_id: string;
  readonly event_type: string;
  readonly status: string;
  readonly attempt: number;
  readonly max_attempts: number;
  readonly trigger: string;
  readonly url: string | null;
  readonly response_status: number | null;
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly duration_ms: number | null;
  readonly request_headers: Readonly<Record<string, string>>;
  readonly response_body: string | null;
  readonly attempted_at: string | null;
  readonly next_attempt_at: string | null;
  readonly created_at: string;
}

const chosen = (): string => encodeURIComponent(param('webhook') ?? '');
let outcome = '';

export const deliveries = panel<readonly Delivery[]>({
  id: 'deliveries',
  title: 'Deliveries',
  isWide: true,
  address: () =>
    param('webhook') === undefined
      ? undefined
      : target(`/v2/webhooks/${chosen()}/deliveries`, { cursor: param('cursor') }),
  view: (all, meta) => html`<p><a href=${link('/console')}>All webhooks</a> ${recovery()}</p>
    <p role="status">${outcome}</p>
    ${all.length === 0 ? html`<p class="empty">No delivery in the last 30 days.</p>` : html`<ul class="rows">${all.map(deliveryItem)}</ul>`}
    ${pager({ name: 'cursor', of: 'deliveries', first: 'Newest deliveries', next: 'Earlier deliveries' }, meta)}`,
});

const DELIVERY_LOOKS: Readonly<Record<string, string>> = { delivered: 'ok', failed: 'fail' };

const deliveryItem = (
  one: Delivery,
): TemplateResult => html`<li><details><summary>${serviceBadge(one.status, DELIVERY_LOOKS[one.status])} ${one.event_type} <span class="quiet"><span data-from=${from(one, 'created_at')}>${timeText(one.created_at)} UTC</span>, attempt <span data-from=${from(one, 'attempt')}>${one.attempt}</span> of <span data-from=${from(one, 'max_attempts')}>${one.max_attempts}</span>, ${isKnown(one.response_status) ? html`status <span data-from=${from(one, 'response_status')}>${one.response_status}</span>` : (one.error?.message ?? 'no response')}</span></summary>
  <dl><dt>Event</dt><dd><a href=${link('/events', { id: one.event_id })}>${one.event_id}</a></dd>
  <dt>Address</dt><dd>${one.url ?? 'not attempted yet'}</dd>
  <dt>Attempted</dt><dd>${isKnown(one.attempted_at) ? html`<span data-from=${from(one, 'attempted_at')}>${timeText(one.attempted_at)} UTC</span>` : 'not yet'}${isKnown(one.duration_ms) ? html`, took <span data-from=${from(one, 'duration_ms')}>${one.duration_ms} ms</span>` : ''}, ${one.trigger}</dd>
  <dt>Next attempt</dt><dd>${isKnown(one.next_attempt_at) ? due(one.next_attempt_at) : 'none'}</dd>
  ${one.error === null ? '' : html`<dt>Error</dt><dd>${one.error.code}: ${one.error.message}</dd>`}</dl>
  <h4>Request</h4><pre tabindex="0"><code>${headersOf(one)}</code></pre>
  <details @toggle=${(event: Event) => void loadBody(event, one)}><summary>Body</summary><pre tabindex="0"><code>${bodies.get(one.event_id) ?? 'Loading…'}</code></pre></details>
  <h4>Response</h4><pre tabindex="0"><code>${one.response_body ?? 'none'}</code></pre>
  <button type="button" @click=${(event: Event) => void sendAgain(event, one)}>Send again</button></details></li>`;

const headersOf = ({ request_headers }: Delivery): string =>
  Object.entries(request_headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n') || 'not attempted yet';

/** Events by id, in the form in which they are sent. */
const bodies = new Map<string, string>();

async function loadBody(event: Event, { event_id: id }: Delivery): Promise<void> {
  if (bodies.has(id) || !(event.target as HTMLDetailsElement).open) return;
  try {
    const { data } = await ask<object>(target(`/v2/events/${encodeURIComponent(id)}`));
    bodies.set(id, JSON.stringify(data, null, 2));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    bodies.set(
      id,
      error.status === 404
        ? 'The log does not contain this event: it is a test event, or too old.'
        : troubleText(error),
    );
  }
  repaint(event);
}

const redeliverPath = ({ webhook_id, id }: Delivery): string =>
  `/v2/webhooks/${webhook_id}/deliveries/${id}/redeliver`;

/** Sends every failed delivery since a given time again, oldest first. */
const recovery = (): TemplateResult =>
  html`<form class="filters" @submit=${(event: SubmitEvent) => void recover(event)}><label>Send failed deliveries again since, UTC<input type="datetime-local" name="since" required></label><button type="submit" ?disabled=${isRecovering}>Send again</button></form>`;

let isRecovering = false;

async function recover(event: SubmitEvent): Promise<void> {
  event.preventDefault();
  const since = Date.parse(`${String(new FormData(event.target as HTMLFormElement).get('since'))}Z`);
  isRecovering = true;
  outcome = 'Sending…';
  repaint(event);
  outcome = await recoveryOf(since);
  isRecovering = false;
  await deliveries.refresh();
  repaint(event);
}

async function recoveryOf(since: number): Promise<string> {
  try {
    const failed = await failedSince(since);
    let sent = 0;
    for (const one of failed) {
      await send(redeliverPath(one), {});
      sent += 1;
      outcome = `${sent} of ${failed.length} sent again.`;
    }
    return `${quantity(sent, 'failed delivery', 'failed deliveries')} since ${timeText(since / 1_000)} UTC ${sent === 1 ? 'was' : 'were'} sent again.`;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return `${outcome === 'Sending…' ? '' : `${outcome} `}${troubleText(error)}`;
  }
}

/** The last delivery of each event over all pages, if it failed; oldest first. */
async function failedSince(since: number): Promise<readonly Delivery[]> {
  const failed: Delivery[] = [];
  const known = new Set<string>();
  let cursor: string | undefined;
  do {
    const { data, meta } = await ask<readonly Delivery[]>(
      target(`/v2/webhooks/${chosen()}/deliveries`, { limit: MAX_PAGE, cursor }),
    );
    const recent = data.filter(({ created_at }) => Date.parse(created_at) >= since);
    for (const one of recent) {
      if (one.status === 'failed' && !known.has(one.event_id)) failed.push(one);
      known.add(one.event_id);
    }
    cursor = recent.length === data.length ? (meta.cursor ?? undefined) : undefined;
  } while (cursor !== undefined);
  return failed.toReversed();
}

/** The outcome of a request to send, in words. */
export async function outcomeOf(path: string): Promise<string> {
  try {
    await send(path, {});
    return 'Sent. The delivery appears in the list after its first attempt.';
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return troubleText(error);
  }
}

async function sendAgain(event: Event, one: Delivery): Promise<void> {
  outcome = await outcomeOf(redeliverPath(one));
  await deliveries.refresh();
  repaint(event);
}

interface Statistics extends LatencyDay {
  readonly deliveries: number;
  readonly delivered: number;
  readonly retrying: number;
  readonly pending: number;
  readonly failed: number;
  readonly skipped: number;
  readonly attempts: number;
  readonly mean_duration_ms: number | null;
}

const counted = columnsOf<Statistics>();
const STATES = ['deliveries', 'delivered', 'retrying', 'pending', 'failed', 'skipped', 'attempts'] as const;
const STATISTICS_COLUMNS: readonly Column<Statistics>[] = [
  counted.text('Day', 'day'),
  ...STATES.map((state) => counted.number(caption(state), state, number)),
  counted.number('Mean duration', 'mean_duration_ms', (value) => `${number(value, 0)} ms`),
  ...latencyColumns<Statistics>(),
];

const SHARES: readonly Share<Statistics>[] = [
  { name: 'failed', look: 'failed', of: ({ failed }) => failed },
  { name: 'retrying', look: 'retrying', of: ({ retrying }) => retrying },
  { name: 'pending', look: 'pending', of: ({ pending }) => pending },
  { name: 'skipped', look: 'skipped', of: ({ skipped }) => skipped },
  { name: 'delivered', look: 'delivered', of: ({ delivered }) => delivered },
];

export const statistics = panel<readonly Statistics[]>({
  id: 'statistics',
  title: 'Deliveries by day',
  isWide: true,
  address: () => (param('webhook') === undefined ? undefined : `/v2/webhooks/${chosen()}/statistics`),
  view: (days, { is_complete }) =>
    html`${is_complete === false ? html`<p class="note">Earlier days have too many deliveries to count.</p>` : nothing}${days.length === 0 ? nothing : html`${dayBars('Deliveries by day', days, SHARES)}${latencyLines('Time of an attempt', days)}`}${tableView('Deliveries by day', STATISTICS_COLUMNS, days.toReversed(), SHORT_PAGE)}`,
});
