// The reference: filters its contents by all words of a section on any of its pages, inserts this host into the commands, switches between
// languages, copies commands, and sends GET requests with the key of this tab. Without this script, all contents and curl commands are
// visible.
import { copyFrom } from './copy.ts';
import { ApiError, answerTo } from './api.ts';
import { showHeader } from './shell.ts';

showHeader();

const origin = document.getElementById('origin');
if (origin !== null && location.origin.startsWith('http')) origin.textContent = location.origin;

const input = document.getElementById('filter');
if (input instanceof HTMLInputElement) {
  input.hidden = false;
  input.addEventListener('input', () => void filterBy(input));
}

type Sections = Readonly<Record<string, string>>;
let sections: Promise<Sections> | undefined;

/** Loaded on first use. Until then, or if loading fails, an entry is matched by its own words. */
async function filterBy(box: HTMLInputElement): Promise<void> {
  sections ??= answerTo('/docs-words.json').then(
    (response) => response.json() as Promise<Sections>,
    () => ({}),
  );
  filterContents(box.value, {});
  filterContents(box.value, await sections);
}

/** The words of an entry are those of its section: names, parameters, fields, errors. */
const textOf = (item: Element, known: Sections): string =>
  `${item.textContent} ${known[item.querySelector('a')?.getAttribute('href') ?? ''] ?? ''}`.toLowerCase();

function filterContents(text: string, known: Sections): void {
  const terms = text.toLowerCase().split(/\s+/);
  const nav = document.querySelector('nav.contents');
  for (const item of nav?.querySelectorAll('li') ?? []) {
    const own = textOf(item, known);
    item.hidden = !terms.every((word) => own.includes(word));
  }
  for (const list of nav?.querySelectorAll('ul') ?? []) {
    const isEmpty = list.querySelector('li:not([hidden])') === null;
    list.hidden = isEmpty;
    const heading = list.previousElementSibling;
    if (heading instanceof HTMLElement && heading.tagName === 'H2') heading.hidden = isEmpty;
  }
}

/** Redirects links to sections that have moved to their own pages. */
function followMoved(): void {
  const anchor = decodeURIComponent(location.hash.slice(1));
  if (anchor === '' || document.getElementById(anchor) !== null) return;
  const links = [...document.querySelectorAll('nav.contents a')].map(
    (link) => link.getAttribute('href') ?? '',
  );
  const position = links.find((href) => href.endsWith(`#${anchor}`));
  if (position !== undefined) location.replace(position);
}
followMoved();
addEventListener('hashchange', followMoved);

for (const samples of document.querySelectorAll<HTMLElement>('.samples')) addTabs(samples);

function button(text: string, onClick: (button: HTMLButtonElement) => void): HTMLButtonElement {
  const made = document.createElement('button');
  made.type = 'button';
  made.textContent = text;
  made.addEventListener('click', () => onClick(made));
  return made;
}

/** Commands in several languages, of which one is visible. */
function addTabs(samples: HTMLElement): void {
  const blocks = [...samples.querySelectorAll<HTMLElement>('pre')];
  const bar = document.createElement('div');
  bar.className = 'tabs';
  const tabs = blocks.map((block) => button(block.dataset['language'] ?? '', () => show(block)));
  const show = (chosen: HTMLElement) => {
    for (const [index, block] of blocks.entries()) {
      block.hidden = block !== chosen;
      tabs[index]?.setAttribute('aria-pressed', String(block === chosen));
    }
  };
  bar.append(
    ...tabs,
    button('Copy', (made) => void copyFrom(made, blocks.find(({ hidden }) => !hidden)?.textContent ?? '')),
  );
  const path = samples.dataset['path'];
  if (path !== undefined) bar.append(button('Try it', () => void tryIt(samples, path)));
  samples.prepend(bar);
  if (blocks[0] !== undefined) show(blocks[0]);
}

const MAX_SHOWN = 20_000;

async function tryIt(samples: HTMLElement, path: string): Promise<void> {
  const output = samples.querySelector('output') ?? samples.appendChild(document.createElement('output'));
  const pre = document.createElement('pre');
  pre.tabIndex = 0;
  pre.textContent = 'Asking…';
  output.replaceChildren(pre);
  pre.textContent = await answerText(path);
}

async function answerText(path: string): Promise<string> {
  try {
    const response = await answerTo(path);
    const text = await response.text();
    const isJson = response.headers.get('Content-Type')?.startsWith('application/json') ?? false;
    const shown = isJson ? JSON.stringify(JSON.parse(text), null, 2) : text;
    return shown.length > MAX_SHOWN ? `${shown.slice(0, MAX_SHOWN)}\n… ${shown.length} characters` : shown;
  } catch (error) {
    return error instanceof ApiError ? `${error.status} ${error.code}: ${error.message}` : String(error);
  }
}
