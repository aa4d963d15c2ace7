// Daily counts as stacked bars. The table next to them has every number.
import { html, svg, type TemplateResult } from 'lit-html';
import { nowMs } from './environment.ts';
import { number, serviceClock, caption } from './format.ts';
import { readPoints } from './point-reader.ts';

export interface Share<T> {
  readonly name: string;
  /** The class of its colour, which is a state. */
  readonly look: string;
  readonly of: (day: T) => number;
}

const HEIGHT = 60;
/** Width of a day, including the space after it. */
const STEP = 10;
const BAR = 8;

/** With fewer days, bars do not get wider. */
const MIN_DAYS = 30;

/** `days` are in order. A day with a count of zero has no bar. */
export function dayBars<T extends { readonly day: string }>(
  label: string,
  days: readonly T[],
  shares: readonly Share<T>[],
): TemplateResult {
  // The service counts by its own clock.
  const today = new Date(serviceClock(nowMs())).toISOString().slice(0, 10);
  const max = Math.max(1, ...days.map((day) => total(day, shares)));
  const [first, last] = [days[0]?.day ?? '', days.at(-1)?.day ?? ''];
  const sums = shares.map(({ name, of }) => `${number(days.reduce((sum, day) => sum + of(day), 0))} ${name}`);
  const texts = days.map(
    (day) =>
      `${day.day}${day.day === today ? ', which is not over' : ''}: ${shares.map(({ name, of }) => `${number(of(day))} ${name}`).join(', ')}`,
  );
  const all = Math.max(MIN_DAYS, days.length);
  const picture = html`<svg class="day-bars" viewBox="0 0 ${all * STEP} ${HEIGHT}" preserveAspectRatio="none" aria-hidden="true">
    ${days.map((day, index) => svg`<g class=${day.day === today ? 'is-partial' : ''} transform="translate(${index * STEP} 0)"><rect class="day-ground" width=${BAR} height=${HEIGHT}></rect>${stack(day, shares, max)}</g>`)}
  </svg>`;
  const points = {
    label: `${label}, ${first} to ${last}: ${sums.join(', ')}`,
    texts,
    span: [BAR / 2 / (all * STEP), ((days.length - 1) * STEP + BAR / 2) / (all * STEP)],
  } as const;
  return html`${readPoints(picture, points)}<p class="quiet" data-derived>At most ${number(max)} a day</p><p class="quiet" data-derived>${first === last ? first : `${first} to ${last}`}${last === today ? ', which is not over: its bar is pale' : ''}</p>
  <ul class="legend">${shares.map(({ name, look }) => html`<li class="look-${look}">${caption(name)}</li>`)}</ul>`;
}

const total = <T>(day: T, shares: readonly Share<T>[]): number =>
  shares.reduce((sum, { of }) => sum + of(day), 0);

/** From the bottom up. Counts other than 0 are always large enough to be seen. */
function stack<T>(day: T, shares: readonly Share<T>[], max: number) {
  let top = HEIGHT;
  return shares.map(({ look, of }) => {
    const count = of(day);
    const height = count === 0 ? 0 : Math.max(1.5, (count / max) * (HEIGHT - 2));
    top -= height;
    return svg`<rect class="look-${look}" y=${top} width=${BAR} height=${height}></rect>`;
  });
}
