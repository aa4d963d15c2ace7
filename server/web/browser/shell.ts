// The frame that all dashboard pages share: signs for the service and for risk, the displayed time, the key, the search box; and the
// panels, which are reloaded when a new version is published.
import { html, nothing, render, type TemplateResult } from 'lit-html';
import { ApiError, ask } from './api.ts';
import { nowMs } from './environment.ts';
import { fitTables } from './fit-tables.ts';
import { age, badge, isKnown, msOf, serviceBadge, serviceClock, setClock, span } from './format.ts';
import { isBeforeKept, momentBar, momentForm, onKept } from './moment.ts';
import { type Panel, refusalText } from './panel.ts';
import { onFound, searchBox } from './search.ts';
import {
  notePast,
  noteSilence,
  noteStatus,
  openCounts,
  type Status,
  serviceStatus,
  shownStatus,
  silenceBar,
  statusAddress,
  titlePage,
  verdictBar,
} from './service-verdict.ts';
import { apiKey, asOf, keyRefusal, link, onState, setKey } from './state.ts';

const ASK_EVERY_MS = 15_000;
const AGES_EVERY_MS = 5_000;

const at = (id: string): HTMLElement => {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`The page has no #${id}.`);
  return found;
};

let panels: readonly Panel[] = [];
let trouble: ApiError | undefined;
/** Whether the page shows data of a time, which a reader can choose. */
const hasMoment = document.getElementById('as-of') !== null;

/** The signs and the tools at the top, which all pages have. */
export function showHeader(): void {
  // On a phone, the navigation is a line that scrolls.
  document.querySelector('nav.site [aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' });
  paint();
  onFound(paint);
  onState(paint);
  setInterval(() => showAges(nowMs()), AGES_EVERY_MS);
  setInterval(() => void askStatus(), ASK_EVERY_MS);
  void askStatus();
}

/** Shows the page's panels in order, below its header. */
export function showPage(shown: readonly Panel[]): void {
  panels = shown;
  at('panels').replaceChildren(keyNote, ...shown.map(({ element }) => element));
  showHeader();
  for (const one of shown) one.begin();
  onKept(paint);
  onState(() => void askPast());
  new MutationObserver(() => {
    showAges(nowMs());
    fitTables();
  }).observe(document.body, { childList: true, subtree: true });
  addEventListener('resize', fitTables);
  // Opening a panel's tool shows a table that had no width before.
  document.addEventListener('toggle', fitTables, true);
  void askPast();
}

/** Shows a panel in the place of another one, which the reader asked for. */
export function replacePanel(before: Panel, after: Panel): void {
  panels = panels.map((one) => (one === before ? after : one));
  before.element.replaceWith(after.element);
  after.begin();
}

/** Shown once, with the first panel that requires a key. */
const keyNote = document.createElement('p');
keyNote.className = 'key-note';
keyNote.setAttribute('role', 'status');

function keyText(): string {
  if (keyRefusal() !== undefined)
    return `${refusalText()} Forget it at the top to enter another; open data is still shown.`;
  return apiKey() === undefined
    ? 'More is shown with a key. Enter one at the top, under “Key”.'
    : 'More is shown with another key.';
}

async function askStatus(): Promise<void> {
  const before = serviceStatus();
  const wasTrouble = trouble !== undefined;
  try {
    const { data } = await ask<Status>('/v1/status');
    noteStatus(data);
    trouble = undefined;
    if (data.as_of !== null) setClock(Date.parse(data.as_of) + (data.age_seconds ?? 0) * 1_000 - nowMs());
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    trouble = error;
    if (error.status === 0) noteSilence();
  }
  paint();
  const after = serviceStatus();
  // Panels say what their figures do not cover.
  if (before?.summary !== after?.summary) repaintPanels();
  const isNew = before?.version !== undefined && after?.version !== before.version && asOf() === undefined;
  if (trouble === undefined && (isNew || wasTrouble)) refreshAll();
}

function repaintPanels(): void {
  for (const { element } of panels) element.dispatchEvent(new Event('repaint'));
}

function refreshAll(): void {
  void askPast();
  for (const one of panels) void one.refresh();
}

/** The verdict of an earlier time. */
async function askPast(): Promise<void> {
  const moment = asOf();
  if (moment === undefined) return;
  try {
    notePast(moment, (await ask<Status>(statusAddress())).data);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    notePast(moment, null);
  }
  paint();
  repaintPanels();
}

function paint(): void {
  render(html`${serviceSign()}${riskSign()}`, at('signs'));
  render(html`${searchBox()}${hasMoment ? momentForm() : nothing}${keyForm()}`, at('tools'));
  if (hasMoment) paintPage();
  showAges(nowMs());
}

