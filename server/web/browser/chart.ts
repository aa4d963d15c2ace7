// Time series as a picture, with what is needed to read it without seeing it: a cursor that arrow keys move and that is announced in words,
// and the same numbers as a table in the panel. Stretches without data are hatched and named; no line crosses them.
import type uPlot from 'uplot';
import type { Gap } from './api-shapes.ts';
import { draw, drawRanges, hatchGaps, marks } from './chart-decoration.ts';
import { type Decoration, rangeOf, spanOf } from './chart-scale.ts';
import { isKnown, quantity, timeText, UNKNOWN, caption } from './format.ts';
import { loadPlotting, type Plotting, plotting } from './plotting.ts';

/** Starts the download of the library before there is anything to draw, for a page that will show a chart. */
export function expectChart(): void {
  void loadPlotting().catch(() => undefined);
}

export interface Line {
  readonly label: string;
  readonly values: readonly (number | null)[];
  readonly text: (value: number | null) => string;
  readonly isStepped?: boolean;
  /** Index in the palette. */
  readonly colour?: number;
  readonly isQuiet?: boolean;
  /** Whether the line is a part of another line. */
  readonly isDashed?: boolean;
}

export interface TimeChart {
  readonly label: string;
  /** Unix seconds, ascending. */
  readonly t: readonly number[];
  readonly lines: readonly Line[];
  readonly gaps?: readonly Gap[];
  /** Until when the last values of stepped lines hold, unless a gap names the time. */
  readonly until?: number;
  readonly decoration?: Decoration;
  /** Of the values: the axis does not reach beyond them, unless a value does. */
  readonly bounds?: readonly [number, number];
  readonly axis: (value: number) => string;
  /** The day of the last point, if it is not over: its part of each line is dashed. */
  readonly partialDay?: string | undefined;
  readonly height?: number;
}

/** `--line-1` and so on. */
export const PALETTE_SIZE = 7;
const HEIGHT = 220;
const AXIS_FONT_PX = 12;
/** Ticks of the axis and the space around its labels. */
const AXIS_MARGIN_PX = 20;
/** Charts of one page start at the same position unless their labels are long. */
const MIN_AXIS_PX = 72;
/** The time axis: its ticks and one line of labels. */
const TIME_AXIS_PX = 30;
const DASH = [3, 3];
/** Half the width of a day label, under the last tick. */
const END_LABEL_PX = 34;
const charts = new WeakMap<Element, { readonly plot: uPlot; readonly stop: () => void }>();

