// Console: what can my key do, and did my webhooks arrive?
import { html, nothing, type TemplateResult } from 'lit-html';
import { target } from './api.ts';
import { dayBars, type Share } from './day-bars.ts';
import { deliveries, outcomeOf, statistics } from './deliveries.ts';
import { type Figure, figures } from './figures.ts';
import { age, badge, number, timeText } from './format.ts';
import { type LatencyDay, latencyColumns, latencyLines } from './latency.ts';
import { from } from './origin.ts';
import { pager } from './pager.ts';
import { panel } from './panel.ts';
import { plainTable } from './plain-table.ts';
import { showPage } from './shell.ts';
import { link, param } from './state.ts';
import type { Subscription } from './subscription-fields.ts';
import { edit, subscriptionForm } from './subscription-form.ts';
import { type Column, columnsOf, repaint, SHORT_PAGE, tableView } from './table.ts';

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
  table: plainTable,
});

/** Shown in place of a limit of 0. */
const NOT_INCLUDED = html`<span class="quiet">not included</span>`;

function usageView(usage: Usage): TemplateResult {
  const { rate_limit, month, limits } = usage;
  const share = (name: string, quota: Quota): Figure =>
    quota.limit === 0 && quota.used === 0
      ? { name, text: NOT_INCLUDED }
      : {
          name,
          text: number(quota.used),
          from: from(quota, 'used'),
          of: { text: number(quota.limit), from: from(quota, 'limit') },
        };
  const limit = (name: string, of: string): Figure =>
    limits[of] === 0
      ? { name, text: NOT_INCLUDED }
      : { name, text: number(limits[of]), from: from(limits, of) };
  const all: readonly Figure[] = [
    { name: 'Organisation', text: usage.org, from: from(usage, 'org') },
    { name: 'Plan', text: usage.plan, from: from(usage, 'plan') },
    { name: 'Requests this month', text: number(month.requests), from: from(month, 'requests') },
    {
      name: 'Left in this minute',
      text: number(rate_limit.remaining),
      from: from(rate_limit, 'remaining'),
      of: { text: number(rate_limit.limit), from: from(rate_limit, 'limit') },
    },
    share('Monte Carlo runs', month.monte_carlo_runs),
    share('Simulator runs', month.simulator_runs),
    limit('Maximum stream connections', 'stream_connections'),
    limit('Replay window, days', 'replay_window_days'),
  ];
  return html`${figures(all)}<p class="quiet">Key <code>${usage.key_id}</code>; scopes ${usage.scopes.join(', ')}. The month ends <span data-from=${from(month, 'resets_at')}>${timeText(month.resets_at)} UTC</span>.</p>`;
}

interface DayOfUsage extends LatencyDay {
  readonly requests: number;
  readonly errors: number;
}

const used = columnsOf<DayOfUsage>();
const USAGE_COLUMNS: readonly Column<DayOfUsage>[] = [
  used.text('Day', 'day'),
  used.number('Requests', 'requests', number),
  used.number('Errors', 'errors', number),
  ...latencyColumns<DayOfUsage>(),
];

const USAGE_SHARES: readonly Share<DayOfUsage>[] = [
  { name: 'errors', look: 'failed', of: ({ errors }) => errors },
  { name: 'other requests', look: 'delivered', of: ({ requests, errors }) => requests - errors },
];

const usageHistory = panel<readonly DayOfUsage[]>({
  id: 'usage-history',
  title: 'Requests by day',
  isWide: true,
  address: () => '/v1/usage/history',
  view: (days) =>
    html`${days.length === 0 ? nothing : html`${dayBars('Requests by day', days, USAGE_SHARES)}${latencyLines('Time of a request', days)}`}${tableView('Requests by day', USAGE_COLUMNS, days.toReversed(), SHORT_PAGE)}`,
});

interface Webhook extends Subscription {
  readonly created_at: string;
}

const webhooks = panel<readonly Webhook[]>({
  id: 'webhooks',
  title: 'Webhooks',
  isWide: true,
  address: () => target('/v2/webhooks', { cursor: param('webhooks_cursor') }),
  view: (all, meta) =>
    all.length === 0
      ? html`<p class="empty">No subscriptions yet. Create one below, or with <a href="/docs/webhooks#postWebhooks"><code>POST /v2/webhooks</code></a>.</p>`
      : html`<p role="status">${tested}</p>${tableView('Webhooks', WEBHOOK_COLUMNS, all)}${pager({ name: 'webhooks_cursor', of: 'webhooks' }, meta)}`,
});

let tested = '';

async function test(event: Event, id: string): Promise<void> {
  tested = await outcomeOf(`/v2/webhooks/${id}/test`);
  repaint(event);
  await deliveries.refresh();
}

const webhook = columnsOf<Webhook>();

const WEBHOOK_COLUMNS: readonly Column<Webhook>[] = [
  {
    name: 'Address',
    cell: ({ id, url }) => html`<a href=${link('/console', { webhook: id })}>${url}</a>`,
    value: ({ url }) => url,
    from: (row) => from(row, 'url'),
  },
  webhook.text('Format', 'format'),
  webhook.text('State', 'status', badge),
  { name: 'Event types', cell: ({ events }) => events.join(', ') },
  {
    name: 'Grouping',
    cell: ({ grouping }) =>
      grouping === null
        ? 'each event'
        : html`one message in <span data-from=${from(grouping, 'minutes')}>${number(grouping.minutes)}</span> min about a subject`,
  },
  {
    name: 'Quiet hours',
    cell: ({ quiet_hours: quiet }) =>
      quiet === null ? 'none' : `${quiet.from} to ${quiet.to}, ${quiet.time_zone}`,
  },
  { name: 'Description', cell: ({ description }) => description ?? '–' },
  webhook.text('Created', 'created_at', age),
  {
    name: 'Test',
    cell: ({ id }) =>
      html`<button type="button" @click=${(event: Event) => void test(event, id)}>Send a test</button>`,
  },
  {
    name: 'Change',
    cell: (row) => html`<button type="button" @click=${() => edit(row)}>Change</button>`,
  },
];

const subscription = subscriptionForm(() => webhooks.refresh());

showPage([usage, webhooks, subscription, deliveries, statistics, usageHistory]);
