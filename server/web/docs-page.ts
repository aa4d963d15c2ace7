// The reference: the OpenAPI document as HTML, one page per group of operations, so that a phone loads only what is read.
import { PLANS, type Plan, SCOPES } from '../../schemas/plans.ts';
import type { OpenApiDocument, Operation } from '../openapi/model.ts';
import { EVENT_PAGE, eventAnchors, type Group, groupsOf, positionOf } from './docs-groups.ts';
import { eventSections, eventSectionsByName, webhookGuide } from './event-reference.ts';
import { type Html, html, paragraphs, prose } from './html.ts';
import { operationSection } from './operation-section.ts';
import { pageBytes, REFERENCE, type SharedParts } from './page.ts';
import type { LocatedOperation } from './request-samples.ts';
import { SITE_PAGES } from './site-pages.ts';

/** The first page: how to start, and an overview. */
export function docsPage(document: OpenApiDocument, shared: SharedParts): Buffer {
  return framed(document, {
    ...shared,
    title: 'API reference',
    description: DESCRIPTION,
    path: '/docs',
    main: html`<h1>${String(document.info['title'])}</h1>
${paragraphs(String(document.info['description']))}
${start(scopesIn(document))}
${plans()}
${RETRIES}
${webhookGuide()}
<h2 id="groups">Endpoints and events</h2>
${groupsOf(document).map(overviewOf)}
<h3><a href="/docs/${EVENT_PAGE.slug}">${EVENT_PAGE.name}</a></h3><p>${EVENT_PAGE.description}</p>`,
  });
}

/** The page of a group of operations, or of the events; undefined without such a group. */
export function docsGroupPage(
  document: OpenApiDocument,
  slug: string,
  shared: SharedParts,
): Buffer | undefined {
  const path = `/docs/${slug}`;
  if (slug === EVENT_PAGE.slug) {
    const { name, description } = EVENT_PAGE;
    const main = html`<h1>${name}</h1><p>${description}</p>\n<h2>Event types</h2>\n${eventSections(document)}`;
    return framed(document, { ...shared, title: name, description, path, main });
  }
  const group = groupsOf(document).find((one) => one.slug === slug);
  if (group === undefined) return undefined;
  const { name, description, operations } = group;
  const main = html`<h1>${name}</h1><p>${prose(description)}</p>
${dashboardPages(name)}<h2>Endpoints</h2>
${operations.map((located) => operationSection(located, document.components))}`;
  return framed(document, { ...shared, title: `${name}: API reference`, description, path, main });
}

/** Pages of the dashboard with the same data. */
function dashboardPages(group: string): Html | false {
  const pages = SITE_PAGES.filter(({ groups = [] }) => groups.some(({ name }) => name === group));
  return (
    pages.length > 0 &&
    html`<p>On the dashboard: ${pages.map(({ path, title }, index) => html`${index > 0 && ', '}<a href="${path}">${title}</a>`)}.</p>\n`
  );
}

/** The words of every section by location, for the filter: names, parameters, fields, errors. */
export function docsText(document: OpenApiDocument): Buffer {
  const operations = groupsOf(document).flatMap((group) => group.operations);
  const events = eventSectionsByName(document);
  const text = [
    ...operations.map((one) => [positionOf(one), operationSection(one, document.components)] as const),
    ...eventAnchors().map(([name, location]) => [location, events.get(name)] as const),
  ].map(([location, section]) => [location, wordsIn(section?.text ?? '')] as const);
  return Buffer.from(JSON.stringify(Object.fromEntries(text)));
}

const wordsIn = (text: string): string =>
  [
    ...new Set(
      text
        .replaceAll(/<[^>]*>/g, ' ')
        .toLowerCase()
        .split(/[^\p{L}\p{N}_./-]+/u),
    ),
  ]
    .filter((word) => word.length > 1)
    .join(' ');

const DESCRIPTION = 'Reference of every endpoint and event';

interface PageContent extends SharedParts {
  readonly title: string;
  readonly description: string;
  readonly path: string;
  readonly main: Html;
}

const framed = (document: OpenApiDocument, { main, ...page }: PageContent): Buffer =>
  pageBytes({
    ...REFERENCE,
    ...page,
    body: html`<div class="columns">
<nav class="contents" aria-label="Contents" tabindex="0">
<input type="search" id="filter" placeholder="Filter" aria-label="Filter the contents" hidden>
<ul>${BASICS.map(([anchor, text]) => html`<li><a href="/docs#${anchor}">${text}</a></li>`)}</ul>
${groupsOf(document).map((group) => contentsOf(group, page.path))}
<h2 class="group"><a href="/docs/${EVENT_PAGE.slug}"${page.path === `/docs/${EVENT_PAGE.slug}` && html` aria-current="page"`}>Events</a></h2><ul>${eventAnchors().map(([name, location]) => html`<li><a href="${location}">${name}</a></li>`)}</ul>
</nav>
<main id="main">
${main}
</main>
</div>`,
  });