const colourOf = (name: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** What each element should show. A chart that waits for the library yields to a later one. */
const wanted = new WeakMap<Element, TimeChart>();

/** Draws into an element, replacing what was drawn there before. */
export function timeChart(element: HTMLElement, chart: TimeChart): void {
  wanted.set(element, chart);
  const uPlot = plotting();
  if (uPlot === undefined) void drawLater(element, chart);
  else drawChart(element, chart, uPlot);
}

async function drawLater(element: HTMLElement, chart: TimeChart): Promise<void> {
  try {
    const uPlot = await loadPlotting();
    if (wanted.get(element) === chart) drawChart(element, chart, uPlot);
  } catch (error) {
    reportError(error);
    element.textContent = 'The chart could not be drawn; the table has its numbers.';
  }
}

function drawChart(element: HTMLElement, chart: TimeChart, uPlot: Plotting): void {
  charts.get(element)?.stop();
  const { t, values, gaps } = withGaps(chart);
  const cursor = document.createElement('output');
  cursor.className = 'chart-cursor';
  const frame = document.createElement('div');
  frame.className = 'chart-frame';
  element.replaceChildren(frame, cursor);
  let plot = plotOf(frame, { chart, t, values, gaps }, uPlot);
  const fit = new ResizeObserver(() => plot.setSize({ width: frame.clientWidth, height: plot.height }));
  const scheme = matchMedia('(prefers-color-scheme: dark)');
  const again = () => {
    plot.destroy();
    plot = plotOf(frame, { chart, t, values, gaps }, uPlot);
  };
  fit.observe(frame);
  scheme.addEventListener('change', again);
  const reader = readByKeys(element, { chart, t, values, gaps, cursor, plotNow: () => plot });
  charts.set(element, {
    plot,
    stop() {
      fit.disconnect();
      scheme.removeEventListener('change', again);
      reader.abort();
      plot.destroy();
    },
  });
}

interface Drawn {
  readonly chart: TimeChart;
  readonly t: readonly number[];
  readonly values: readonly (readonly (number | null)[])[];
  readonly gaps: readonly Gap[];
}

/** Adds points without values inside gaps, so that no line crosses them. A stepped line holds its value until the gap starts. */
function withGaps({ t, lines: given, gaps: all = [], until = Infinity }: TimeChart): Omit<Drawn, 'chart'> {
  const gaps = all
    .map((gap) => ({ ...gap, to: Math.min(gap.to, until) }))
    .toSorted((a, b) => a.from - b.from);
  const ends = given.some(({ isStepped }) => isStepped) ? heldEnds(t, gaps, until) : [];
  const cuts = gaps.map(({ from, to }) => ({ at: (from + to) / 2, index: -1 }));
  const order = [...t.map((at, index) => ({ at, index })), ...ends, ...cuts].toSorted((a, b) => a.at - b.at);
  return {
    t: order.map(({ at }) => at),
    values: given.map(({ values }) => order.map(({ index }) => values[index] ?? null)),
    gaps,
  };
}

/** Where a held value ends: at the start of a gap, and at the end of the picture. */
function heldEnds(t: readonly number[], gaps: readonly Gap[], until: number) {
  const isOpenEnd = Number.isFinite(until) && !gaps.some(({ from, to }) => from < until && to >= until);
  return [...gaps.map(({ from }) => from), ...(isOpenEnd ? [until] : [])].flatMap((at) => {
    const index = t.findLastIndex((time) => time <= at);
    return index === -1 || t[index] === at ? [] : [{ at, index }];
  });
}

function plotOf(frame: HTMLElement, { chart, t, values, gaps }: Drawn, uPlot: Plotting): uPlot {
  const quiet = colourOf('--quiet');
  const grid = { stroke: colourOf('--line'), width: 1 };
  const axes = { stroke: quiet, grid, ticks: grid, font: `${AXIS_FONT_PX}px system-ui` };
  const options: uPlot.Options = {
    width: Math.max(200, frame.clientWidth),
    height: chart.height ?? HEIGHT,
    legend: { show: false },
    padding: [null, END_LABEL_PX, null, null],
    cursor: { drag: { x: true, y: false }, points: { size: 6 } },
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1_000), 'UTC'),
    scales: {
      x: { range: (_, from, to) => spanOf(from, to, t) },
      y: { range: (_, low, high) => rangeOf(low, high, chart.decoration, chart.bounds) },
    },
    series: [{}, ...chart.lines.flatMap((line, index) => partsOf(line, index, chart, uPlot))],
    axes: [
      {
        ...axes,
        size: TIME_AXIS_PX,
        space: 80,
        values: (_, splits) => splits.map((split, index) => timeLabel(split, splits[index - 1])),
      },
      { ...axes, size: roomFor, values: (_, splits) => splits.map((split) => chart.axis(split)) },
    ],
    hooks: {
      drawClear: [(u) => hatchGaps(u, gaps, quiet), (u) => drawRanges(u, chart.decoration ?? {}, colourOf)],
      draw: [(u) => draw(u, chart.decoration ?? {}, colourOf)],
    },
  };
  const drawn = chart.partialDay === undefined ? values : values.flatMap(splitAtLast);
  return new uPlot(options, [[...t], ...drawn.map((one) => [...one])] as uPlot.AlignedData, frame);
}

/** A line, and its dashed part up to today so far, if there is one. */
function partsOf(line: Line, index: number, { partialDay }: TimeChart, uPlot: Plotting): uPlot.Series[] {
  const whole = seriesOf(line, index, uPlot);
  return partialDay === undefined ? [whole] : [whole, { ...whole, dash: DASH }];
}

/** All values but the last known one, and only the last two. */
function splitAtLast(values: readonly (number | null)[]): readonly (readonly (number | null)[])[] {
  const last = values.findLastIndex(isKnown);
  return [
    values.map((value, index) => (index === last ? null : value)),
    values.map((value, index) => (index >= last - 1 ? value : null)),
  ];
}

/** The day where it starts or changes, otherwise the time: 24 hours, UTC. */
function timeLabel(at: number, before: number | undefined): string {
  const [day = '', time = ''] = timeText(at).split(' ');
  return before === undefined || timeText(before).slice(0, 10) !== day ? day : time;
}

