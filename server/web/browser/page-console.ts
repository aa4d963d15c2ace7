// Console: what does my key do, and did my webhooks arrive?
import { html, type TemplateResult } from 'lit-html';
import { ApiError, send } from './api.ts';
import { columnsOf } from './columns.ts';
import { type Figure, figures } from './figures.ts';
import { age, badge, due, isKnown, number, timeText, words } from './format.ts';
import { from } from './origin.ts';
import { panel, troubleWords } from './panel.ts';
import { showPage } from './shell.ts';
import { link, param, setParams } from './state.ts';
import { type Column, repaint, tableView } from './table.ts';

interface Quota {
  readonly used: number;
  readonly limit: number;
}

interface Usage {
  readonly org: string;
  readonly key_id: string;
  readonly plan: string;
  readonly scopes: readonly string[];
  readonly rate_limit: { readonly limit: number; readonly remaining: number; readonly resets_at: string };
  readonly month: {
    readonly requests: number;
    readonly monte_carlo_runs: Quota;
    readonly simulator_runs: Quota;
    readonly resets_at: string;
  };
  readonly limits: Readonly<Record<string, number>>;
}

const usage = panel<Usage>({
  id: 'usage',
  title: 'Key and usage',
  isWide: true,
  address: () => '/v1/usage',
  view: usageView,
});

function usageView(usage: Usage): TemplateResult {
  const { rate_limit, month, limits } = usage;
  const share = (name: string, quota: Quota): Figure => ({
    name,
    words: number(quota.used),
    from: from(quota, 'used'),
    of: { words: number(quota.limit), from: from(quota, 'limit') },
  });
  const all: readonly Figure[] = [
    { name: 'Organisation', words: usage.org, from: from(usage, 'org') },
    { name: 'Plan', words: usage.plan, from: from(usage, 'plan') },
    { name: 'Requests this month', words: number(month.requests), from: from(month, 'requests') },
    {
      name: 'Left in this minute',
      words: number(rate_limit.remaining),
      from: from(rate_limit, 'remaining'),
      of: { words: number(rate_limit.limit), from: from(rate_limit, 'limit') },
    },
    share('Monte Carlo runs', month.monte_carlo_runs),
    share('Simulator runs', month.simulator_runs),
    {
      name: 'Stream connections, at most',
      words: number(limits['stream_connections']),
      from: from(limits, 'stream_connections'),
    },
    {
      name: 'Replay window, days',
      words: number(limits['replay_window_days']),
      from: from(limits, 'replay_window_days'),
    },
  ];
  return html`${figures(all)}<p class="quiet">Key <code>${usage.key_id}</code>; scopes ${usage.scopes.join(', ')}. The month ends <span data-from=${from(month, 'resets_at')}>${timeText(month.resets_at)} UTC</span>.</p>`;
}

interface DayOfUsage {
  readonly day: string;
  readonly requests: number;
  readonly errors?: number | null;
}

const used = columnsOf<DayOfUsage>();
const USAGE_COLUMNS: readonly Column<DayOfUsage>[] = [
  used.text('Day', 'day'),
  used.number('Requests', 'requests', number),
  used.number('Errors', 'errors', number),
];

const usageHistory = panel<readonly DayOfUsage[]>({
  id: 'usage-history',
  title: 'Requests by day',
  isWide: true,
  address: () => '/v1/usage/history',
  view: (days) => tableView('Requests by day', USAGE_COLUMNS, days),
});

interface Webhook {
  readonly id: string;
  readonly url: string;
  readonly description: string | null;
  readonly events: readonly string[];
  readonly status: string;
  readonly created_at: string;
}

const webhooks = panel<readonly Webhook[]>({
  id: 'webhooks',
  title: 'Webhooks',
  isWide: true,
  address: () => '/v2/webhooks',
  view: (all) =>
    all.length === 0
      ? html`<p class="empty">No subscription yet. Create one with <a href="/docs#postWebhooks"><code>POST /v2/webhooks</code></a>.</p>`
      : tableView('Webhooks', WEBHOOK_COLUMNS, all),
});

const webhook = columnsOf<Webhook>();

const WEBHOOK_COLUMNS: readonly Column<Webhook>[] = [
  {
    name: 'Address',
    cell: ({ id, url }) => html`<a href=${link('/console', { webhook: id })}>${url}</a>`,
    value: ({ url }) => url,
    from: (row) => from(row, 'url'),
  },
  webhook.text('State', 'status', badge),
  { name: 'Event types', cell: ({ events }) => events.join(', ') },
  { name: 'Description', cell: ({ description }) => description ?? '–' },
  webhook.text('Created', 'created_at', age),
  {
    name: 'Test',
    cell: ({ id }) =>
      html`<button type="button" @click=${(event: Event) => void act(event, `/v2/webhooks/${id}/test`, {})}>Send a test</button>`,
  },
];

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

