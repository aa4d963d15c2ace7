// The dashboard: one page per question. The scripts use the API like any other client, with a key that the user may enter. Without
// JavaScript, a page shows tables of its numbers.
import { type Static, Strict, Type } from '../../schemas/define.ts';
import type { Manifest } from '../../snapshots/layout.ts';
import { isAuthorized } from '../access/authorize.ts';
import type { Caller } from '../define/caller.ts';
import { defineEndpoint, type Endpoint, type Input } from '../define/endpoint.ts';
import { Failure } from '../define/failure.ts';
import type { Services } from '../define/services.ts';
import { assetEndpoint } from './assets.ts';
import { fileReply, HTML, once, openPage, plainType } from './file-endpoint.ts';
import { type Html, html } from './html.ts';
import { numberTables } from './number-tables.ts';
import { pageBytes } from './page.ts';
import { SITE_PAGES, type SitePage } from './site-pages.ts';

/** `table` and `page` select the rows that a reader without JavaScript sees. */
const PageQuery = Strict({
  as_of: Type.Optional(Type.String({ maxLength: 64 })),
  table: Type.Optional(Type.String({ maxLength: 64 })),
  page: Type.Optional(Type.String({ maxLength: 9 })),
});

/** `endpoints`: those of the API. Panels of other endpoints are not shown. */
export const siteEndpoints = (endpoints: () => readonly Endpoint[]): readonly Endpoint[] => {
  const readable = once(() => endpoints().filter(isReadable));
  return [...SITE_PAGES.map((page) => pageEndpoint(page, readable)), assetEndpoint];
};

const isReadable = ({ method, path }: Endpoint): boolean => method === 'GET' && /^\/v\d\//.test(path);

/** `/v2/pegs/*` for `/v2/pegs/:symbol`. */
const patternOf = ({ path }: Endpoint): string => path.replace(/:\w+/g, '*');

/** Paths that this caller may not read, whose panels are not requested until there is a key. */
function lockedPaths(readable: readonly Endpoint[], caller: Caller, services: Services): string {
  const datasets = Object.keys(services.versions.current?.manifest.datasets ?? {});
  return [
    ...readable.filter(({ access }) => !isAuthorized(access, caller)).map(patternOf),
    ...datasets
      .filter((id) => !isAuthorized(services.datasetAccess(id), caller))
      .map((id) => `/v2/datasets/${id}`),
  ].join(' ');
}

function pageEndpoint(page: SitePage, readable: () => readonly Endpoint[]): Endpoint {
  return defineEndpoint({
    ...openPage,
    ignoresUnknownParameters: true,
    // The requests of a page are counted, but the page is not, so a reader over the limit gets a page that says so.
    isUncounted: true,
    path: page.path,
    summary: `${page.title}: ${page.question}`,
    mediaTypes: [plainType(HTML)],
    params: Strict({}),
    query: PageQuery,
    errors: ['internal_error'],
    async handle(input, services) {
      const body = html`<main id="main" class="page" data-paths="${readable().map(patternOf).join(' ')}" data-locked="${lockedPaths(readable(), input.caller, services)}">
<h1>${page.title}</h1>
<p class="question">${page.question}</p>
<div id="as-of"></div>
<div id="panels" class="panels"><p class="loading">Loading…</p></div>
<noscript><p>Charts need JavaScript. These are the numbers of this page.</p>${await numbersOf(page, input, services)}</noscript>
</main>`;
      const bytes = pageBytes({
        title: page.title,
        path: page.path,
        description: page.question,
        body,
        style: 'site.css',
        script: `page-${page.name}.js`,
      });
      return { ...fileReply(bytes, { type: HTML }, services), isPrivate: true };
    },
    mirror: () => [],
  });
}

async function numbersOf(
  page: SitePage,
  { caller, query }: Input<object, Static<typeof PageQuery>>,
  services: Services,
): Promise<Html> {
  const manifest = await manifestAt(services, query.as_of);
  return manifest instanceof Failure
    ? html`<p>${manifest.message}</p>`
    : numberTables(page, manifest, { caller, services, query });
}

/** Returns failures instead of throwing, because a page is shown whatever happens to its numbers. */
async function manifestAt(services: Services, as_of: string | undefined): Promise<Manifest | Failure> {
  try {
    if (as_of !== undefined && Number.isNaN(Date.parse(as_of)))
      return new Failure('validation_failed', 'as_of is not a time.');
    return await services.datasets.manifestAt({ as_of });
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}