/** As wide as the longest label. */
function roomFor(plot: uPlot, labels: readonly string[] | null): number {
  plot.ctx.font = `${AXIS_FONT_PX * devicePixelRatio}px system-ui`;
  const widths = (labels ?? []).map((label) => plot.ctx.measureText(label).width / devicePixelRatio);
  return Math.max(MIN_AXIS_PX, AXIS_MARGIN_PX + Math.ceil(Math.max(0, ...widths)));
}

function seriesOf(line: Line, index: number, uPlot: Plotting): uPlot.Series {
  const { label, isStepped, isQuiet, isDashed, colour = index % PALETTE_SIZE } = line;
  const isThin = isQuiet === true || isDashed === true;
  const stepped = isStepped ? uPlot.paths.stepped?.({ align: 1 }) : undefined;
  return {
    label,
    stroke: colourOf(isQuiet ? '--quiet' : `--line-${colour + 1}`),
    width: isThin ? 1 : 2,
    spanGaps: false,
    points: { size: 4 },
    ...(stepped !== undefined && { paths: stepped }),
    ...(isThin && { dash: DASH }),
  };
}

interface Reading extends Drawn {
  readonly cursor: HTMLOutputElement;
  readonly plotNow: () => uPlot;
}

/** Arrow keys, Home and End move the cursor from point to point and announce the point. */
function readByKeys(element: HTMLElement, reading: Reading): AbortController {
  const { chart, t, values, cursor, plotNow } = reading;
  const control = new AbortController();
  let index = t.length;
  element.tabIndex = 0;
  element.setAttribute('role', 'application');
  element.setAttribute('aria-roledescription', 'chart');
  element.setAttribute('aria-label', `${chart.label}. ${summaryOf(reading)} Arrow keys read the points.`);
  const moves: Readonly<Record<string, () => number>> = {
    ArrowLeft: () => index - 1,
    ArrowRight: () => index + 1,
    Home: () => 0,
    End: () => t.length - 1,
  };
  const onKey = (event: KeyboardEvent) => {
    const move = moves[event.key];
    if (move === undefined || t.length === 0) return;
    event.preventDefault();
    index = Math.max(0, Math.min(t.length - 1, move()));
    cursor.textContent = pointText(reading, index);
    const plot = plotNow();
    plot.setCursor({ left: plot.valToPos(t[index] ?? 0, 'x'), top: plot.bbox.height / 2 / devicePixelRatio });
  };
  // The newest value is there to read before anything points at another one.
  const newest = t.findLastIndex((_, at) => values.some((line) => isKnown(line[at])));
  if (newest !== -1) cursor.textContent = pointText(reading, newest);
  element.addEventListener('keydown', onKey, { signal: control.signal });
  element.addEventListener(
    'pointermove',
    () => {
      const { idx } = plotNow().cursor;
      if (isKnown(idx)) cursor.textContent = pointText(reading, idx);
    },
    { signal: control.signal },
  );
  return control;
}

function pointText({ chart, t, values, gaps }: Reading, index: number): string {
  const at = t[index] ?? 0;
  const isEmpty = values.every((line) => !isKnown(line[index]));
  const gap = gaps.find(({ from, to }) => at > from && at < to);
  if (isEmpty && gap !== undefined)
    return `Gap: ${caption(gap.reason)}, ${timeText(gap.from)} to ${timeText(gap.to)} UTC`;
  const parts = chart.lines.map(({ label, text }, line) => {
    const value = values[line]?.[index];
    return `${label.replace(/, (?:USD|bps)$/, '')} ${isKnown(value) ? text(value) : UNKNOWN}`;
  });
  const soFar = chart.partialDay === timeText(at).slice(0, 10) ? '; this day is not over' : '';
  return `${timeText(at)} UTC: ${parts.join(', ')}${marks(chart.decoration ?? {}, at)}${soFar}`;
}

function summaryOf({ chart, gaps }: Drawn): string {
  const { t } = chart;
  if (t.length === 0) return 'No points.';
  const missing = gaps.length === 0 ? '' : `, ${quantity(gaps.length, 'gap', 'gaps')}`;
  return `${quantity(t.length, 'point', 'points')} from ${timeText(t[0])} to ${timeText(t.at(-1))} UTC${missing}.`;
}
