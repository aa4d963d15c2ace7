// Panels of time series in the form that all history endpoints share: a chart with its named gaps, and its points as a table.
import { html, nothing, type TemplateResult } from 'lit-html';
import type { Meta } from './api.ts';
import { expectChart, type Line, PALETTE_SIZE, timeChart } from './chart.ts';
import type { Gap, Series } from './api-shapes.ts';
import { countOf } from './figures.ts';
import { boundsOf, type Decoration, type Range } from './chart-scale.ts';
import { DAY_S, HOUR_S, inFull, isKnown, plainText, timeText, UNKNOWN, withUnit, caption } from './format.ts';
import { from, lengthOf } from './origin.ts';
import { type Panel, panel } from './panel.ts';
import { setParams } from './state.ts';

interface SeriesPanel {
  readonly id: string;
  readonly title: string;
  readonly address: () => string | undefined;
  /** Columns to draw, in order. Columns that the series does not have are left out. */
  readonly columns: readonly string[];
  /** Columns drawn as thin lines, such as limits. */
  readonly quiet?: readonly string[];
  /** Those of `columns` that are parts of the first one. */
  readonly dashed?: readonly string[];
  readonly unit: string;
  /** What the values count, if their unit is only `number`; if omitted, the unit that the service publishes. */
  readonly axis?: () => string | undefined;
  readonly digits?: number;
  /** Whether each value holds until the next one. */
  readonly isStepped?: boolean;
  readonly decoration?: (series: Series) => Decoration;
  readonly note?: unknown;
}

/** Seconds that one point summarizes. */
const STEPS: Readonly<Record<string, number>> = { '1h': HOUR_S, '1d': DAY_S };

export function seriesPanel(spec: SeriesPanel): Panel {
  const { id, title, address, note } = spec;
  return panel<Series>({
    id,
    title,
    address,
    isWide: true,
    note,
    expect: expectChart,
    view: (series, meta) => view(spec, series, meta),
    draw: (element, series, meta) => {
      const location = element.querySelector<HTMLElement>('.chart');
      if (location !== null) drawIn(location, spec, series, meta);
    },
    table: (series, meta) => tableOf(series, meta),
  });
}

const drawn = ({ columns, quiet = [] }: SeriesPanel, series: Series): string[] =>
  [...columns, ...quiet].filter((name) => series.columns[name]?.some((value) => typeof value === 'number'));

/** The day of the last point, if it is not over. */
const partialDayOf = ({ partial_day }: Meta): string | undefined =>
  typeof partial_day === 'string' ? partial_day : undefined;

function view(spec: SeriesPanel, series: Series, meta: Meta): TemplateResult {
  const names = drawn(spec, series);
  if (series.t.length === 0)
    return html`<p class="empty">No points in this range.</p>${gapList(series.gaps)}`;
  if (names.length === 0)
    return html`<p class="empty">No value is known in this range.</p>${gapList(series.gaps)}`;
  return html`${axisUnit(spec, names, meta)}<div class="chart"></div><ul class="legend">${names.map(
    (name, index) =>
      html`<li class=${spec.quiet?.includes(name) ? 'line-quiet' : `line-${index % PALETTE_SIZE}${spec.dashed?.includes(name) ? ' line-dashed' : ''}`}>${caption(name)}</li>`,
  )}${rangesOf(spec, series).length === 0 ? nothing : html`<li class="line-range">${caption(names[0])}, lowest to highest</li>`}${(spec.decoration?.(series).thresholds ?? []).map(({ label }) => (label === '' ? nothing : html`<li class="line-limit" data-derived>${label}</li>`))}</ul>${partialNote(meta)}${series.is_thinned ? html`<p class="note">Thinned; lowest and highest values are kept.</p>` : nothing}${gapList(series.gaps)}`;
}

type Units = Readonly<Record<string, { readonly unit?: string | null }>> | undefined;

/** The unit of an axis whose labels are bare numbers. */
function axisUnit({ axis, unit }: SeriesPanel, [name = '']: readonly string[], { columns }: Meta) {
  if (unit !== 'number') return nothing;
  const text = axis?.() ?? (columns as Units)?.[name]?.unit;
  return isKnown(text) ? html`<p class="chart-unit" data-derived>${text}</p>` : nothing;
}

