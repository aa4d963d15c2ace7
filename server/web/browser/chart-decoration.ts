// What a chart shows besides its lines: hatched gaps, thresholds, and event marks along the time axis.
import type uPlot from 'uplot';
import type { Gap } from './api-shapes.ts';
import type { Decoration } from './chart-scale.ts';
import { labelBoxes } from './label-positions.ts';

type ColourOf = (name: string) => string;

const HATCH_PX = 8;

export function drawRanges(plot: uPlot, { ranges = [] }: Decoration, colourOf: ColourOf): void {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.fillStyle = colourOf('--line-1');
  ctx.globalAlpha = 0.3;
  for (const { from, to, low, high } of ranges) {
    const left = Math.max(bbox.left, plot.valToPos(from, 'x', true));
    const right = Math.min(bbox.left + bbox.width, plot.valToPos(to, 'x', true));
    const top = plot.valToPos(high, 'y', true);
    if (right > left) ctx.fillRect(left, top, right - left, plot.valToPos(low, 'y', true) - top);
  }
  ctx.restore();
}

export function hatchGaps(plot: uPlot, gaps: readonly Gap[], colour: string): void {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.strokeStyle = colour;
  ctx.globalAlpha = 0.35;
  for (const { from, to } of gaps) {
    const left = Math.max(bbox.left, plot.valToPos(from, 'x', true));
    const right = Math.min(bbox.left + bbox.width, plot.valToPos(to, 'x', true));
    if (right > left) hatch(ctx, { left, right, top: bbox.top, bottom: bbox.top + bbox.height });
  }
  ctx.restore();
}

function hatch(
  ctx: CanvasRenderingContext2D,
  {
    left,
    right,
    top,
    bottom,
  }: { readonly left: number; readonly right: number; readonly top: number; readonly bottom: number },
): void {
  ctx.save();
  ctx.beginPath();
  ctx.rect(left, top, right - left, bottom - top);
  ctx.clip();
  ctx.beginPath();
  const height = bottom - top;
  for (let x = left - height; x < right; x += HATCH_PX * devicePixelRatio) {
    ctx.moveTo(x, bottom);
    ctx.lineTo(x + height, top);
  }
  ctx.stroke();
  ctx.restore();
}

export function draw(plot: uPlot, { thresholds = [], events = [] }: Decoration, colourOf: ColourOf): void {
  drawThresholds(plot, thresholds, colourOf);
  drawEvents(plot, events, colourOf);
}

type Thresholds = NonNullable<Decoration['thresholds']>;

const LABEL_PX = 11;

function drawThresholds(plot: uPlot, thresholds: Thresholds, colourOf: ColourOf): void {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.setLineDash([6 * devicePixelRatio, 4 * devicePixelRatio]);
  ctx.strokeStyle = colourOf('--severe');
  for (const { value } of thresholds) {
    const y = plot.valToPos(value, 'y', true);
    ctx.beginPath();
    ctx.moveTo(bbox.left, y);
    ctx.lineTo(bbox.left + bbox.width, y);
    ctx.stroke();
  }
  writeLabels(plot, thresholds, colourOf);
  ctx.restore();
}

/** On the ground, so that the line of the data does not cross them out. */
function writeLabels(plot: uPlot, thresholds: Thresholds, colourOf: ColourOf): void {
  const { ctx, bbox } = plot;
  ctx.font = `${LABEL_PX * devicePixelRatio}px system-ui`;
  ctx.textAlign = 'left';
  ctx.textBaseline = 'middle';
  const labelled = thresholds.filter(({ label }) => label !== '');
  const labels = labelled.map(({ value, label }) => ({
    y: plot.valToPos(value, 'y', true),
    width: ctx.measureText(label).width,
  }));
  const bounds = {
    left: bbox.left,
    right: bbox.left + bbox.width,
    top: bbox.top,
    bottom: bbox.top + bbox.height,
  };
  const layout = { bounds, height: (LABEL_PX + 3) * devicePixelRatio, gap: 2 * devicePixelRatio };
  for (const { index, left, right, top, bottom } of labelBoxes(labels, layout)) {
    ctx.globalAlpha = 0.8;
    ctx.fillStyle = colourOf('--ground');
    ctx.fillRect(left, top, right - left, bottom - top);
    ctx.globalAlpha = 1;
    ctx.fillStyle = colourOf('--quiet');
    ctx.fillText(labelled[index]?.label ?? '', left, (top + bottom) / 2);
  }
}

function drawEvents(plot: uPlot, events: NonNullable<Decoration['events']>, colourOf: ColourOf): void {
  const { ctx, bbox } = plot;
  ctx.save();
  for (const { t, severity } of events) {
    ctx.fillStyle = colourOf(severity === 'info' ? '--quiet' : '--severe');
    const x = plot.valToPos(t, 'x', true);
    if (x < bbox.left || x > bbox.left + bbox.width) continue;
    const size = 5 * devicePixelRatio;
    const y = bbox.top + size;
    ctx.beginPath();
    ctx.moveTo(x, y + size);
    ctx.lineTo(x - size, y - size);
    ctx.lineTo(x + size, y - size);
    ctx.fill();
  }
  ctx.restore();
}

/** The range of a point and the events near it, in words. */
export function marks({ events = [], ranges = [] }: Decoration, t: number): string {
  const range = ranges.find(({ from }) => from === t);
  const near = events.filter((event) => Math.abs(event.t - t) < 1_800);
  return [...(range === undefined ? [] : [range.label]), ...near.map(({ label }) => label)]
    .map((text) => `; ${text}`)
    .join('');
}
