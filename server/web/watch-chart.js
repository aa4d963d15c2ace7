// Draws a depeg: the daily deviation of the price from its reference, the band that it left, and the duration.
import { element, shortTime, svg } from '/watch/elements.js';

const SIZE = { height: 260, left: 48, right: 12, top: 14, bottom: 30 };
const [MIN_WIDTH, MAX_WIDTH] = [320, 1_000];
const DAY_MS = 86_400_000;
const DAY_LABEL_WIDTH = 70;
/** Minimum height of the axis, basis points. */
const MIN_BPS = 20;

/**
 * `start` and `end` are events, `end` undefined while it lasts; `days` are the daily rows of the observed pair, empty when unknown;
 * `nowMs` the time of the data; `room` the available pixels.
 */
export function depegFigure({ start, end, days, nowMs, room }) {
  const { data, subject_id: subject, ts } = start;
  const reference = Number(data.reference_price);
  const ranges = days.flatMap((day) => rangeOf(day, reference, nowMs));
  const points = [start, ...(end ? [end] : [])].map((event) => ({
    atMs: event.data.block_timestamp * 1_000,
    bps: event.data.deviation_bps,
  }));
  const width = Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, room));
  const scale = scaleOf({ ranges, points, band: data.effective_enter_bps, nowMs, width });
  const words = `${subject.split(':').at(-1)} left its band at ${shortTime(ts)} UTC with ${data.deviation_bps} bps, ${
    end ? `and was back at ${shortTime(end.ts)}` : 'and is not back yet'
  }.`;
  return element(
    'figure',
    {},
    element(
      'div',
      { class: 'chart' },
      svg(
        'svg',
        { viewBox: `0 0 ${width} ${SIZE.height}`, role: 'img', 'aria-label': words },
        ...spanOf(points[0].atMs, points[1]?.atMs ?? nowMs, scale),
        ...axes(scale),
        ...bandLines(data.effective_enter_bps, scale),
        ...ranges.map((range) => rangeBar(range, scale)),
        ...points.map((point) => dot(point, scale)),
      ),
    ),
    element('figcaption', {}, words, ' ', legend(data, ranges.length > 0)),
  );
}

const legend = ({ observed_feed: pair, effective_enter_bps: enter, reference_price: reference }, hasDays) =>
  element(
    'span',
    { class: 'type' },
    `${pair} against ${reference}, basis points. ${hasDays ? 'Bars: lowest to highest of a day. ' : ''}Dashed: ${enter} bps, the depeg threshold. Dots: events.`,
  );

const bpsOf = (price, reference) => (price / reference - 1) * 10_000;

function rangeOf({ timestamp, price: { min, max, last } }, reference, nowMs) {
  if (min === null || max === null) return [];
  const fromMs = Date.parse(timestamp);
  const toMs = Math.min(fromMs + DAY_MS, nowMs);
  return [
    { fromMs, toMs, low: bpsOf(min, reference), high: bpsOf(max, reference), last: bpsOf(last, reference) },
  ];
}

function scaleOf({ ranges, points, band, nowMs, width }) {
  const first = Math.min(...points.map(({ atMs }) => atMs), ...ranges.map(({ fromMs }) => fromMs));
  const lastPoint = Math.max(...points.map(({ atMs }) => atMs));
  const fromMs = Math.min(first, lastPoint - DAY_MS / 4);
  const toMs = ranges.length > 0 ? nowMs : Math.min(nowMs, lastPoint + DAY_MS / 4);
  const values = [
    ...points.map(({ bps }) => bps),
    ...ranges.flatMap(({ low, high }) => [low, high]),
    band,
    -band,
  ];
  const most = Math.max(MIN_BPS, ...values.map(Math.abs)) * 1.1;
  const { height, left, right, top, bottom } = SIZE;
  return {
    fromMs,
    toMs: Math.max(toMs, fromMs + 1),
    most,
    end: width - right,
    x: (ms) => left + ((ms - fromMs) / Math.max(1, toMs - fromMs)) * (width - left - right),
    y: (bps) => top + ((most - bps) / (2 * most)) * (height - top - bottom),
  };
}

function axes({ fromMs, toMs, most, end, x, y }) {
  const step = niceStep(most);
  const marks = [];
  for (let bps = -Math.floor(most / step) * step; bps <= most; bps += step) marks.push(bps);
  const spanDays = (toMs - fromMs) / DAY_MS;
  const every = Math.max(1, Math.ceil((spanDays * DAY_LABEL_WIDTH) / (end - SIZE.left))) * DAY_MS;
  const days = [];
  for (let ms = Math.ceil(fromMs / DAY_MS) * DAY_MS; ms <= toMs; ms += every) days.push(ms);
  return [
    ...marks.map((bps) =>
      svg('line', {
        class: bps === 0 ? 'zero' : 'grid',
        x1: SIZE.left,
        x2: end,
        y1: y(bps),
        y2: y(bps),
      }),
    ),
    ...marks.map((bps) => label(SIZE.left - 6, y(bps) + 4, 'end', String(bps))),
    label(SIZE.left - 6, SIZE.top - 3, 'end', 'bps'),
    ...days.map((ms) => label(x(ms), SIZE.height - 8, 'middle', new Date(ms).toISOString().slice(5, 10))),
  ];
}

const label = (x, y, anchor, text) => svg('text', { x, y, 'text-anchor': anchor }, text);

function niceStep(most) {
  const rough = most / 2;
  const power = 10 ** Math.floor(Math.log10(rough));
  return [1, 2, 5].map((digit) => digit * power).findLast((step) => step <= rough) ?? power;
}

const bandLines = (band, { end, y }) =>
  [band, -band].map((bps) => svg('line', { class: 'band', x1: SIZE.left, x2: end, y1: y(bps), y2: y(bps) }));

function spanOf(fromMs, toMs, { fromMs: first, x }) {
  const from = x(Math.max(fromMs, first));
  const width = Math.max(2, x(toMs) - from);
  return [
    svg('rect', { class: 'span', x: from, width, y: SIZE.top, height: SIZE.height - SIZE.top - SIZE.bottom }),
  ];
}

function rangeBar({ fromMs, toMs, low, high, last }, { x, y }) {
  const [left, right] = [x(fromMs), x(toMs)];
  const height = Math.max(2, y(low) - y(high));
  const title = `${new Date(fromMs).toISOString().slice(0, 10)}: ${Math.round(low)} to ${Math.round(high)} bps, last ${Math.round(last)}`;
  const width = Math.max(2, (right - left) * 0.7);
  return svg(
    'rect',
    { class: 'range', x: (left + right - width) / 2, y: y(high), width, height },
    svg('title', {}, title),
  );
}

const dot = ({ atMs, bps }, { x, y }) => svg('circle', { class: 'dot', cx: x(atMs), cy: y(bps), r: 4 });
