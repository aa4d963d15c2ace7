// The page to watch, at `/`: what is published, how fresh and complete it is, and events as they arrive. Its scripts ask the API and
// open the stream like any other client, with a key that the reader gives; nothing of it comes from another host.
import { readFileSync } from 'node:fs';
import { SEVERITIES } from '../../schemas/events.ts';
import type { Endpoint } from '../define.ts';
import { CSS, fileEndpoint, HTML, SCRIPT } from './file-endpoint.ts';
import { html } from './html.ts';
import { pageBytes, pageHeaders } from './page.ts';

const HEADERS = pageHeaders(
  "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src data:",
);

const SCRIPTS: readonly (readonly [name: string, summary: string])[] = [
  ['main', 'Script of the page to watch'],
  ['stream', 'The part of that script that follows the stream'],
  ['chart', 'The part of that script that draws the depeg'],
  ['elements', 'The part of that script that makes elements'],
];

export const watchEndpoints: readonly Endpoint[] = [
  fileEndpoint({
    path: '/',
    summary: 'What is published and events as they arrive, for people',
    type: HTML,
    headers: HEADERS,
    render: watchPage,
  }),
  fileEndpoint({
    path: '/watch/style.css',
    summary: 'Style of the page to watch',
    type: CSS,
    render: () => readFileSync(new URL('./watch.css', import.meta.url)),
  }),
  ...SCRIPTS.map(([name, summary]) =>
    fileEndpoint({
      path: `/watch/${name}.js`,
      summary,
      type: SCRIPT,
      render: () => readFileSync(new URL(`./watch-${name}.js`, import.meta.url)),
    }),
  ),
];

function watchPage(): Buffer {
  return pageBytes({
    title: 'Watch',
    description: 'What is published, how fresh and complete it is, and risk events as they arrive',
    head: html`<link rel="stylesheet" href="/watch/style.css">
<script src="/watch/main.js" type="module"></script>`,
    body: BODY,
  });
}

const BODY = html`<main id="main" class="watch">
<noscript><p>This page asks the API from a script. Without scripts, begin with the <a href="/docs">reference</a>.</p></noscript>
<section class="overview" aria-labelledby="overview-title">
<h1 id="overview-title">What is published</h1>
<p id="version" class="type" role="status">Asking…</p>
<ul id="notices" class="notices" hidden></ul>
<dl id="completeness" class="figures"></dl>
</section>
<section aria-labelledby="depeg-title">
<h2 id="depeg-title">Latest depeg</h2>
<div id="depeg"><p class="type">A key shows it.</p></div>
</section>
<section class="events" aria-labelledby="events-title">
<h2 id="events-title">Events</h2>
<form id="key-form" class="key" autocomplete="off">
<label for="key">API key</label>
<input id="key" type="password" spellcheck="false" placeholder="rk_live_…" autocomplete="off">
<button type="submit">Watch</button>
<button type="button" id="forget" hidden>Forget the key</button>
</form>
<p class="type">It stays in this tab. The stream needs the plan analyst or a higher one.</p>
<p id="stream" class="stream" role="status">Not connected: no key</p>
<p><label for="severity">Show</label>
<select id="severity"><option value="">all severities</option>${SEVERITIES.toReversed().map((severity) => html`<option value="${severity}">${severity}</option>`)}</select></p>
<ol id="events" class="list"></ol>
</section>
<section aria-labelledby="datasets-title">
<h2 id="datasets-title">Datasets</h2>
<div class="wide"><table id="datasets"><thead><tr><th>Dataset</th><th>State</th><th>Documents</th><th>Computed</th><th>Next</th><th>Checks</th></tr></thead><tbody></tbody></table></div>
</section>
</main>`;
