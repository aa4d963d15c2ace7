// The frame of a page that others embed: one small document without scripts, cookies or requests of its own, which any page may show in a
// frame. It says how fresh and how complete its data is, and leads to the page with all of it.
import { createHash } from 'node:crypto';
import type { Reply } from '../../define/endpoint.ts';
import { moment } from '../../replies/story/story-text.ts';
import type { Services } from '../../services.ts';
import { HTML, isServedSimulated } from '../file-endpoint.ts';
import { Html, html } from '../html.ts';

export const THEMES = ['light', 'dark'] as const;

export interface Embed {
  readonly title: string;
  /** What holds, or why it is not known. */
  readonly state: { readonly text: string; readonly sign: 'good' | 'warn' | 'bad' | 'unknown' };
  readonly chart: Html | undefined;
  /** Freshness and completeness, each a sentence. */
  readonly notes: readonly string[];
  /** Path of the page that it leads to, with its parameters. */
  readonly page: string;
}

const DARK =
  'color-scheme:dark;--ink:#e8eaed;--ground:#1b1d1f;--quiet:#a8adb3;--line:#8ab4f8;--gap:#3a3e42;--good:#7fc98f;--warn:#f0b35b;--bad:#ff8a80';
const LIGHT =
  'color-scheme:light;--ink:#1b1d1f;--ground:#fff;--quiet:#5f6368;--line:#1a56b0;--gap:#e3e5e8;--good:#2f6f3e;--warn:#8a5a00;--bad:#b3261e';
const STYLE = `:root{${LIGHT}}@media(prefers-color-scheme:dark){:root{${DARK}}}.light{${LIGHT}}.dark{${DARK}}
body{margin:0;padding:12px;background:var(--ground);color:var(--ink);font:14px/1.4 system-ui,sans-serif}
h1{font-size:16px;margin:0}p{margin:4px 0}.quiet,text{color:var(--quiet);fill:var(--quiet);font-size:12px}a{color:inherit}
.good{color:var(--good)}.warn{color:var(--warn)}.bad{color:var(--bad)}.unknown{color:var(--quiet)}
svg{display:block;width:100%;height:auto}.line{fill:none;stroke:var(--line);stroke-width:2;stroke-linecap:round}
.limit{stroke:var(--bad);stroke-dasharray:4 4}.gap{fill:var(--gap)}`;

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

/** Any page may frame it; it loads nothing. */
const EMBED_HEADERS: readonly string[] = [
  'Content-Security-Policy',
  `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; form-action 'none'; frame-ancestors *`,
  'Referrer-Policy',
  'no-referrer',
];

/** `as_of`: time of the shown data; undefined if there is none. */
export interface EmbedContext {
  readonly services: Services;
  readonly as_of: string | undefined;
  readonly theme: (typeof THEMES)[number] | undefined;
}

export function embedReply(embed: Embed, context: EmbedContext): Reply {
  const payload = Buffer.from(document(embed, context).text);
  return {
    payload,
    media: { type: HTML, isCompact: false },
    headers: EMBED_HEADERS,
    identity: context.services.identify(payload),
  };
}

/** There is no such thing to embed. */
export function missingEmbed(message: string, { services, theme }: EmbedContext): Reply {
  const page = document(
    { title: 'Not found', state: { text: message, sign: 'unknown' }, chart: undefined, notes: [], page: '/' },
    { services, theme, as_of: undefined },
  );
  return {
    status: 404,
    payload: Buffer.from(page.text),
    media: { type: HTML, isCompact: false },
    headers: EMBED_HEADERS,
  };
}

function document(
  { title, state, chart, notes, page }: Embed,
  { services, as_of, theme }: EmbedContext,
): Html {
  const times = as_of === undefined ? notes : [`As of ${moment(as_of)}`, ...notes];
  const at = as_of === undefined ? page : `${page}${page.includes('?') ? '&' : '?'}as_of=${as_of}`;
  return html`<!doctype html>
<html lang="en"${theme && html` class="${theme}"`}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${new Html(STYLE)}</style>
</head>
<body>
<h1>${title}</h1>
<p class="${state.sign}"><strong>${state.text}</strong></p>
${chart}
<p class="quiet">${times.map((note) => `${note}. `).join('')}${isServedSimulated(services) && html`<strong>Simulated data.</strong>`}
<a href="${at}" target="_blank" rel="noopener">Details and sources</a></p>
</body>
</html>
`;
}
