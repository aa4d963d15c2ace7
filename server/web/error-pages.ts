// The index of all errors, and a page per code: the targets of `documentation_url`; and the page for an address at which there is nothing.
import Negotiator from 'negotiator';
import { ERROR_PAGES, type RetryRule } from '../../schemas/error-pages.ts';
import { ERRORS, type ErrorCode } from '../../schemas/errors.ts';
import { errorExample } from '../openapi/error-responses.ts';
import type { OpenApiDocument } from '../openapi/model.ts';
import { RenderedResponse } from '../replies/rendered-response.ts';
import type { Services } from '../services.ts';
import type { Endpoint } from '../define/endpoint.ts';
import { groupsOf, positionOf } from './docs-groups.ts';
import { HTML, isServedSimulated, once, PAGE_HEADERS } from './file-endpoint.ts';
import { type Html, html, prose } from './html.ts';
import { openPaths, pageBytes, REFERENCE, type SharedParts } from './page.ts';
import { SITE_PAGES } from './site-pages.ts';

export const ERROR_CODES = Object.keys(ERRORS) as ErrorCode[];

const RETRIES: Readonly<Record<RetryRule, string>> = {
  mend: 'No. Correct the request first.',
  wait: 'Yes, with the same request after the seconds in `Retry-After`.',
  back_off: 'Yes, a few times with the same request and growing pauses, or after `Retry-After` if present.',
};

export function errorIndexPage(shared: SharedParts): Buffer {
  const rows = ERROR_CODES.map(
    (code) =>
      html`<tr><td><a href="/errors/${code}"><code>${code}</code></a></td><td>${ERRORS[code].http}</td><td>${prose(ERRORS[code].message)}</td></tr>`,
  );
  const body = html`<main id="main" class="narrow"><h1>Errors</h1>
<p>Branch on the code: messages may change.</p>
<div class="wide" tabindex="0" role="region" aria-label="Error codes"><table class="stacked"><thead><tr><th>Code</th><th>Status</th><th>Meaning</th></tr></thead><tbody>${rows}</tbody></table></div></main>`;
  return pageBytes({
    ...REFERENCE,
    title: 'Errors',
    path: '/errors',
    description: 'Every error code of the API',
    body,
    ...shared,
  });
}

export function errorPage(code: ErrorCode, document: OpenApiDocument, shared: SharedParts): Buffer {
  const { http } = ERRORS[code];
  const { meaning, remedy, retry } = ERROR_PAGES[code];
  const body = html`<main id="main" class="narrow">
<p><a href="/errors">All errors</a></p>
<h1><code>${code}</code></h1>
<p class="access"><span class="badge">status ${http}</span></p>
<h2>Meaning</h2><p>${prose(meaning)}</p>
<h2>What to do</h2><p>${prose(remedy)}</p>
<h2>Retry</h2><p>${prose(RETRIES[retry])}</p>
<h2>Example</h2><pre tabindex="0"><code>${JSON.stringify(errorExample(code), null, 2)}</code></pre>
${askers(code, document)}
</main>`;
  const title = `Error ${code}`;
  return pageBytes({ ...REFERENCE, ...shared, title, description: ERRORS[code].message, body });
}

function askers(code: ErrorCode, document: OpenApiDocument): Html {
  const all = groupsOf(document).flatMap(({ operations }) => operations);
  const found = all.filter(({ operation }) => operation['x-error-codes'].includes(code));
  if (found.length === 0) return html`<p>No endpoint returns this error at present.</p>`;
  if (found.length === all.length) return html`<h2>Returned by</h2><p>Any endpoint.</p>`;
  return html`<h2>Returned by</h2><ul>${found.map(
    (located) =>
      html`<li><a href="${positionOf(located)}"><code>${located.method.toUpperCase()} ${located.path}</code></a></li>`,
  )}</ul>`;
}

const OFFERED = ['application/json', 'text/html'];

/** Whether the sender of this `Accept` header prefers a page to JSON. Without preference, it is JSON. */
const prefersPage = (accept: string | undefined): boolean =>
  accept !== undefined && new Negotiator({ headers: { accept } }).mediaType(OFFERED) === 'text/html';

/** The page for an address at which there is nothing, for callers who prefer a page. */
export function missingPages(
  endpoints: readonly Endpoint[],
  host: { readonly services: Services },
): (accept: string | undefined) => RenderedResponse | undefined {
  const pageWhere = (isSimulated: boolean) =>
    once(() => missingPageOf({ isSimulated, api: openPaths(endpoints) }));
  const [bytes, simulatedBytes] = [pageWhere(false), pageWhere(true)];
  return (accept) => {
    if (!prefersPage(accept)) return undefined;
    return missingResponse(isServedSimulated(host.services) ? simulatedBytes() : bytes());
  };
}

const missingResponse = (body: Buffer): RenderedResponse =>
  new RenderedResponse({
    status: 404,
    body,
    headers: ['Cache-Control', 'no-store', 'Vary', 'Accept, Accept-Encoding', ...PAGE_HEADERS],
    media: { type: HTML, isCompact: false },
  });

function missingPageOf(shared: SharedParts): Buffer {
  const title = 'There is nothing at this address';
  const body = html`<main id="main" class="narrow"><h1>${title}</h1>
<p>The link may be mistyped, or may be of another version of this service (status 404). These pages exist:</p>
<ul>${SITE_PAGES.map((page) => html`<li><a href="${page.path}">${page.title}</a>: ${page.question}</li>`)}
<li><a href="/docs">API reference</a>: every endpoint, with examples</li>
<li><a href="/errors">Errors</a>: what each code means, and what to do</li></ul></main>`;
  return pageBytes({ ...REFERENCE, ...shared, title, description: title, body });
}
