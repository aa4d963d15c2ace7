// Events over time, one row per type. Where there is no room for names on the left, they are above their rows, so that nothing scrolls
// sideways and the newest events are visible.
import { html, nothing, svg, type TemplateResult } from 'lit-html';
import type { RiskEvent } from './api-shapes.ts';
import { pageWidth } from './environment.ts';
import { type Mark, marksOf } from './event-marks.ts';
import { caption, quantity, timeText } from './format.ts';

interface Layout {
  readonly width: number;
  /** Width of the names on the left. */
  readonly left: number;
  readonly row: number;
  /** Vertical positions, within a row, of the line of marks and of the base of the name. */
  readonly line: number;
  readonly name: number;
}

const WIDE: Layout = { width: 900, left: 190, row: 20, line: 10, name: 14 };
/** Even a phone is wide enough for two times of day next to each other. */
const MIN_WIDTH = 300;
/** The horizontal margins of a panel on a small screen. */
const MARGINS = 64;
/** From this page width on, panels are about as wide as the picture. */
const WIDE_FROM = 1_100;
const layoutFor = (width: number): Layout =>
  width >= WIDE_FROM
    ? WIDE
    : { width: Math.max(MIN_WIDTH, width - MARGINS), left: 0, row: 32, line: 24, name: 12 };

const RIGHT = 12;
/** Pixels; a column holds one mark per row. */
const COLUMN_WIDTH = 8;

export function eventPicture(events: readonly RiskEvent[]): TemplateResult | typeof nothing {
  if (events.length === 0) return nothing;
  const layout = layoutFor(pageWidth());
  const columns = Math.floor((layout.width - layout.left - RIGHT) / COLUMN_WIDTH);
  const { types, marks, first, last } = marksOf(events, columns);
  const height = types.length * layout.row + 24;
  const label = `${quantity(events.length, 'event', 'events')} of ${quantity(types.length, 'type', 'types')} from ${timeText(first / 1_000)} to ${timeText(last / 1_000)} UTC`;
  return html`<svg class="timeline" viewBox="0 0 ${layout.width} ${height}" role="img" aria-label=${label}>
    ${types.map((type, row) => rowView(layout, type, row))}
    ${marks.map((mark) => markView(layout, mark))}
    ${ends(layout, { height, first, last })}
  </svg>`;
}

const rowView = ({ width, left, row, line, name }: Layout, type: string, at: number) =>
  svg`<line class="grid" x1=${left} x2=${width} y1=${at * row + line} y2=${at * row + line}></line><text x="0" y=${at * row + name}>${caption(type)}</text>`;
const markView = ({ left, row, line }: Layout, { row: at, column, severity, count }: Mark) =>
  svg`<circle class="mark ${severity}" cx=${left + (column + 0.5) * COLUMN_WIDTH} cy=${at * row + line} r=${(severity === 'info' ? 2.5 : 3.5) + Math.min(3, Math.log10(count))}><title>${count} × ${severity}${count === 1 ? '' : ' at most'}</title></circle>`;

const ends = (
  { left, width }: Layout,
  {
    height,
    first,
    last,
  }: {
    readonly height: number;
    /** Unix milliseconds. */
    readonly first: number;
    readonly last: number;
  },
) =>
  svg`<text x=${left} y=${height - 4}>${timeText(first / 1_000)}</text><text x=${width} y=${height - 4} text-anchor="end">${timeText(last / 1_000)} UTC</text>`;