const BASICS = [
  ['start', 'Start'],
  ['plans', 'Plans'],
  ['retry', 'Errors and retries'],
  ['receive', 'Receive webhooks'],
] as const;

const contentsOf = ({ name, slug, operations }: Group, path: string): Html =>
  html`<h2 class="group"><a href="/docs/${slug}"${path === `/docs/${slug}` && html` aria-current="page"`}>${name}</a></h2><ul>${operations.map(
    (located) =>
      html`<li><a href="${positionOf(located)}">${methodOf(located)} ${breakable(located.path)}</a></li>`,
  )}</ul>`;

const overviewOf = ({ name, slug, description, operations }: Group): Html =>
  html`<h3><a href="/docs/${slug}">${name}</a></h3><p>${prose(description)}</p><ul class="overview">${operations.map(
    (located) =>
      html`<li><a href="${positionOf(located)}">${methodOf(located)} <code>${breakable(located.path)}</code></a> ${prose(located.operation.summary)}.</li>`,
  )}</ul>`;

const methodOf = ({ method }: LocatedOperation): Html =>
  html`<span class="method ${method}">${method.toUpperCase()}</span>`;

/** Lets a long path break before each of its segments. */
const breakable = (path: string): Html => html`${path.split(/(?=\/)/).map((part) => html`<wbr>${part}`)}`;

/** Scopes that any endpoint requires. */
function scopesIn({ paths, 'x-websocket': stream }: OpenApiDocument): readonly string[] {
  const operations = Object.values(paths).flatMap((item) => Object.values(item) as Operation[]);
  const asked = new Set([
    ...operations.map((operation) => operation['x-required-scope']),
    (stream as { readonly 'x-required-scope'?: string })['x-required-scope'],
  ]);
  return SCOPES.filter((scope) => asked.has(scope));
}

const start = (scopes: readonly string[]): Html => html`<h2 id="start">Start</h2>
<p>Set these two variables, then paste the commands below. Open endpoints require no key.</p>
<pre tabindex="0"><code>API=<span id="origin">http://127.0.0.1:8080</span>
KEY=rk_live_…</code></pre>
<p>Agents use the API as tools of the Model Context Protocol, under <code>/mcp</code>: <code>claude mcp add --transport http defi-risk $API/mcp</code>. Every tool is read-only, and open ones require no key.</p>
<p>Send the key in the header <code>Authorization: Bearer &lt;API_KEY&gt;</code>. A key carries scopes: ${scopes.map((scope, index) => html`${index > 0 && ', '}<code>${scope}</code>`)}.</p>
`;

const COLUMNS: readonly (readonly [keyof Plan, string])[] = [
  ['requests_per_minute', 'Requests per minute'],
  ['replay_window_days', 'Replay window, days'],
  ['stream_connections', 'Stream connections'],
  ['webhook_subscriptions', 'Webhooks'],
];

function plans(): Html {
  const rows = Object.entries(PLANS).map(
    ([name, plan]) =>
      html`<tr><th scope="row">${name}</th>${COLUMNS.map(([column, text]) => html`<td data-label="${text}">${plan[column].toLocaleString('en')}</td>`)}</tr>`,
  );
  return html`<h2 id="plans">Plans</h2>
<p>An endpoint that requires a plan also accepts every higher one. The numbers of <code>custom</code> are the upper limits of a contract.</p>
<p>All servers that share one PostgreSQL count requests per minute, open streams, and unknown keys per minute and address together. Servers with their own store count alone: behind a load balancer with N of them, up to N times as many requests pass, and <code>X-RateLimit-Remaining</code> is that of the responding server.</p>
<div class="wide" tabindex="0" role="region" aria-label="Plans"><table class="stacked"><thead><tr><th>Plan</th>${COLUMNS.map(([, text]) => html`<th>${text}</th>`)}</tr></thead><tbody>${rows}</tbody></table></div>
`;
}

const RETRIES = html`<h2 id="retry">Errors and retries</h2>
<p>Every error has a stable code; <a href="/errors">each code has a page</a>. After 429, wait for <code>Retry-After</code> and send the same request again; after 500, 503 and other 5xx retry a few times with growing pauses. After a 409 for a request in flight, retry after <code>Retry-After</code>. For all other errors, correct the request first.</p>
<p>A POST or PATCH with your own <code>X-Idempotency-Key</code> takes effect once, however often it is sent within a day.</p>
`;
