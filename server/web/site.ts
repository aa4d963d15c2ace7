// The dashboard: one page per question. The scripts use the API like any other client, with a key that the user may enter. Without
// JavaScript, a page shows tables of its numbers.
import { isUlid } from '../../platform/base/ulid.ts';
import { type Static, Strict, Type } from '../../schemas/define.ts';
import type { Manifest } from '../../snapshots/layout.ts';
import { isAuthorized } from '../access/authorize.ts';
import type { Caller } from '../define/caller.ts';
import { defineEndpoint, type Endpoint } from '../define/endpoint.ts';
import { Failure } from '../define/failure.ts';
import { IdleCache } from '../data/idle-cache.ts';
import type { Services } from '../services.ts';
import { assetEndpoint } from './assets.ts';
import { embedMarket, embedPeg } from './embeds/embeds.ts';
import { fileReply, HTML, isSimulated, once, openPage, PAGE_HEADERS, plainType } from './file-endpoint.ts';
import { type Html, html } from './html.ts';
import { numberTables } from './number-tables.ts';
import { type ApiPaths, isReadable, pageBytes, patternOf } from './page.ts';
import { SITE_PAGES, type SitePage } from './site-pages.ts';

/** `table` and `page` select the rows that a reader without JavaScript sees. */
const PageQuery = Strict({
  as_of: Type.Optional(Type.String({ maxLength: 64 })),
  table: Type.Optional(Type.String({ maxLength: 64 })),
  page: Type.Optional(Type.String({ maxLength: 9 })),
  /** Of the page of events: the event that is explained. */
  id: Type.Optional(Type.String({ maxLength: 512 })),
});

/** `endpoints`: those of the API. Panels of other endpoints are not shown. */
export const siteEndpoints = (endpoints: () => readonly Endpoint[]): readonly Endpoint[] => {
  const readable = once(() => endpoints().filter(isReadable));
  return [...SITE_PAGES.map((page) => pageEndpoint(page, readable)), embedPeg, embedMarket, assetEndpoint];
};

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

/** Rendered pages, of some 20 KB each: by version, and by what the caller may read. */
const MAX_RENDERED_BYTES = 16 * 1_024 * 1_024;
const rendered = new IdleCache<Buffer>(MAX_RENDERED_BYTES);

function pageEndpoint(page: SitePage, readable: () => readonly Endpoint[]): Endpoint {
  return defineEndpoint({
    ...openPage,
    ignoresUnknownParameters: true,
    // The requests of a page are counted, but the page is not, so a reader over the limit gets a page that says so.
    isUncounted: 'without_query',
    path: page.path,
    summary: `${page.title}: ${page.question}`,
    mediaTypes: [plainType(HTML)],
    params: Strict({}),
    query: PageQuery,
    errors: ['internal_error'],
    async handle(input, services) {
      const { caller, query } = input;
      const isLost =
        page.name === 'events' && query.id !== undefined && !(await isLogged(services, query.id));
      const manifest = await manifestAt(services, query.as_of);
      const locked = lockedPaths(readable(), caller, services);
      const render = async () =>
        pageOf(page, {
          api: { paths: readable().map(patternOf).join(' '), locked },
          isSimulated: !(manifest instanceof Failure) && isSimulated(manifest),
          isLost,
          numbers: await numbersOf(page, manifest, { caller, services, query }),
        });
      if (isLost) return { payload: await render(), ...NOT_FOUND };
      if (manifest instanceof Failure) return reply(await render(), services);
      // The tables parse whole datasets, which must not be repeated for each request.
      const name = JSON.stringify([page.name, manifest.version, query.table, query.page, locked]);
      const nowMs = services.nowMs();
      const known = rendered.get(name, nowMs);
      if (known !== undefined) return reply(known, services);
      const bytes = await render();
      rendered.set(name, bytes, { bytes: bytes.length, nowMs });
      return reply(bytes, services);
    },
    mirror: () => [],
  });
}

/** Whether the log has the event, whoever may see it: a key in the tab of the reader may be allowed to. */
async function isLogged({ replay }: Services, id: string): Promise<boolean> {
  const name = id.toUpperCase();
  if (replay.asOfMs === undefined) return true;
  return isUlid(name) && (await replay.envelope(name)) !== undefined;
}

const NOT_FOUND = {
  status: 404,
  media: { type: HTML, isCompact: false },
  headers: PAGE_HEADERS,
  isPrivate: true,
} as const;

const reply = (bytes: Buffer, services: Services) => ({
  ...fileReply(bytes, { type: HTML }, services),
  isPrivate: true,
});

const NO_EVENT = html`<section class="panel wide-panel" id="no-event" role="alert"><h2>There is no event with this id</h2>
<p>An id has 26 letters and digits, such as 01HZX3K9Q4T2V7B8N6M5P1R0SD. Another installation, or a rebuilt folder, has other
events. <a href="/events">All events</a> can be filtered by type, subject and time; the search at the top finds feeds, assets and markets.</p></section>
`;

interface PageParts {
  /** What this caller may read. */
  readonly api: ApiPaths;
  readonly isSimulated: boolean;
  /** It is about an event that does not exist. */
  readonly isLost: boolean;
  readonly numbers: Html;
}

function pageOf(
  { name, title, path, question, style = 'site.css' }: SitePage,
  { api, isSimulated, isLost, numbers }: PageParts,
): Buffer {
  const body = html`<main id="main" class="page">
<h1>${title}</h1>
<p class="question">${question}</p>
<div id="as-of"${name === 'now' && html` class="headline-room"`}></div>
${isLost ? NO_EVENT : ''}<div id="panels" class="panels"><p class="loading">Loading…</p></div>
<noscript><p>Charts need JavaScript. These are the numbers of this page.</p>${numbers}</noscript>
</main>`;
  return pageBytes({
    title,
    path,
    description: question,
    body,
    style,
    script: `page-${name}.js`,
    api,
    isSimulated,
  });
}

async function numbersOf(
  page: SitePage,
  manifest: Manifest | Failure,
  reader: { readonly caller: Caller; readonly services: Services; readonly query: Static<typeof PageQuery> },
): Promise<Html> {
  return manifest instanceof Failure
    ? html`<p>${manifest.message}</p>`
    : numberTables(page, manifest, reader);
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
