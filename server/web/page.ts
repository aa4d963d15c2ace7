// The frame of every page: head, header, and the policy that prevents loading from other hosts.
import { type Html, html } from './html.ts';

/** Only the style and the script of this host. */
export const PAGE_HEADERS = pageHeaders(
  "default-src 'none'; style-src 'self'; script-src 'self'; img-src data:",
);

/** Only what `sources` allows. */
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
  /** Its path, when the header links to it. */
  readonly path?: string;
  readonly description: string;
  readonly body: Html;
  /** Styles and scripts in addition to those of every page. */
  readonly head?: Html;
}

const SITE = 'DeFi risk data service';

const LINKS: readonly (readonly [path: string, words: string])[] = [
  ['/', 'Watch'],
  ['/docs', 'Reference'],
  ['/errors', 'Errors'],
  ['/openapi-public.yaml', 'OpenAPI'],
];

export function pageBytes({ title, path, description, body, head }: Page): Buffer {
  const links = LINKS.map(
    ([to, words]) => html`<a href="${to}"${to === path && html` aria-current="page"`}>${words}</a> `,
  );
  const made = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${description}">
<title>${title} – ${SITE}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/style.css">
<script src="/docs/filter.js" defer></script>
${head}
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header class="top">
<a class="brand" href="/">${SITE}</a>
<nav aria-label="Site">${links}</nav>
</header>
${body}
</body>
</html>
`;
  return Buffer.from(made.text);
}
