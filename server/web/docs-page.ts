// The reference: the OpenAPI document as an HTML page.
import { PLANS, type Plan, SCOPES } from '../../schemas/plans.ts';
import type { OpenApiDocument, Operation } from '../openapi/model.ts';
import type { Located } from './request-samples.ts';
import { eventSections } from './event-sections.ts';
import { type Html, html, paragraphs, prose } from './html.ts';
import { operationSection } from './operation-section.ts';
import { pageBytes, REFERENCE } from './page.ts';
import { webhookGuide } from './webhook-guide.ts';

export function docsPage(document: OpenApiDocument): Buffer {
  const groups = groupsOf(document);
  const body = html`<div class="columns">
<nav class="contents" aria-label="Contents" tabindex="0">
<input type="search" id="filter" placeholder="Filter" aria-label="Filter the contents" hidden>
<ul><li><a href="#start">Start</a></li><li><a href="#plans">Plans</a></li><li><a href="#retry">Errors and retries</a></li><li><a href="#receive">Receive webhooks</a></li></ul>
${groups.map(contentsOf)}
<h2 class="group">Events</h2><ul>${Object.keys(document['x-webhooks']).map((type) => html`<li><a href="#${type}">${type}</a></li>`)}<li><a href="#stream">stream</a></li></ul>
</nav>
<main id="main">
<h1>${String(document.info['title'])}</h1>
${paragraphs(String(document.info['description']))}
${start(scopesIn(document))}
${plans()}
${RETRIES}
${webhookGuide()}
${groups.map(
  ({
    name,
    description,
    operations,
  }) => html`<h2 id="${anchorOf(name)}">${name}</h2><p>${prose(description)}</p>
${operations.map((located) => operationSection(located, document.components))}`,
)}
${eventSections(document)}
</main>
</div>`;
  return pageBytes({ ...REFERENCE, title: 'API reference', path: '/docs', description: DESCRIPTION, body });
}

const DESCRIPTION = 'Reference of every endpoint and event';

interface Group {
  readonly name: string;
  readonly description: string;
  readonly operations: readonly Located[];
}

export function groupsOf({ tags, paths }: OpenApiDocument): Group[] {
  const all = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method, operation: operation as Operation })),
  );
  return tags.map(({ name, description }) => ({
    name,
    description,
    operations: all.filter(({ operation }) => operation.tags.includes(name)),
  }));
}

const anchorOf = (name: string): string => name.toLowerCase().replaceAll(' ', '-');

const contentsOf = ({ name, operations }: Group): Html =>
  html`<h2 class="group">${name}</h2><ul>${operations.map(
    ({ path, method, operation }) =>
      html`<li><a href="#${operation.operationId}"><span class="method ${method}">${method.toUpperCase()}</span> ${breakable(path)}</a></li>`,
  )}</ul>`;

/** A long path may break before each of its segments. */
const breakable = (path: string): Html => html`${path.split(/(?=\/)/).map((part) => html`<wbr>${part}`)}`;

/** Scopes that some endpoint requires. */
function scopesIn({ paths, 'x-websocket': stream }: OpenApiDocument): readonly string[] {
  const operations = Object.values(paths).flatMap((item) => Object.values(item) as Operation[]);
  const asked = new Set([
    ...operations.map((operation) => operation['x-required-scope']),
    (stream as { readonly 'x-required-scope'?: string })['x-required-scope'],
  ]);
  return SCOPES.filter((scope) => asked.has(scope));
}

const start = (scopes: readonly string[]): Html => html`<h2 id="start">Start</h2>
<p>Set these two variables, then paste the commands below. Open endpoints need no key.</p>
<pre tabindex="0"><code>API=<span id="origin">http://127.0.0.1:8080</span>
KEY=rk_live_…</code></pre>
<p>Send the key in the header <code>Authorization: Bearer &lt;API_KEY&gt;</code>. A key carries scopes: ${scopes.map((scope, index) => html`${index > 0 && ', '}<code>${scope}</code>`)}.</p>
`;

const COLUMNS: readonly (readonly [keyof Plan, string])[] = [
  ['requests_per_minute', 'Requests a minute'],
  ['replay_window_days', 'Replay window, days'],
  ['stream_connections', 'Stream connections'],
  ['webhook_subscriptions', 'Webhooks'],
];

function plans(): Html {
  const rows = Object.entries(PLANS).map(
    ([name, plan]) =>
      html`<tr><th scope="row">${name}</th>${COLUMNS.map(([column]) => html`<td>${plan[column].toLocaleString('en')}</td>`)}</tr>`,
  );
  return html`<h2 id="plans">Plans</h2>
<p>An endpoint that requires a plan also accepts every higher one. The numbers of <code>custom</code> are upper limits of a contract.</p>
<p>Requests per minute, and unknown keys per minute and address, are counted by each server process: behind a load balancer with N servers up to N times as many pass, and <code>X-RateLimit-Remaining</code> is that of the responding server.</p>
<div class="wide" tabindex="0" role="region" aria-label="Plans"><table><thead><tr><th>Plan</th>${COLUMNS.map(([, words]) => html`<th>${words}</th>`)}</tr></thead><tbody>${rows}</tbody></table></div>
`;
}

const RETRIES = html`<h2 id="retry">Errors and retries</h2>
<p>Every error has a code that never changes; <a href="/errors">each has a page</a>. After 429 wait for <code>Retry-After</code> and send the same request again; after 500, 503 and other 5xx retry a few times with growing pauses. After a 409 for a request in flight, retry after <code>Retry-After</code>. For all other errors, correct the request first.</p>
<p>A POST or PATCH with your own <code>X-Idempotency-Key</code> has one effect, however often it is sent within a day.</p>
`;
