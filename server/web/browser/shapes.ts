// Small pictures as SVG: bars, a sparkline, a waterfall, a scatter plot, a fan. Each has its numbers in words.
import { html, nothing, svg, type TemplateResult } from 'lit-html';
import { isNarrow } from './environment.ts';
import { inFull, isKnown, number, UNKNOWN } from './format.ts';
import type { Origin } from './origin.ts';
import { readPoints } from './point-reader.ts';

/** A share of a whole, with an optional limit. An unknown share has no bar. */
export function bar(share: number | null | undefined, text: unknown, limit?: number): TemplateResult {
  if (!isKnown(share)) return html`<span class="unknown">${UNKNOWN}</span>`;
  const width = Math.max(0, Math.min(1, share)) * 100;
  const isOver = limit !== undefined && share >= limit;
  return html`<span class="bar-cell"><svg class="bar" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
    <rect class="bar-ground" width="100" height="10"></rect>
    <rect class=${isOver ? 'bar-over' : 'bar-value'} width=${width} height="10"></rect>
    ${limit === undefined ? nothing : svg`<line class="bar-limit" x1=${limit * 100} x2=${limit * 100} y1="0" y2="10"></line>`}
  </svg><span class="bar-words">${text}</span></span>`;
}

/** The height of a line is at least this share of its largest value, so that a tiny change does not look like a fall. */
const MIN_SPAN = 0.02;

function scaleText(low: number, high: number, textOf: (value: number) => string): string {
  const [from, to] = [textOf(low), textOf(high)];
  if (low === high) return `always ${from}`;
  return from === to ? `about ${from}` : `${from} to ${to}`;
}

/** The path through known values, which starts again after each that is missing. */
function brokenLine(
  values: readonly (number | null)[],
  pointOf: (index: number, value: number) => string,
): string {
  return values
    .map((value, index) => {
      if (!isKnown(value)) return '';
      return `${isKnown(values[index - 1]) ? 'L' : 'M'}${pointOf(index, value)}`;
    })
    .join('');
}

/** A line through known values, broken where one is missing, with its lowest and highest value below. */
export function sparkline(
  values: readonly (number | null)[],
  {
    label,
    names,
    textOf,
  }: {
    readonly label: string;
    /** Of the points, such as their days. */
    readonly names: readonly string[];
    readonly textOf: (value: number) => string;
  },
): TemplateResult | typeof nothing {
  const known = values.filter(isKnown);
  if (known.length === 0) return nothing;
  const [low, high] = [Math.min(...known), Math.max(...known)];
  const x = (index: number) => (values.length === 1 ? 50 : (index / (values.length - 1)) * 100);
  const height = Math.max(high - low, Math.max(Math.abs(low), Math.abs(high)) * MIN_SPAN) || 1;
  const y = (value: number) => 12 - ((value - (low + high) / 2) / height) * 20;
  const path = brokenLine(values, (index, value) => `${x(index).toFixed(1)} ${y(value).toFixed(1)}`);
  const picture = html`<svg class="sparkline" viewBox="0 0 100 24" preserveAspectRatio="none" aria-hidden="true"><path d=${known.length === 1 ? `${path}h.1` : path}></path></svg>`;
  const texts = values.map(
    (value, index) => `${names[index]}: ${isKnown(value) ? inFull(value, textOf(value)) : UNKNOWN}`,
  );
  return html`${readPoints(picture, { label, texts, span: values.length === 1 ? [0.5, 0.5] : [0, 1] })}<small class="spark-scale" data-derived>${scaleText(low, high, textOf)}</small>`;
}

export interface Step {
  readonly name: string;
  /** Undefined for a missing component. */
  readonly value: number | undefined;
  readonly text: string;
  /** The words with the origins of their figures. */
  readonly view: unknown;
}

