// The time that the dashboard shows: the choice of one, the bar that names a past one, and the oldest time that can be shown.
import { html, nothing, type TemplateResult } from 'lit-html';
import { ApiError, ask } from './api.ts';
import { isKnown, msOf, timeText } from './format.ts';
import { asOf, choose, onState } from './state.ts';

/** Of the kept versions; undefined until they are requested. */
let oldest: string | undefined;
let isAsked = false;

let announce: () => void = () => undefined;
/** `repaint` renders what this file returns again. */
export function onKept(repaint: () => void): void {
  announce = repaint;
  if (asOf() !== undefined) void askKept();
}
onState(() => {
  if (asOf() !== undefined) void askKept();
});

/** Without a response, the page works as before: the message of each panel says what is missing. */
async function askKept(): Promise<void> {
  if (isAsked) return;
  isAsked = true;
  try {
    const { meta } = await ask<unknown>('/v2/versions');
    oldest = (meta['oldest_as_of'] as string | null) ?? undefined;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    isAsked = false;
  }
  announce();
}

/** Whether the displayed time is before all kept versions, so that nothing can be shown. */
export function isBeforeKept(): boolean {
  const moment = asOf();
  return moment !== undefined && isKnown(oldest) && msOf(moment) < msOf(oldest);
}

/** The form of `datetime-local`, which has no zone. */
const localOf = (moment: string | undefined): string => moment?.replace(/(?:\.\d+)?Z$/, '') ?? '';

export function momentForm(): TemplateResult {
  const onChange = (event: Event) => {
    const { value } = event.target as HTMLInputElement;
    choose({ as_of: value === '' ? undefined : `${value.length === 16 ? `${value}:00` : value}Z` }, false);
  };
  return html`<details class="menu" @toggle=${() => void askKept()}><summary>As of</summary><div class="popover"><label for="moment">Time, UTC</label>
    <input id="moment" type="datetime-local" step="1" min=${isKnown(oldest) ? localOf(oldest) : nothing} .value=${localOf(asOf())} @change=${onChange}>
    <p class="quiet">Shows the dashboard as it was then. Empty shows the newest data.</p>
    ${isKnown(oldest) ? html`<p class="quiet">Versions are kept since ${timeText(oldest)} UTC.</p>${showOldest()}` : nothing}</div></details>`;
}

const showOldest = (): TemplateResult =>
  html`<button type="button" @click=${() => choose({ as_of: oldest }, false)}>Show the oldest</button>`;

/** A past time is indicated on every page. */
export function momentBar(): TemplateResult | typeof nothing {
  const moment = asOf();
  if (moment === undefined) return nothing;
  const back = html`<button type="button" @click=${() => choose({ as_of: undefined }, false)}>Back to now</button>`;
  return isBeforeKept()
    ? html`<p class="moment" role="status"><strong>No version from ${timeText(moment)} UTC is kept.</strong> The oldest is from ${timeText(oldest)} UTC. ${showOldest()} ${back}</p>`
    : html`<p class="moment" role="status"><strong>As of ${timeText(moment)} UTC.</strong> Nothing newer is shown, except the state of the service and of the key. ${back}</p>`;
}
