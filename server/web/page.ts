// The frame of every page: head, header, and the rules that keep it from loading anything of somebody else's.
import { type Html, html } from './html.ts';

/** Nothing but the style and the script of this host. */
export const PAGE_HEADERS = pageHeaders(
  "default-src 'none'; style-src 'self'; script-src 'self'; img-src data:",
);

/** Nothing more than `sources` says. */
export function pageHeaders(sources: string): readonly string[] {
  return [
    'Content-Security-Policy',
    `${sources}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    'Referrer-Policy',
    'no-referrer',
  ];
}

export interface Page {
  readonly title: string;
  readonly description: string;
  readonly body: Html;
  /** Styles and scripts beside those of every page. */
  readonly head?: Html;
}

export function pageBytes({ title, description, body, head }: Page): Buffer {
  const made = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${description}">
<title>${title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/style.css">
<script src="/docs/filter.js" defer></script>
${head}
</head>
<body>
<a class="skip" href="#main">To the text</a>
<header class="top">
<a class="brand" href="/">DeFi risk data service</a>
<nav aria-label="Site"><a href="/">Watch</a> <a href="/docs">Reference</a> <a href="/errors">Errors</a> <a href="/openapi-public.yaml">OpenAPI</a></nav>
</header>
${body}
</body>
</html>
`;
  return Buffer.from(made.text);
}
