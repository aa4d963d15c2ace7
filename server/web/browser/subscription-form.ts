// The form that creates a webhook subscription, and changes one: all formats, filters, grouping and quiet hours. Errors of the service are
// shown at their fields. Secrets are entered and never shown again, except the signing secret of a new subscription, once.
import { html, nothing, type TemplateResult } from 'lit-html';
import { ApiError, change, send } from './api.ts';
import { copyButton } from './copy.ts';
import { panel, troubleText } from './panel.ts';
import {
  ADDRESSES,
  bodyOf,
  FORMATS,
  type Format,
  isSigned,
  problemsByField,
  SEVERITIES,
  type Subscription,
} from './subscription-fields.ts';
import { repaint } from './table.ts';

/** What the page does with a result. */
let onDone: () => Promise<void> = async () => undefined;
let before: Subscription | undefined;
let format: Format = 'standard';
let problems: ReadonlyMap<string, string> = new Map();
let message: unknown;
let isSending = false;

interface EventTypeEntry {
  readonly type: string;
  readonly summary: string;
}

export function subscriptionForm(done: () => Promise<void>) {
  onDone = done;
  return form;
}

const form = panel<readonly EventTypeEntry[]>({
  id: 'subscription',
  title: 'Create or change a subscription',
  isWide: true,
  address: () => '/v2/event-types',
  view: formView,
});

/** Shows the form with a subscription to change; undefined: with a new one. */
export function edit(subscription: Subscription | undefined): void {
  before = subscription;
  format = (subscription?.format as Format | undefined) ?? 'standard';
  [problems, message] = [new Map(), undefined];
  form.element.dispatchEvent(new Event('repaint'));
  // The values of the subscription are those that the form starts with.
  form.element.querySelector('form')?.reset();
  form.element.scrollIntoView();
  form.element.querySelector<HTMLElement>('form input, form select')?.focus();
}

function formView(types: readonly EventTypeEntry[]): TemplateResult {
  const title = before === undefined ? 'A new subscription' : `Changes of ${before.url}`;
  return html`<p role="status">${message ?? title}</p>
    <form class="subscription" novalidate @submit=${(event: SubmitEvent) => void submit(event)}>
    ${targetFields()}
    <fieldset><legend>Event types</legend><div class="choices">${types.map((one) => choice('events', one.type, before?.events.includes(one.type) === true, one.summary))}</div>${problemOf('events')}</fieldset>
    ${filterFields()}${timingFields()}
    <div class="fields">${textField('description', 'Description', before?.description)}
    ${before === undefined ? nothing : selectField('status', 'State', ['active', 'paused'], before.status, before.status === 'disabled' ? 'disabled by the service' : undefined)}</div>
    <p><button type="submit" ?disabled=${isSending}>${before === undefined ? 'Create' : 'Save'}</button>
    ${before === undefined ? nothing : html`<button type="button" @click=${() => edit(undefined)}>New instead</button>`}</p></form>`;
}

function targetFields(): TemplateResult {
  const isSecret = !isSigned(format);
  const shown = before === undefined || isSecret ? undefined : before.url;
  return html`<div class="fields">${
    before === undefined
      ? html`<label>Format<select name="format" @change=${chooseFormat}>${FORMATS.map((one) => html`<option ?selected=${one === 'standard'}>${one}</option>`)}</select></label>`
      : nothing
  }
  ${textField('url', before !== undefined && isSecret ? 'Another address (empty: as before)' : 'Address', shown, ADDRESSES[format])}
  ${format === 'pagerduty' ? textField('routing_key', `Integration key${before === undefined ? '' : ' (empty: as before)'}`, undefined, '32 letters and digits') : nothing}
  ${format === 'telegram' ? textField('chat_id', `Chat${before === undefined ? '' : ' (empty: as before)'}`, undefined, '-1001234567890 or @channel') : nothing}</div>
  ${isSecret ? html`<p class="quiet">Whoever knows this address or key can write there: it is stored encrypted and never shown again.</p>` : nothing}`;
}

const filterFields = (): TemplateResult => html`<fieldset><legend>Only events</legend><div class="fields">
  ${selectField('min_severity', 'From this severity on', SEVERITIES, before?.min_severity ?? '', 'any')}
  ${listField('protocols', 'Of these protocols, one a line', before?.protocols)}
  ${listField('chains', 'Of these chains, one a line', before?.chains)}
  ${listField('subjects', 'Of these subjects, one a line', before?.subjects)}</div></fieldset>`;

