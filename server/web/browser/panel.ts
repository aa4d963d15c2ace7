// A panel: one request, its view, and the tools of every panel: receipt, commands, table, download.
import { html, nothing, render, type TemplateResult } from 'lit-html';
import { isOffered, isRefused } from './access.ts';
import { ApiError, ask, commandsFor, type Meta } from './api.ts';
import { copyButton } from './copy.ts';
import { downloads } from './downloads.ts';
import { timeText } from './format.ts';
import { isLive } from './live-paths.ts';
import { ownReceipt, receiptOf, receiptView } from './receipt.ts';
import { dataBadge } from './service-verdict.ts';
import { asOf, keyRefusal, onState } from './state.ts';
import { type Column, tableView } from './table.ts';

export interface TableOf<T> {
  readonly columns: readonly Column<T>[];
  readonly rows: readonly T[];
}

export interface PanelSpec<T> {
  readonly id: string;
  readonly title: string;
  /** The request target; undefined hides the panel. */
  readonly address: () => string | undefined;
  /** Further requests, sent together with the first. The panel is shown without them, and says of each what is missing. */
  readonly also?: Readonly<Record<string, () => string | undefined>>;
  readonly view: (data: T, meta: Meta, also: Further) => unknown;
  /** What is shown if there is no such thing, with the message of the service; default: that nothing has this name. */
  readonly missing?: (message: string) => unknown;
  /** Starts to load what the panel needs besides its data, together with it. */
  readonly expect?: () => void;
  /** Draws what is not markup, once the view is in the page. */
  readonly draw?: (panel: HTMLElement, data: T, meta: Meta) => void;
  /** The numbers of the picture, as a table. */
  // biome-ignore lint/suspicious/noExplicitAny: rows of a table are known to its columns alone
  readonly table?: (data: T, meta: Meta, also: Further) => TableOf<any>;
  /** A function if it depends on the state of the page. */
  readonly note?: unknown;
  readonly isWide?: boolean;
  /** What a panel that asks for a time of its own offers if nothing that old is kept. */
  readonly oldest?: { readonly label: string; readonly show: (oldest: string) => void };
}

/** The responses to further requests of a panel. */
export class Further {
  readonly #data = new Map<string, unknown>();
  readonly #troubles = new Map<string, string>();

  /** Undefined until received, or if it cannot be read. */
  get<R>(name: string): R | undefined {
    return this.#data.get(name) as R | undefined;
  }

  /** Why it cannot be read; undefined while it is being loaded. */
  trouble(name: string): string | undefined {
    return this.#troubles.get(name);
  }

  async load(name: string, address: string | undefined): Promise<void> {
    if (address === undefined || !isOffered(address)) return;
    if (isRefused(address)) {
      this.#troubles.set(name, 'requires a key');
      return;
    }
    try {
      this.#data.set(name, (await ask<unknown>(address)).data);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.#troubles.set(name, error.message);
    }
  }
}

/** What the page does with a panel, whatever its data. */
export interface Panel {
  readonly element: HTMLElement;
  /** Requests what is visible, without waiting for the page's first frame. */
  begin(): void;
  refresh(): Promise<void>;
}

interface Content {
  readonly body: unknown;
  readonly table?: unknown;
  readonly receipt?: ReturnType<typeof receiptOf>;
  readonly isBroken?: boolean;
}

/** The data arrived, but the page cannot show it; the browser console has the error. */
function broken(): Content {
  const body = html`<p class="trouble" role="alert">This response could not be shown. Download saves the data as it was received.</p>`;
  return { body, isBroken: true };
}

/** Statuses for what the key, or its plan, does not include. */
const LOCKED = new Set([401, 402, 403]);
const MAX_WAIT_S = 60;

export function panel<T>(spec: PanelSpec<T>): Panel {
  return new LivePanel(spec);
}

class LivePanel<T> implements Panel {
  readonly element: HTMLElement;
  readonly #spec: PanelSpec<T>;
  #shown: { readonly data: T; readonly meta: Meta; readonly address: string } | undefined;
  #error: ApiError | undefined;
  #isSeen = false;
  readonly #observer: IntersectionObserver;
  #turn = 0;
  #further = new Further();

  constructor(spec: PanelSpec<T>) {
    this.#spec = spec;
    this.element = document.createElement('section');
    this.element.id = spec.id;
    this.element.className = `panel${spec.isWide ? ' wide-panel' : ''}`;
    this.element.setAttribute('aria-labelledby', `${spec.id}-title`);
    this.element.addEventListener('repaint', () => this.#paint());
    this.element.addEventListener('see', () => this.#see());
    // Panels below the fold are requested when they become visible.
    this.#observer = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) this.#see();
    });
    this.#observer.observe(this.element);
    const address = this.#address();
    this.element.hidden = address === undefined;
    onState(() => {
      this.element.hidden = this.#address() === undefined;
      void this.refresh();
    });
    if (address !== undefined && isRefused(address)) this.#refuse();
    else this.#paint();
  }

