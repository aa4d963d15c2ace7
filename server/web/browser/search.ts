// The search box: assets, feeds, markets, networks, protocols, datasets and event types by name, loaded on first use, and events by id.
import { html, nothing, type TemplateResult } from 'lit-html';
import { ask, target } from './api.ts';
import { link } from './state.ts';

interface Entry {
  readonly kind: string;
  readonly name: string;
  readonly href: string;
}

type Row = Readonly<Record<string, string>>;

const MAX_SHOWN = 12;
let entries: Promise<readonly Entry[]> | undefined;
let found: readonly Entry[] = [];
let isAsked = false;

export const searchBox =
  (): TemplateResult => html`<search><input type="search" id="search" placeholder="Search" autocomplete="off"
  aria-label="Search assets, protocols, markets, networks, datasets and events" @input=${search} @keydown=${onKey}>
  <ul id="found" class="found" ?hidden=${!isAsked}>${isAsked && found.length === 0 ? html`<li class="quiet">Nothing found</li>` : nothing}${found.map(
    ({ kind, name, href }) => html`<li><a href=${href}>${name} <span class="quiet">${kind}</span></a></li>`,
  )}</ul></search>`;

async function search(event: Event): Promise<void> {
  const input = event.target as HTMLInputElement;
  entries ??= load();
  const all = await entries;
  const terms = input.value.toLowerCase().split(/\s+/).filter(Boolean);
  isAsked = terms.length > 0;
  found = isAsked
    ? [...eventOf(input.value.trim()), ...all]
        .filter(({ kind, name }) => terms.every((word) => `${name} ${kind}`.toLowerCase().includes(word)))
        .slice(0, MAX_SHOWN)
    : [];
  announce();
}

/** A list of all events would be too long to search, but an event can be found by its id. */
const eventOf = (id: string): readonly Entry[] =>
  /^[0-9A-HJKMNP-TV-Z]{26}$/i.test(id) ? [{ kind: 'event', name: id, href: link('/events', { id }) }] : [];

let announce: () => void = () => undefined;
/** `repaint` renders the box again. */
export function onFound(repaint: () => void): void {
  announce = repaint;
}

function onKey(event: KeyboardEvent): void {
  if (event.key === 'Escape') {
    isAsked = false;
    found = [];
    announce();
  }
  if (event.key === 'Enter' && found[0] !== undefined) location.assign(found[0].href);
}

/** The searched lists, each with the entry for one of its rows. */
const LISTS: Readonly<Record<string, (row: Row) => Entry>> = {
  '/v2/datasets': ({ id, title }) => ({
    kind: 'dataset',
    name: `${title ?? id} (${id})`,
    href: link('/datasets', { id }),
  }),
  '/v2/datasets/pegs': ({ symbol, asset_name, chain }) => ({
    kind: `pegged asset on ${chain}`,
    name: symbol ?? '',
    href: link('/pegs', { chain, symbol: asset_name }),
  }),
  '/v2/datasets/feeds': ({ pair, chain, feed_address }) => ({
    kind: `feed on ${chain}`,
    name: pair ?? '',
    href: link('/pegs', { chain, feed: feed_address }),
  }),
  '/v2/datasets/lending-markets': ({ name, protocol, chain, market_id }) => ({
    kind: `market of ${protocol} on ${chain}`,
    name: name ?? '',
    href: link('/lending', { chain, market: market_id }),
  }),
  '/v2/datasets/networks': ({ network }) => ({
    kind: 'network',
    name: network ?? '',
    href: link('/networks', { network }),
  }),
  '/v2/scores/overall': ({ protocol }) => ({
    kind: 'protocol',
    name: protocol ?? '',
    href: link('/protocols', { protocol }),
  }),
  '/v2/event-types': ({ type, summary }) => ({
    kind: 'event type',
    name: `${type}: ${summary}`,
    href: link('/events', { type }),
  }),
};

/** Lists that cannot be read, for example without a key, are left out. */
async function load(): Promise<readonly Entry[]> {
  const lists = Object.entries(LISTS).map(([path, entryOf]) => rows(path, entryOf));
  const parts = await Promise.allSettled(lists);
  const all = parts.flatMap((part) => (part.status === 'fulfilled' ? part.value : []));
  return [...new Map(all.map((entry) => [entry.href, entry])).values()];
}

async function rows(path: string, entryOf: (row: Row) => Entry): Promise<readonly Entry[]> {
  const { data } = await ask<readonly Row[]>(target(path));
  return data.map(entryOf);
}