function timingFields(): TemplateResult {
  const quiet = before?.quiet_hours;
  const always = quiet?.always_send ?? ['critical'];
  return html`<fieldset><legend>Grouping and quiet hours</legend><div class="fields">
  ${textField('grouping/minutes', 'One message about a subject in so many minutes (empty: each event)', before?.grouping?.minutes, '60', 'number')}
  ${textField('quiet_hours/from', 'Hold back from', quiet?.from, undefined, 'time')}
  ${textField('quiet_hours/to', 'until, then one digest', quiet?.to, undefined, 'time')}
  ${textField('quiet_hours/time_zone', 'Time zone', quiet?.time_zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone)}</div>
  <div class="choices">Sent in quiet hours too: ${SEVERITIES.map((one) => choice('quiet_hours/always_send', one, always.includes(one)))}</div>${problemOf('quiet_hours/always_send')}</fieldset>`;
}

const idOf = (name: string): string => `subscription-${name.replace('/', '-')}`;

const problemOf = (name: string): unknown =>
  problems.has(name)
    ? html`<span class="trouble" id="${idOf(name)}-problem">${problems.get(name)}</span>`
    : nothing;

function textField(
  name: string,
  label: string,
  value: string | number | null | undefined,
  example = '',
  type = 'text',
): TemplateResult {
  return html`<label>${label}<input name=${name} type=${type} value=${value ?? ''} placeholder=${example} autocomplete="off" spellcheck="false" aria-invalid=${problems.has(name)} aria-describedby="${idOf(name)}-problem">${problemOf(name)}</label>`;
}

const listField = (
  name: string,
  label: string,
  values: readonly string[] | null | undefined,
): TemplateResult =>
  html`<label>${label}<textarea name=${name} rows="2" spellcheck="false" aria-invalid=${problems.has(name)} aria-describedby="${idOf(name)}-problem">${values?.join('\n') ?? ''}</textarea>${problemOf(name)}</label>`;

/** `none`: the text of the choice that sends nothing, if there is one. */
const selectField = (
  name: string,
  label: string,
  values: readonly string[],
  chosen: string,
  none?: string,
): TemplateResult =>
  html`<label>${label}<select name=${name}>${none === undefined ? nothing : html`<option value="" ?selected=${!values.includes(chosen)}>${none}</option>`}${values.map((one) => html`<option ?selected=${one === chosen}>${one}</option>`)}</select>${problemOf(name)}</label>`;

const choice = (name: string, value: string, isChosen: boolean, title?: string): TemplateResult =>
  html`<label title=${title ?? nothing}><input type="checkbox" name=${name} value=${value} ?checked=${isChosen}>${value}</label>`;

function chooseFormat(event: Event): void {
  format = (event.target as HTMLSelectElement).value as Format;
  problems = new Map();
  repaint(event);
}

async function submit(event: SubmitEvent): Promise<void> {
  event.preventDefault();
  if (isSending) return;
  const element = event.target as HTMLFormElement;
  problems = unfinishedIn(element);
  if (problems.size > 0) {
    message = SEE_FIELDS;
    repaint(event);
    focusProblem(element);
    return;
  }
  const body = bodyOf(new FormData(element), before);
  [isSending, message] = [true, 'Sending…'];
  repaint(event);
  try {
    await save(element, body);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    refuse(error, element);
  } finally {
    isSending = false;
  }
  repaint(event);
  focusProblem(element);
}

const SEE_FIELDS = html`<span class="trouble">Not saved: see the fields below.</span>`;

const focusProblem = (element: HTMLFormElement): void =>
  element.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();

/** Half of a time, and what is no number, have the value of an empty field: sent as that, they would remove what is saved. */
const unfinishedIn = (element: HTMLFormElement): ReadonlyMap<string, string> =>
  new Map(
    [...element.querySelectorAll('input')]
      .filter(({ validity }) => validity.badInput)
      .map(({ name, type }) => [name, type === 'time' ? 'must have hours and minutes' : 'must be a number']),
  );

async function save(element: HTMLFormElement, body: object): Promise<void> {
  if (before === undefined) {
    const { data } = await send<{ readonly signing_secret: string }>('/v2/webhooks', body);
    message = isSigned(format)
      ? html`Created. Its signing secret, shown only now: <code>${data.signing_secret}</code> ${copyButton(data.signing_secret)}`
      : 'Created.';
    element.reset();
    format = 'standard';
  } else {
    const { data } = await change<Subscription>(`/v2/webhooks/${before.id}`, body);
    [before, message] = [data, 'Saved.'];
    form.element.dispatchEvent(new Event('repaint'));
    element.reset();
  }
  await onDone();
}

function refuse(error: ApiError, element: HTMLFormElement): void {
  const names = [...element.elements].flatMap((one) => one.getAttribute('name') ?? []);
  const { known, others } = problemsByField(error.details.fields ?? [], names);
  problems = known;
  const texts = others.length === 0 ? [troubleText(error)] : others;
  message =
    known.size > 0 && others.length === 0
      ? SEE_FIELDS
      : html`<span class="trouble">Not saved: ${texts.join('; ')}</span>`;
}
