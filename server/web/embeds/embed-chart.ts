// The chart of an embedded page: one line as a picture without a script. It is broken where a value is missing, gaps are shaded, and limits
// are dashed.
import type { SeriesGap } from '../../../schemas/series.ts';
import { moment } from '../../replies/story/story-text.ts';
import { type Html, html } from '../html.ts';

export interface EmbedLine {
  /** Unix seconds, ascending. */
  readonly t: readonly number[];
  /** Null: not known. */
  readonly values: readonly (number | null)[];
  readonly gaps: readonly SeriesGap[];
  readonly from: number;
  readonly to: number;
  /** Values at which something begins, such as a depeg. */
  readonly limits: readonly number[];
  /** A value as text, with its unit. */
  readonly text: (value: number) => string;
}

const WIDTH = 600;
const HEIGHT = 180;
/** Room for the labels: left, above and below the line. */
const LEFT = 70;
const TOP = 10;
const BOTTOM = 22;

interface Scale {
  readonly x: (second: number) => number;
  readonly y: (value: number) => number;
  readonly min: number;
  readonly max: number;
}

/** Undefined if no value is known. */
export function embedChart(line: EmbedLine): Html | undefined {
  const known = line.values.filter((value) => value !== null);
  if (known.length === 0) return undefined;
  const scale = scaleOf(line, known);
  const { x, y, min, max } = scale;
  const [lowest, highest, last] = [Math.min(...known), Math.max(...known), known.at(-1) ?? 0].map(line.text);
  return html`<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="From ${moment(line.from)} to ${moment(line.to)}: between ${lowest} and ${highest}, last ${last}">
${line.gaps.map(({ from, to, reason }) => gapOf(scale, { from: Math.max(from, line.from), to: Math.min(to, line.to), reason }))}
${line.limits.map((limit) => html`<line class="limit" x1="${LEFT}" x2="${WIDTH}" y1="${y(limit)}" y2="${y(limit)}"/>`)}
<path class="line" d="${pathOf(line, scale)}"/>
<text x="${LEFT - 6}" y="${y(max) + 4}" text-anchor="end">${line.text(max)}</text>
<text x="${LEFT - 6}" y="${y(min) + 4}" text-anchor="end">${line.text(min)}</text>
<text x="${x(line.from)}" y="${HEIGHT - 6}">${moment(line.from).slice(0, 10)}</text>
<text x="${WIDTH}" y="${HEIGHT - 6}" text-anchor="end">${moment(line.to)}</text>
</svg>`;
}

/** The limits are always in view. A line that does not move is in the middle. */
function scaleOf({ from, to, limits }: EmbedLine, known: readonly number[]): Scale {
  const low = Math.min(...known, ...limits);
  const high = Math.max(...known, ...limits);
  const room = high === low ? Math.abs(high) * 0.01 || 1 : 0;
  const [min, max] = [low - room, high + room];
  const x = (second: number) => rounded(LEFT + ((second - from) / Math.max(1, to - from)) * (WIDTH - LEFT));
  const y = (value: number) => rounded(TOP + ((max - value) / (max - min)) * (HEIGHT - TOP - BOTTOM));
  return { x, y, min, max };
}

const rounded = (value: number): number => Math.round(value * 10) / 10;

const gapOf = ({ x }: Scale, { from, to, reason }: SeriesGap): Html =>
  html`<rect class="gap" x="${x(from)}" y="${TOP}" width="${Math.max(1, rounded(x(to) - x(from)))}" height="${HEIGHT - TOP - BOTTOM}"><title>${reason.replaceAll('_', ' ')}: ${moment(from)} to ${moment(to)}</title></rect>`;

/** A point without neighbours is a dot. */
function pathOf({ t, values, gaps }: EmbedLine, { x, y }: Scale): string {
  const parts: string[] = [];
  let before: number | undefined;
  for (const [index, second] of t.entries()) {
    const value = values[index] ?? null;
    if (value === null) {
      before = undefined;
      continue;
    }
    const start = before;
    // Points may be a day apart: whatever is missing between them is a gap.
    const isJoined = start !== undefined && !gaps.some(({ from, to }) => from < second && to > start);
    parts.push(isJoined ? `L${x(second)} ${y(value)}` : `M${x(second)} ${y(value)}h.1`);
    before = second;
  }
  return parts.join('');
}
