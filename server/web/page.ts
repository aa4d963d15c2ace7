// The frame of every page: head, navigation, and the policy that prevents loading from other hosts.
import type { Endpoint } from '../define/endpoint.ts';
import { assetPath, withImports } from './assets.ts';
import { type Html, html } from './html.ts';

export interface Page extends SharedParts {
  readonly title: string;
  /** Its path, if the navigation links to it. */
  readonly path?: string;
  readonly description: string;
  readonly body: Html;
  readonly style: string;
  /** The script of the page, whose imports are loaded with it. */
  readonly script: string;
}

/** What pages have in common. */
export interface SharedParts {
  /** What their scripts may request. */
  readonly api: ApiPaths;
  /** Whether any of the data that the service publishes is simulated: then every page says so, whether or not scripts run. */
  readonly isSimulated: boolean;
}

/** Patterns of paths, with a star for each parameter, separated by blanks. */
export interface ApiPaths {
  /** That the service offers. */
  readonly paths: string;
  /** Those that the reader may not request without a key. */
  readonly locked: string;
}

/** `/v2/pegs/*` for `/v2/pegs/:symbol`. */
export const patternOf = ({ path }: Pick<Endpoint, 'path'>): string => path.replace(/:\w+/g, '*');

export const isReadable = ({ method, path }: Endpoint): boolean => method === 'GET' && /^\/v\d\//.test(path);

/** For pages that are the same for all readers: without a key, only what is open to any caller is requested. */
export function openPaths(endpoints: readonly Endpoint[]): ApiPaths {
  const readable = endpoints.filter(isReadable);
  const locked = readable.filter(({ access }) => access !== 'open').map(patternOf);
  return { paths: readable.map(patternOf).join(' '), locked: [...locked, '/v2/datasets/*'].join(' ') };
}

/** Real names with made-up figures must not be taken for the market. */
const SIMULATED = html`<aside class="simulated" aria-label="Simulated data"><strong>Simulated data.</strong> Names are real; figures and incidents are made up.</aside>
`;

/** Style and script of the reference and the error pages. */
export const REFERENCE = { style: 'reference.css', script: 'docs.js' } as const;

export const SITE = 'DeFi risk data service';

/** Groups of links, each with a heading. */
const NAVIGATION: readonly (readonly [
  heading: string,
  links: readonly (readonly [path: string, title: string])[],
])[] = [
  [
    'Risk',
    [
      ['/', 'Now'],
      ['/pegs', 'Pegs and feeds'],
      ['/oracles', 'Oracles of markets'],
      ['/lending', 'Lending'],
      ['/vaults', 'Vaults'],
      ['/contagion', 'Contagion'],
      ['/yields', 'Yields'],
      ['/protocols', 'Protocols'],
      ['/networks', 'Networks'],
      ['/events', 'Events'],
      ['/analytics', 'Analytics'],
    ],
  ],
  [
    'Data',
    [
      ['/coverage', 'Coverage'],
      ['/datasets', 'Datasets'],
      ['/status', 'Status'],
    ],
  ],
  [
    'Use',
    [
      ['/console', 'Console'],
      ['/docs', 'API reference'],
      ['/errors', 'Errors'],
    ],
  ],
];

/** A page below another, such as `/docs/yields`, is part of it. */
const isAt = (to: string, path = ''): boolean => to === path || (to !== '/' && path.startsWith(`${to}/`));

const navigation = (path: string | undefined): Html =>
  html`${NAVIGATION.map(
    ([heading, links]) =>
      html`<div><p class="nav-heading">${heading}</p><ul>${links.map(
        ([to, text]) =>
          html`<li><a href="${to}"${isAt(to, path) && html` aria-current="page"`}>${text}</a></li>`,
      )}</ul></div>`,
  )}`;

const preloads = (script: string): Html =>
  html`${withImports(script).map((name) => html`<link rel="modulepreload" href="${assetPath(name)}">\n`)}`;

export function pageBytes(page: Page): Buffer {
  const { title, path, description, body, style, script, api, isSimulated } = page;
  const made = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${description}">
<title>${title} – ${SITE}</title>
<link rel="icon" href="data:,">
<link rel="alternate" type="application/atom+xml" title="Risk events" href="/feeds/events.atom">
<link rel="alternate" type="application/feed+json" title="Risk events" href="/feeds/events.json">
<link rel="stylesheet" href="${assetPath(style)}">
${preloads(script)}<script src="${assetPath(script)}" type="module"></script>
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header class="top" data-paths="${api.paths}" data-locked="${api.locked}">
<a class="brand" href="/">DeFi risk<span class="brand-rest"> data service</span></a>
<div id="signs" class="signs" data-live aria-live="polite"></div>
<div id="tools" class="tools"></div>
</header>
${isSimulated && SIMULATED}<nav class="site" aria-label="Site" tabindex="0">${navigation(path)}</nav>
${body}
</body>
</html>
`;
  return Buffer.from(made.text);
}