/** Parts that add up to a total; a missing part is drawn empty. */
export function waterfall(
  steps: readonly Step[],
  { value: total, from: origin }: { readonly value: number | null; readonly from: Origin },
  label: string,
): TemplateResult {
  let from = 0;
  const rows = steps.map((step) => {
    const start = from;
    from += step.value ?? 0;
    return { ...step, start, end: from };
  });
  const scale = Math.max(1, from);
  return html`<div class="waterfall" role="img" aria-label="${label}: ${steps.map(({ name, text }) => `${name} ${text}`).join(', ')}">${rows.map(
    ({
      name,
      value,
      view,
      start,
      end,
    }) => html`<div class="waterfall-row"><span>${name}</span><svg viewBox="0 0 100 10" preserveAspectRatio="none">
      <rect class="bar-ground" width="100" height="10"></rect>
      ${value === undefined ? svg`<rect class="missing" x="0.5" y="0.5" width="99" height="9"></rect>` : svg`<rect class="bar-value" x=${(start / scale) * 100} width=${((end - start) / scale) * 100} height="10"></rect>`}
      </svg><span class="number">${view}</span></div>`,
  )}<div class="waterfall-row total"><span>score</span><svg viewBox="0 0 100 10" preserveAspectRatio="none">${
    isKnown(total) ? svg`<rect class="bar-total" width=${(total / scale) * 100} height="10"></rect>` : nothing
  }</svg><span class="number" data-from=${origin}>${number(total, 4)}</span></div></div>`;
}

export interface Dot {
  readonly x: number;
  readonly y: number;
  readonly name: string;
  readonly group: string;
}

/** About one unit per pixel, so that its text is legible. */
const [WIDTH, HEIGHT, LEFT, BOTTOM] = isNarrow ? [340, 240, 46, 34] : [640, 300, 46, 34];

const TICKS = 4;

/** Round numbers from below the lowest value to above the highest. */
export function ticksOf(low: number, values: readonly number[]): readonly number[] {
  const high = Math.max(low + 1, ...values);
  const rough = (high - low) / TICKS;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 5].find((one) => one * power >= rough) ?? 10) * power;
  const [first, last] = [Math.floor(low / step), Math.ceil(high / step)];
  return Array.from({ length: last - first + 1 }, (_, index) =>
    Number(((first + index) * step).toPrecision(12)),
  );
}

export function scatter(
  dots: readonly Dot[],
  axes: { readonly label: string; readonly x: string; readonly y: string },
): TemplateResult {
  const across = ticksOf(
    0,
    dots.map(({ x }) => x),
  );
  const up = ticksOf(
    Math.min(0, ...dots.map(({ y }) => y)),
    dots.map(({ y }) => y),
  );
  const [bottom = 0, top = 1, right = 1] = [up[0], up.at(-1), across.at(-1)];
  const px = (x: number) => LEFT + (x / right) * (WIDTH - LEFT - 10);
  const py = (y: number) => HEIGHT - BOTTOM - ((y - bottom) / (top - bottom)) * (HEIGHT - BOTTOM - 10);
  const inOrder = dots.toSorted((a, b) => a.x - b.x || a.y - b.y);
  const textOf = ({ x, y, name }: Dot) => `${name}: ${axes.x} ${number(x, 12)}, ${axes.y} ${number(y, 12)}`;
  const picture = html`<svg class="scatter" viewBox="0 0 ${WIDTH} ${HEIGHT}" aria-hidden="true">
    ${up.map((tick) => svg`<line class="grid" x1=${LEFT} x2=${WIDTH} y1=${py(tick)} y2=${py(tick)}></line><text x=${LEFT - 6} y=${py(tick) + 4} text-anchor="end">${number(tick)}</text>`)}
    ${across.map((tick) => svg`<text x=${px(tick)} y=${HEIGHT - BOTTOM + 16} text-anchor="middle">${number(tick)}</text>`)}
    <text x=${WIDTH / 2} y=${HEIGHT - 4} text-anchor="middle">${axes.x}</text>
    <text x="12" y=${HEIGHT / 2} text-anchor="middle" transform="rotate(-90 12 ${HEIGHT / 2})">${axes.y}</text>
    ${dots.map((dot) => svg`<circle class="dot ${dot.group}" cx=${px(dot.x)} cy=${py(dot.y)} r="5"><title>${textOf(dot)}</title></circle>`)}
  </svg>`;
  return readPoints(picture, { label: axes.label, texts: inOrder.map(textOf) });
}