const partialNote = (meta: Meta): TemplateResult | typeof nothing => {
  const day = partialDayOf(meta);
  return day === undefined
    ? nothing
    : html`<p class="note">Dashed: <span data-derived>${day}</span>, which is not over; its figures are those so far.</p>`;
};

const gapList = (gaps: readonly Gap[]): TemplateResult | typeof nothing =>
  gaps.length === 0
    ? nothing
    : html`<details><summary class="quiet">${countOf(gaps.length, lengthOf(gaps))} ${gaps.length === 1 ? 'gap' : 'gaps'}</summary><ul class="quiet">${gaps
        .slice(0, 50)
        .map(
          (gap) =>
            html`<li><span data-from=${from(gap, 'from')}>${timeText(gap.from)}</span> to <span data-from=${from(gap, 'to')}>${timeText(gap.to)} UTC</span>: ${caption(gap.reason)}</li>`,
        )}</ul></details>`;

/** Ranges of the first column, where the values that a point summarizes differ. */
function rangesOf(
  { columns: [name = ''], unit, digits }: SeriesPanel,
  { t, columns, resolution }: Series,
): Range[] {
  const seconds = STEPS[resolution];
  const [lowest, highest] = [columns[`${name}_min`], columns[`${name}_max`]];
  if (seconds === undefined || lowest === undefined || highest === undefined) return [];
  return t.flatMap((start, index) => {
    const [low, high] = [lowest[index], highest[index]];
    if (typeof low !== 'number' || typeof high !== 'number' || low === high) return [];
    const label = `${withUnit(low, unit, digits)} to ${withUnit(high, unit, digits)}`;
    return [{ from: start, to: start + seconds, low, high, label }];
  });
}

function drawIn(container: HTMLElement, spec: SeriesPanel, series: Series, meta: Meta): void {
  const lines = drawn(spec, series).map(
    (name): Line => ({
      label: caption(name),
      values: (series.columns[name] ?? []).map((value) => (typeof value === 'number' ? value : null)),
      text: (value) => (isKnown(value) ? inFull(value, withUnit(value, spec.unit, spec.digits)) : UNKNOWN),
      isStepped: spec.isStepped ?? false,
      isQuiet: spec.quiet?.includes(name) ?? false,
      isDashed: spec.dashed?.includes(name) ?? false,
    }),
  );
  timeChart(container, {
    label: spec.title,
    t: series.t,
    lines,
    gaps: series.gaps,
    axis: (value) => withUnit(value, spec.unit, spec.digits),
    ...(typeof meta['to'] === 'number' && { until: meta['to'] }),
    partialDay: partialDayOf(meta),
    decoration: { ...spec.decoration?.(series), ranges: rangesOf(spec, series) },
    bounds: boundsOf(spec.unit),
  });
}

function tableOf({ t, columns }: Series, meta: Meta) {
  const units = meta['columns'] as Units;
  const names = Object.keys(columns);
  return {
    rows: t.map((_, index) => index),
    columns: [
      {
        name: 'Time, UTC',
        cell: (index: number) => timeText(t[index]),
        value: (index: number) => t[index],
        from: (index: number) => from(t, index),
      },
      ...names.map((name) => ({
        name: caption(name) + (isKnown(units?.[name]?.unit) ? `, ${units?.[name]?.unit}` : ''),
        isNumber: true,
        cell: (index: number) => plainText(columns[name]?.[index]),
        value: (index: number) => columns[name]?.[index],
        from: (index: number) => from(columns[name], index),
      })),
    ],
  };
}

const RANGES: readonly (readonly [label: string, resolution: string])[] = [
  ['1 day', 'raw'],
  ['7 days', '1h'],
  ['90 days', '1d'],
];

/** Selects range and resolution of the charts on the page, in the URL, among those that the series have. */
export const rangeChoice = (
  chosen: string,
  offered: readonly string[] = RANGES.map(([, resolution]) => resolution),
): TemplateResult =>
  html`<span role="group" aria-label="Range">${RANGES.filter(([, resolution]) =>
    offered.includes(resolution),
  ).map(
    ([text, resolution]) =>
      html`<button type="button" aria-pressed=${resolution === chosen} @click=${() => setParams({ resolution })}>${text}</button> `,
  )}</span>`;