/** What a page of data says of its time and of what can be judged then. */
function paintPage(): void {
  render(
    html`${silenceBar()}${document.getElementById('service') === null ? verdictBar() : nothing}${momentBar()}`,
    at('as-of'),
  );
  titlePage();
  keepMoment();
  at('panels').classList.toggle('before-kept', isBeforeKept());
  keyNote.textContent = keyText();
}

function serviceSign(): TemplateResult {
  if (trouble !== undefined)
    return html`<a class="sign" href="/status"><span class="sign-name">Service</span> ${troubleSign(trouble)}</a>`;
  const status = serviceStatus();
  if (status === undefined) return html`<span class="sign"><span class="sign-name">Service</span> …</span>`;
  const data = status.as_of === null ? 'nothing published yet' : html`data ${age(status.as_of)}`;
  return html`<a class="sign" href=${link('/status')} title=${status.summary}><span class="sign-name">Service</span> ${serviceBadge(status.status)} <span class="sign-more">${data}</span></a>`;
}

/** A reader's request limit says nothing about the service. */
function troubleSign({ status: code, message }: ApiError): TemplateResult {
  if (code === 429) return html`your request limit is reached; this reloads automatically`;
  return html`${serviceBadge('degraded')} ${message}`;
}

function riskSign(): TemplateResult {
  const isAsked = shownStatus() !== undefined;
  const open = openThen();
  if (open === undefined)
    return html`<span class="sign"><span class="sign-name">Risk</span> ${isAsked ? badge(undefined) : '…'}</span>`;
  return html`<a class="sign" href="${link('/')}#conditions"><span class="sign-name">Risk</span> ${
    open.length === 0
      ? nothingText()
      : open.map(({ name, count }) => html`${badge(`${count} ${name}`, name)} `)
  }</a>`;
}

/** Open conditions of the displayed time by severity; undefined if unknown. */
function openThen(): ReturnType<typeof openCounts> {
  const status = shownStatus();
  const isOutdated = trouble !== undefined && asOf() === undefined;
  return isKnown(status) && !isOutdated ? openCounts(status.open_conditions) : undefined;
}

/** Nothing is open only in what can be judged. */
const nothingText = (): string =>
  shownStatus()?.status === 'ok' ? 'nothing open' : 'nothing open in what can be judged';

function keyForm(): TemplateResult {
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const input = (event.target as HTMLFormElement).elements.namedItem('key') as HTMLInputElement;
    const text = input.value.trim();
    input.value = '';
    if (text !== '') setKey(text);
  };
  const refused =
    keyRefusal() === undefined
      ? nothing
      : html`<span class="trouble" title=${refusalText()}>key not valid</span> `;
  return apiKey() === undefined && refused === nothing
    ? html`<details class="menu"><summary>Key</summary><form class="popover" autocomplete="off" @submit=${submit}>
        <label for="key">API key</label>
        <input id="key" name="key" type="password" spellcheck="false" placeholder="rk_live_…" autocomplete="off" required>
        <button type="submit">Use</button><p class="quiet">It stays in this tab.</p></form></details>`
    : html`${refused}<button type="button" id="forget" @click=${() => setKey(undefined)}>Forget key</button>`;
}

/** Menu links lead to the other dashboard pages at the same time; the reference has no time. */
function keepMoment(): void {
  for (const to of document.querySelectorAll<HTMLAnchorElement>('nav.site a, a.brand'))
    if (!/^\/(docs|errors)/.test(to.pathname)) to.href = link(to.pathname);
}

const AGES: Readonly<Record<string, (seconds: number) => string>> = {
  age: (seconds) => `${span(Math.max(0, seconds))} ago`,
  lasting: (seconds) => span(Math.max(0, seconds)),
  opening: (seconds) =>
    seconds < 0 ? `in ${span(-seconds)}` : `since ${span(seconds)}, unless it has ended`,
  due: (seconds) => (seconds > 0 ? `${span(seconds)} late` : `in ${span(-seconds)}`),
};

/**
 * Ages on the page, kept current by the clock of the service. At a past time, everything has the age that it had then; only what is about
 * the service itself, in elements with `data-live`, has its current age.
 */
function showAges(nowMs: number): void {
  const moment = asOf();
  const shown = moment === undefined ? serviceClock(nowMs) : msOf(moment);
  for (const time of document.querySelectorAll<HTMLTimeElement>('time[data-distance]')) {
    const until = time.closest('[data-live]') === null ? shown : serviceClock(nowMs);
    const seconds = Math.round((until - Date.parse(time.dateTime)) / 1_000);
    const text = AGES[time.dataset['distance'] ?? '']?.(seconds) ?? '';
    if (time.textContent !== text) time.textContent = text;
  }
}