const deliveries = panel<readonly Delivery[]>({
  id: 'deliveries',
  title: 'Deliveries',
  isWide: true,
  address: () =>
    param('webhook') === undefined
      ? undefined
      : `/v2/webhooks/${chosen()}/deliveries${param('cursor') === undefined ? '' : `?cursor=${encodeURIComponent(param('cursor') ?? '')}`}`,
  view: (all, { cursor }) => html`<p><a href=${link('/console')}>All webhooks</a> ${recovery(all)}</p>
    <p role="status">${outcome}</p>
    ${all.length === 0 ? html`<p class="empty">No delivery in the last 30 days.</p>` : html`<ul class="rows">${all.map(deliveryItem)}</ul>`}
    ${isKnown(cursor) ? html`<button type="button" @click=${() => setParams({ cursor }, false)}>Earlier deliveries</button>` : ''}`,
});

const deliveryItem = (
  one: Delivery,
): TemplateResult => html`<li><details><summary>${badge(one.status)} ${one.event_type} <span class="quiet"><span data-from=${from(one, 'created_at')}>${timeText(one.created_at)} UTC</span>, attempt <span data-from=${from(one, 'attempt')}>${one.attempt}</span> of <span data-from=${from(one, 'max_attempts')}>${one.max_attempts}</span>, ${isKnown(one.response_status) ? html`status <span data-from=${from(one, 'response_status')}>${one.response_status}</span>` : (one.error?.message ?? 'no response')}</span></summary>
  <dl><dt>Event</dt><dd><a href=${link('/events', { id: one.event_id })}>${one.event_id}</a></dd>
  <dt>Address</dt><dd>${one.url ?? 'not attempted yet'}</dd>
  <dt>Attempted</dt><dd>${isKnown(one.attempted_at) ? html`<span data-from=${from(one, 'attempted_at')}>${timeText(one.attempted_at)} UTC</span>` : 'not yet'}${isKnown(one.duration_ms) ? html`, took <span data-from=${from(one, 'duration_ms')}>${one.duration_ms} ms</span>` : ''}, ${one.trigger}</dd>
  <dt>Next attempt</dt><dd>${isKnown(one.next_attempt_at) ? due(one.next_attempt_at) : 'none'}</dd>
  ${one.error === null ? '' : html`<dt>Error</dt><dd>${one.error.code}: ${one.error.message}</dd>`}</dl>
  <h4>Request headers</h4><pre tabindex="0"><code>${Object.entries(one.request_headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n')}</code></pre>
  <h4>Response</h4><pre tabindex="0"><code>${one.response_body ?? 'none'}</code></pre>
  <button type="button" @click=${(event: Event) => void act(event, redeliverPath(one))}>Send again</button></details></li>`;

const redeliverPath = ({ webhook_id, id }: Delivery): string =>
  `/v2/webhooks/${webhook_id}/deliveries/${id}/redeliver`;

/** Sends every failed delivery since a time again, oldest first. */
function recovery(all: readonly Delivery[]): TemplateResult {
  const recover = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const since = new FormData(event.target as HTMLFormElement).get('since');
    const failed = all.filter(
      ({ status, created_at }) => status === 'failed' && Date.parse(created_at) >= Date.parse(`${since}Z`),
    );
    for (const one of failed.toReversed()) await act(event, redeliverPath(one));
    outcome = `${failed.length} deliveries are sent again.`;
    repaint(event);
  };
  return html`<form class="filters" @submit=${(event: SubmitEvent) => void recover(event)}><label>Recover failed deliveries of this page since, UTC<input type="datetime-local" name="since" required></label><button type="submit">Send again</button></form>`;
}

async function act(event: Event, path: string, body?: object): Promise<void> {
  try {
    await send(path, body, 'POST');
    outcome = 'Sent. The delivery appears in the list after its first attempt.';
    await deliveries.refresh();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    outcome = troubleWords(error);
  }
  repaint(event);
}

interface Statistics {
  readonly day: string;
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
  ...STATES.map((state) => counted.number(words(state), state, number)),
  counted.number('Mean duration, ms', 'mean_duration_ms', (value) => number(value, 0)),
];

const statistics = panel<readonly Statistics[]>({
  id: 'statistics',
  title: 'Deliveries by day',
  isWide: true,
  address: () => (param('webhook') === undefined ? undefined : `/v2/webhooks/${chosen()}/statistics`),
  view: (days) => tableView('Deliveries by day', STATISTICS_COLUMNS, days),
});

showPage([usage, webhooks, deliveries, statistics, usageHistory]);