  begin(): void {
    const { top, bottom } = this.element.getBoundingClientRect();
    if (bottom > 0 && top < innerHeight && !this.element.hidden) this.#see();
  }

  #see(): void {
    this.#observer.disconnect();
    if (this.#isSeen) return;
    this.#isSeen = true;
    // A reader who jumps down the page would see nothing before what is above has its data.
    for (let one = this.element.previousElementSibling; one !== null; one = one.previousElementSibling)
      one.dispatchEvent(new Event('see'));
    if (this.#address() !== undefined) this.#spec.expect?.();
    void this.refresh();
  }

  /** Undefined for what the page does not request now, and for what this service does not offer. */
  #address(): string | undefined {
    const address = this.#spec.address();
    return address !== undefined && isOffered(address) ? address : undefined;
  }

  async refresh(): Promise<void> {
    if (!this.#isSeen) return;
    const address = this.#address();
    const turn = ++this.#turn;
    if (address !== this.#shown?.address) this.#shown = undefined;
    if (address === undefined) return;
    if (isRefused(address)) {
      this.#refuse();
      return;
    }
    void this.#loadFurther(turn);
    try {
      const { data, meta } = await ask<T>(address);
      if (turn !== this.#turn) return;
      this.#shown = { data, meta, address };
      this.#error = undefined;
    } catch (error) {
      if (turn !== this.#turn) return;
      if (!(error instanceof ApiError)) throw error;
      this.#error = error;
      this.#retryLater(error);
    }
    this.#paint();
  }

  /** Until the last of them is received, those of the previous refresh are shown. */
  async #loadFurther(turn: number): Promise<void> {
    const further = new Further();
    const all = Object.entries(this.#spec.also ?? {});
    if (all.length === 0) return;
    await Promise.all(all.map(([name, address]) => further.load(name, address())));
    if (turn !== this.#turn) return;
    this.#further = further;
    if (this.#shown !== undefined) this.#paint();
  }

  #refuse(): void {
    this.#shown = undefined;
    this.#error = new ApiError('no key', { status: 401 });
    this.#paint();
  }

  #retryLater({ status, retryAfter }: ApiError): void {
    if (status !== 429 && status < 500) return;
    setTimeout(() => void this.refresh(), 1_000 * Math.min(MAX_WAIT_S, Math.max(5, retryAfter)));
  }

  #paint(): void {
    this.element.toggleAttribute('data-live', isLive(this.#address() ?? ''));
    const isLocked = this.#shown === undefined && LOCKED.has(this.#error?.status ?? 0);
    this.element.classList.toggle('is-locked', isLocked);
    this.element.classList.toggle('needs-key', isLocked && isAboutKey(this.#error));
    this.element.classList.toggle('is-loading', this.#shown === undefined && this.#error === undefined);
    const content = this.#content();
    this.#render(content);
    const shown = this.#shown;
    if (shown === undefined || content.isBroken) return;
    try {
      this.#spec.draw?.(this.element, shown.data, shown.meta);
    } catch (error) {
      reportError(error);
      this.#render(broken());
    }
  }

  /** The last response that its view could not show. */
  #failed: unknown;

  /** A view that fails is shown as an error in its panel. */
  #content(): Content {
    const shown = this.#shown;
    if (shown === undefined) return { body: this.#waiting() };
    try {
      return {
        body: this.#spec.view(shown.data, shown.meta, this.#further),
        table: this.#table(shown),
        receipt: receiptOf(shown.meta),
      };
    } catch (error) {
      // Drawn again, the same response fails again: it is reported once.
      if (this.#failed !== shown) reportError(error);
      this.#failed = shown;
      return broken();
    }
  }

  #render({ body, table = nothing, receipt }: Content): void {
    const { title, id } = this.#spec;
    const note = typeof this.#spec.note === 'function' ? this.#spec.note() : this.#spec.note;
    const shown = this.#shown;
    const verdict = receipt?.gate?.verdict;
    render(
      html`<header><h2 id="${id}-title">${title}</h2>${verdict === undefined || verdict === 'pass' ? nothing : dataBadge(verdict, receipt?.gate?.checks)}</header>
        ${note === undefined ? nothing : html`<p class="note">${note}</p>`}
        ${shown !== undefined && asOf() !== undefined && isLive(shown.address) ? html`<p class="note">The current state.</p>` : nothing}
        ${this.#error === undefined ? nothing : this.#trouble(this.#error)}
        <div class="panel-body">${body}</div>
        ${shown === undefined ? nothing : html`<footer>${tool('Receipt', receipt === undefined ? ownReceipt(shown.address) : receiptView(receipt))}${table}${tool('Copy as', this.#commands(shown.address))}${tool('Download', downloads(shown.address))}</footer>`}`,
      this.element,
    );
  }

  /** Those of the first request, then of the further ones. */
  #commands(address: string): unknown {
    const further = Object.values(this.#spec.also ?? {}).flatMap((addressOf) => addressOf() ?? []);
    return [address, ...further].map((one) => commandList(commandsFor(one)));
  }

  #waiting(): unknown {
    return this.#error === undefined ? html`<p class="loading">Loading…</p>` : nothing;
  }

  #table({ data, meta }: { data: T; meta: Meta }): unknown {
    const { table, title } = this.#spec;
    if (table === undefined) return nothing;
    const { columns, rows } = table(data, meta, this.#further);
    return tool('Table', tableView(`${title}: table`, columns, rows));
  }

  #trouble(error: ApiError): unknown {
    const { missing } = this.#spec;
    if (error.status === 404 && missing !== undefined && this.#shown === undefined)
      return missing(error.message);
    const kept = this.#shown === undefined ? '' : ' The earlier data is still shown.';
    // The page states once where to enter a key, and what is wrong with the one entered.
    const what = isAboutKey(error)
      ? `Requires a ${keyRefusal() === undefined ? '' : 'valid '}key.`
      : troubleText(error);
    return html`<p class="trouble" role="status">${what}${kept} ${this.#offer(error.details.oldest_as_of)}</p>`;
  }

  #offer(time: string | undefined): unknown {
    const { oldest } = this.#spec;
    if (oldest === undefined || time === undefined) return nothing;
    return html`<button type="button" @click=${() => oldest.show(time)}>${oldest.label}</button>`;
  }
}

/** There is no key, or it is not valid. */
const isAboutKey = (error: ApiError | undefined): boolean => error?.status === 401;

export const refusalText = (): string => `The key is not valid: ${keyRefusal()}.`;

/** A problem in words for the reader: what happened, and what to do. */
export function troubleText(error: ApiError): string {
  const { status, code, message, details } = error;
  if (status === 401)
    return keyRefusal() === undefined
      ? 'A key is required to see this. Enter one at the top of the page.'
      : refusalText();
  if (status === 402 || status === 403 || code === 'REPLAY_NOT_AVAILABLE') return denialText(error);
  if (details.oldest_as_of !== undefined)
    return `Nothing that old is kept: the oldest version is from ${timeText(details.oldest_as_of)} UTC.`;
  // Someone else has to act first; the message says what is missing, or what releases it.
  if (details.reason === 'held_back' || details.reason === 'not_read') return `${message}.`;
  if (status === 404)
    return asOf() === undefined
      ? 'Nothing is published under this name in this version.'
      : `Nothing to show as of ${timeText(asOf())} UTC: ${message}.`;
  if (status === 429) return 'The request limit is reached. This reloads automatically within a minute.';
  // What was published by a past time does not change, so retrying is pointless.
  return status === 0 || (status >= 500 && asOf() === undefined) ? `${message}. Retrying.` : `${message}.`;
}

/** What the key lacks. */
function denialText({ message, details }: ApiError): string {
  const { current_plan, required_plans: [lowest, ...higher] = [], required_scope } = details;
  if (required_scope !== undefined)
    return `Requires the scope ${required_scope}, which this key does not have.`;
  if (lowest === undefined) return `Not included in this plan: ${message}.`;
  const has = current_plan === undefined ? '' : `; this key has ${current_plan}`;
  return `Requires the plan ${lowest}${higher.length > 0 ? ' or higher' : ''}${has}.`;
}

const tool = (name: string, content: unknown): TemplateResult =>
  html`<details class="tool"><summary>${name}</summary><div class="tool-body">${content}</div></details>`;

export const commandList = (commands: Readonly<Record<string, string>>): TemplateResult =>
  html`${Object.entries(commands).map(([name, text]) => html`<div class="command"><p>${name} ${copyButton(text)}</p><pre tabindex="0"><code>${text}</code></pre></div>`)}`;

/** A panel without a request of its own, such as a form. */
export class LocalPanel implements Panel {
  readonly element: HTMLElement;
  readonly #title: string;
  readonly #body: () => unknown;

  constructor(id: string, title: string, body: () => unknown) {
    this.#title = title;
    this.#body = body;
    this.element = document.createElement('section');
    this.element.id = id;
    this.element.className = 'panel wide-panel';
    this.element.setAttribute('aria-labelledby', `${id}-title`);
    this.element.addEventListener('repaint', () => this.paint());
    this.paint();
  }

  paint(): void {
    render(
      html`<header><h2 id="${this.element.id}-title">${this.#title}</h2></header><div class="panel-body">${this.#body()}</div>`,
      this.element,
    );
  }

  /** Requests nothing. */
  begin(): void {}

  async refresh(): Promise<void> {
    this.paint();
  }
}
