// The live page at `/`: what is published, how fresh and complete it is, and events as they arrive. Its scripts use the API and the
// stream like any other client, with a key that the user enters; nothing is loaded from another host.
import { readFileSync } from 'node:fs';
import { SEVERITIES } from '../../schemas/event.ts';
import type { Endpoint } from '../define/endpoint.ts';
import { CSS, fileEndpoint, HTML, SCRIPT } from './file-endpoint.ts';
import { html } from './html.ts';
import { pageBytes, pageHeaders } from './page.ts';

const HEADERS = pageHeaders(
  "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src data:",
);

const SCRIPTS: readonly (readonly [name: string, summary: string])[] = [
  ['main', 'Script of the live page'],
  ['overview', 'Script that shows the published datasets'],
  ['events', 'Script that lists events'],
  ['stream', 'Script that follows the stream'],
  ['chart', 'Script that draws the depeg chart'],
  ['elements', 'Script that creates elements'],
];

export const watchEndpoints: readonly Endpoint[] = [
  fileEndpoint({
    path: '/',
    summary: 'Published datasets and events as they arrive, as a web page',
    type: HTML,
    headers: HEADERS,
    render: watchPage,
  }),
  fileEndpoint({
    path: '/watch/style.css',
    summary: 'Style of the live page',
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
    path: '/',
    description: 'What is published, how fresh and complete it is, and risk events as they arrive',
    head: html`<link rel="stylesheet" href="/watch/style.css">
<script src="/watch/main.js" type="module"></script>`,
    body: BODY,
  });
}

const COLUMNS = ['Dataset', 'State', 'Documents', 'Computed', 'Next', 'Checks'];

const BODY = html`<main id="main" class="watch">
<noscript><p>This page needs JavaScript. Without it, start with the <a href="/docs">reference</a>.</p></noscript>
<section class="overview" aria-labelledby="overview-title">
<h1 id="overview-title">What is published</h1>
<p class="type"><span id="state" role="status">Loading…</span> <span id="version"></span></p>
<ul id="notices" class="notices" hidden></ul>
<dl id="completeness" class="figures"></dl>
</section>
<section aria-labelledby="depeg-title">
<h2 id="depeg-title">Latest depeg</h2>
<div id="depeg"><p class="type">Enter a key to see it.</p></div>
</section>
<section class="events" aria-labelledby="events-title">
<h2 id="events-title">Events</h2>
<form id="key-form" class="key" autocomplete="off">
<label for="key">API key</label>
<input id="key" type="password" spellcheck="false" placeholder="rk_live_…" autocomplete="off" required aria-describedby="key-note">
<button type="submit">Watch</button>
<p id="key-note" class="type">The key stays in this tab. The stream requires the plan analyst or higher.</p>
</form>
<p class="connection"><span id="stream" class="stream" role="status">Not connected: no key</span>
<button type="button" id="forget" hidden>Forget the key</button></p>
<p><label for="severity">Show</label>
<select id="severity"><option value="">all severities</option>${SEVERITIES.toReversed().map((severity) => html`<option value="${severity}">${severity}</option>`)}</select></p>
<p id="count" class="type"></p>
<ol id="events" class="list" aria-labelledby="events-title"></ol>
</section>
<section aria-labelledby="datasets-title">
<h2 id="datasets-title">Datasets</h2>
<p id="no-datasets" class="type">None yet.</p>
<div class="wide"><table id="datasets" aria-labelledby="datasets-title" hidden><thead><tr>${COLUMNS.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead><tbody></tbody></table></div>
</section>
</main>`;
