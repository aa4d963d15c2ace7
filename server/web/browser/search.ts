// The search box of every page: a text field with a list of results below it, in the pattern of a combobox. Arrow keys choose, Enter opens,
// Escape closes.
import { html, nothing, type TemplateResult } from 'lit-html';
import type { Entry, Group, Kind } from './search-rank.ts';
import { apiKey, asOf, onState } from './state.ts';

type Find = (typed: string) => readonly Group[];

/** Finds in what is published; loaded when the search is first used. */
let finding: Promise<Find> | undefined;
let groups: readonly Group[] = [];
/** What was typed; the list is open while it is not empty. */
let typed = '';
let isLoading = false;
/** Position of the chosen result; -1 for none. */
let chosen = -1;

const optionId = (position: number): string => `found-${position}`;
const shown = (): readonly Entry[] => groups.flatMap(({ entries }) => entries);

export const searchBox = (): TemplateResult =>
  html`<search @focusout=${onFocusOut}><input type="search" id="search" placeholder="Search" autocomplete="off" spellcheck="false"
  role="combobox" aria-expanded=${typed === '' ? 'false' : 'true'} aria-controls="found" aria-autocomplete="list" aria-activedescendant=${chosen === -1 ? nothing : optionId(chosen)}
  aria-label="Search protocols, assets, feeds, markets, vaults, oracles, assumptions, curators, yields, events and datasets" @input=${onInput} @focus=${onInput} @keydown=${onKey}>
  <div id="found" class="found" role="listbox" aria-label="Results" ?hidden=${typed === '' || groups.length === 0}>${groups.map(groupView)}</div>
  <p class="found quiet" role="status" ?hidden=${typed === '' || groups.length > 0}>${typed === '' ? nothing : isLoading ? 'Loading…' : 'Nothing found'}</p></search>`;

function groupView({ kind, entries, more }: Group): TemplateResult {
  const all = shown();
  const title = `found-kind-${kind.replaceAll(' ', '-')}`;
  return html`<div role="group" aria-labelledby=${title}><p id=${title} class="found-kind">${HEADINGS[kind]}${more === 0 ? nothing : html` <span class="quiet">${more} more</span>`}</p>${entries.map(
    (entry) => optionView(entry, all.indexOf(entry)),
  )}</div>`;
}

const HEADINGS: Readonly<Record<Kind, string>> = {
  event: 'Events',
  protocol: 'Protocols',
  asset: 'Assets',
  'pegged asset': 'Pegged assets',
  feed: 'Feeds',
  market: 'Markets',
  vault: 'Vaults',
  oracle: 'Oracles of markets',
  assumption: 'Assumptions of oracles',
  curator: 'Curators',
  yield: 'Yields',
  network: 'Networks',
  'event type': 'Event types',
  dataset: 'Datasets',
};

const optionView = ({ name, context, href }: Entry, position: number): TemplateResult =>
  html`<a id=${optionId(position)} role="option" tabindex="-1" aria-selected=${position === chosen ? 'true' : 'false'} href=${href}>${name} <span class="quiet">${context}</span></a>`;

async function onInput(event: Event): Promise<void> {
  const input = event.target as HTMLInputElement;
  typed = input.value.trim();
  chosen = -1;
  isLoading = true;
  finding ??= loadIndex();
  announce();
  const find = await finding;
  isLoading = false;
  groups = find(typed);
  announce();
}

async function loadIndex(): Promise<Find> {
  const { resultsIn, searchIndex } = await import('./search-index.ts');
  const index = await searchIndex();
  return (text) => resultsIn(index, text);
}

let announce: () => void = () => undefined;
/** `repaint` renders the box again. */
export function onFound(repaint: () => void): void {
  announce = repaint;
}

/** What may be read depends on the key, and where a result leads on the time. */
let reader = `${apiKey()} ${asOf()}`;
onState(() => {
  const now = `${apiKey()} ${asOf()}`;
  if (now !== reader) finding = undefined;
  reader = now;
});

function close(): void {
  typed = '';
  groups = [];
  chosen = -1;
  announce();
}

/** Leaving the field and its list closes the list. */
function onFocusOut({ relatedTarget, currentTarget }: FocusEvent): void {
  if (!(currentTarget as Element).contains(relatedTarget as Node | null)) close();
}

function onKey(event: KeyboardEvent): void {
  const entries = shown();
  const last = entries.length - 1;
  const moves: Readonly<Record<string, number>> = {
    ArrowDown: chosen === last ? 0 : chosen + 1,
    ArrowUp: chosen <= 0 ? last : chosen - 1,
  };
  const next = moves[event.key];
  if (next !== undefined && entries.length > 0) {
    event.preventDefault();
    chosen = next;
    announce();
    document.getElementById(optionId(chosen))?.scrollIntoView({ block: 'nearest' });
  }
  // The first Escape closes the list and keeps the text; the next one is the field's own, which clears it.
  if (event.key === 'Escape' && typed !== '') {
    event.preventDefault();
    close();
  }
  const opened = entries[Math.max(0, chosen)];
  if (event.key === 'Enter' && opened !== undefined) location.assign(opened.href);
}
