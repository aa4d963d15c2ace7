// A panel of figures for a week of complete days of one dataset.
import { html, type TemplateResult } from 'lit-html';
import { target } from './api.ts';
import { type Figure, figures } from './figures.ts';
import { dayText, msOf } from './format.ts';
import { from } from './origin.ts';
import { panel } from './panel.ts';
import { sparkline } from './shapes.ts';
import { link } from './state.ts';

type Day = Readonly<Record<string, unknown>> & {
  readonly network: string;
  readonly timestamp: string | number;
};
type ShownFigure = readonly [
  name: string,
  heading: string,
  text: (value: number | null | undefined) => string,
];

const figureOf = (row: Day, path: string): number | null | undefined => {
  const value = path
    .split('.')
    .reduce<unknown>(
      (at, name) =>
        typeof at === 'object' && at !== null ? (at as Record<string, unknown>)[name] : undefined,
      row,
    );
  return typeof value === 'string' ? Number(value) : (value as number | null | undefined);
};

function weekView(rows: readonly Day[], partial: unknown, shown: readonly ShownFigure[]): TemplateResult {
  const days = rows
    .toSorted((a, b) => msOf(a.timestamp) - msOf(b.timestamp))
    .filter(({ timestamp }) => dayText(timestamp) !== partial);
  const last = days.at(-1);
  if (last === undefined) return html`<p class="empty">No complete days.</p>`;
  const all = shown.map(
    ([path, heading, text]): Figure => ({
      name: heading,
      text: text(figureOf(last, path)),
      from: from(last, path),
      more: sparkline(
        days.map((day) => figureOf(day, path) ?? null),
        {
          label: `${heading} on ${days.length} days`,
          names: days.map(({ timestamp }) => dayText(timestamp)),
          textOf: text,
        },
      ),
    }),
  );
  return html`<p class="note"><a href=${link('/networks', { network: last.network })}>${last.network}</a>, <span data-from=${from(last, 'timestamp')}>${dayText(last.timestamp)}</span>; the lines show <span data-derived>${days.length}</span> complete days</p>${figures(all)}`;
}

/** The latest complete day of each figure, with a line over the preceding days. */
export function weekPanel(
  {
    id,
    title,
    dataset,
    isWide = false,
  }: { readonly id: string; readonly title: string; readonly dataset: string; readonly isWide?: boolean },
  shown: readonly ShownFigure[],
) {
  return panel<readonly Day[]>({
    id,
    title,
    isWide,
    address: () => target(`/v2/datasets/${dataset}`),
    view: (rows, meta) => weekView(rows, meta['partial_day'], shown),
    table: (rows) => ({
      rows: rows.toSorted((a, b) => msOf(b.timestamp) - msOf(a.timestamp)),
      columns: [
        {
          name: 'Day',
          cell: (row: Day) => dayText(row.timestamp),
          value: (row: Day) => msOf(row.timestamp),
          from: (row: Day) => from(row, 'timestamp'),
        },
        ...shown.map(([path, name]) => ({
          name,
          isNumber: true,
          cell: (row: Day) => figureOf(row, path),
          value: (row: Day) => figureOf(row, path),
          from: (row: Day) => from(row, path),
        })),
      ],
    }),
  });
}
