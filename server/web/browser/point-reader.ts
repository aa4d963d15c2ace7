// Reading a small picture point by point: under the pointer, and with the arrow keys while the picture has the focus. The text of the point
// is shown next to the picture and announced.
import { html, type TemplateResult } from 'lit-html';

export function readPoints(
  picture: unknown,
  {
    label,
    texts,
    span,
  }: {
    readonly label: string;
    /** Of the points, from left to right. */
    readonly texts: readonly string[];
    /** Where the first and the last point are, as shares of the width; without it, the pointer reads nothing. */
    readonly span?: readonly [number, number];
  },
): TemplateResult {
  const last = texts.length - 1;
  const show = (picture: HTMLElement, index: number) => {
    const at = Math.max(0, Math.min(last, index));
    picture.dataset['at'] = String(at);
    outputOf(picture).textContent = texts[at] ?? '';
  };
  const onKey = (event: KeyboardEvent) => {
    const element = event.currentTarget as HTMLElement;
    const at = Number(element.dataset['at'] ?? texts.length);
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: last }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    show(element, to);
  };
  const onPointer = (event: PointerEvent) => {
    if (span === undefined) return;
    const element = event.currentTarget as HTMLElement;
    const { left, width } = (element.querySelector('svg') ?? element).getBoundingClientRect();
    const [from, to] = span;
    show(element, Math.round((((event.clientX - left) / width - from) / (to - from || 1)) * last));
  };
  const onFocus = ({ currentTarget }: Event) => show(currentTarget as HTMLElement, last);
  return html`<span class="points" tabindex="0" role="application" aria-roledescription="chart" aria-label="${label}. Arrow keys read the points." @keydown=${onKey} @pointermove=${onPointer} @pointerleave=${clear} @focus=${onFocus} @blur=${clear}>${picture}<output></output></span>`;
}

const outputOf = (picture: HTMLElement): HTMLElement => picture.querySelector('output') ?? picture;

function clear({ currentTarget }: Event): void {
  outputOf(currentTarget as HTMLElement).textContent = '';
}
