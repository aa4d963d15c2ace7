// A form that submits a calculation: the request as JSON that the reader may edit, the result, and the command that repeats it. It submits
// what the text field shows.
import { html, nothing, type TemplateResult } from 'lit-html';
import { ApiError, commandsFor, send } from './api.ts';
import { type Panel, commandList, LocalPanel, troubleText } from './panel.ts';
import { asOf } from './state.ts';

interface RunForm<T> {
  readonly id: string;
  readonly title: string;
  readonly note: unknown;
  /** The path for a request. It may depend on fields that are not sent. */
  readonly path: (fields: FormData) => string;
  /** Fields of the form. Each change rewrites the request. */
  readonly fields: () => TemplateResult;
  readonly request: (fields: FormData) => object;
  readonly view: (result: T) => unknown;
  /** Reloads the choices of the fields. */
  readonly load: () => Promise<void>;
}

export interface FormPanel extends Panel {
  paint(): void;
}

export const runForm = <T>(spec: RunForm<T>): FormPanel => new Form(spec);

class Form<T> implements FormPanel {
  readonly #spec: RunForm<T>;
  readonly #panel: LocalPanel;
  #isRunning = false;
  #problem = '';
  #result: T | undefined;
  #sent: { readonly path: string; readonly body: unknown } | undefined;

  constructor(spec: RunForm<T>) {
    this.#spec = spec;
    this.#panel = new LocalPanel(spec.id, spec.title, () => this.#body());
  }

  get element(): HTMLElement {
    return this.#panel.element;
  }

  paint(): void {
    this.#panel.paint();
  }

  /** The page requests its choices. */
  begin(): void {}

  /** A result is kept until the next run. */
  async refresh(): Promise<void> {
    await this.#spec.load();
    this.paint();
  }

  #write(form: HTMLFormElement): void {
    requestField(form).value = JSON.stringify(this.#spec.request(new FormData(form)), null, 2);
  }

  async #submit(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    const form = event.target as HTMLFormElement;
    if (requestField(form).value.trim() === '') this.#write(form);
    this.#problem = '';
    try {
      const body = JSON.parse(requestField(form).value) as unknown;
      const path = this.#spec.path(new FormData(form));
      this.#sent = { path, body };
      this.#isRunning = true;
      this.paint();
      this.#result = (await send<T>(path, body)).data;
    } catch (error) {
      this.#result = undefined;
      this.#problem =
        error instanceof ApiError ? troubleText(error) : `The request is not valid JSON: ${String(error)}`;
    }
    this.#isRunning = false;
    this.paint();
  }

  #body(): TemplateResult {
    const { note, fields, title, view } = this.#spec;
    const sent = this.#sent;
    const onInput = (event: Event) => {
      if ((event.target as HTMLElement).getAttribute('name') !== 'request')
        this.#write(event.currentTarget as HTMLFormElement);
    };
    return html`<p class="note">${note}</p>
      <form class="fields" @submit=${(event: SubmitEvent) => void this.#submit(event)} @input=${onInput}>${fields()}
        <details class="all"><summary>Request as JSON</summary><textarea name="request" aria-label="Request of ${title} as JSON" spellcheck="false"></textarea></details>
        ${asOf() === undefined ? nothing : html`<p class="note all">Runs use the newest data. Return to now to start one.</p>`}
        <p class="all"><button type="submit" ?disabled=${this.#isRunning || asOf() !== undefined}>${this.#isRunning ? 'Running…' : 'Run'}</button></p></form>
      <div aria-live="polite">${this.#problem === '' ? nothing : html`<p class="trouble">${this.#problem}</p>`}</div>
      ${this.#result === undefined ? nothing : html`<div class="result">${shown(this.#result, view)}</div>`}
      ${sent === undefined ? nothing : html`<footer><details class="tool"><summary>Copy as</summary><div class="tool-body">${commandList(commandsFor(sent.path, 'POST', sent.body))}</div></details></footer>`}`;
  }
}

/** If the page cannot show a response, it states so; the browser console has the error. */
function shown<T>(result: T, view: (result: T) => unknown): unknown {
  try {
    return view(result);
  } catch (error) {
    reportError(error);
    return html`<p class="trouble">This response could not be shown. The command below returns it.</p>`;
  }
}

const requestField = (form: HTMLFormElement): HTMLTextAreaElement =>
  form.elements.namedItem('request') as HTMLTextAreaElement;
