// By how much the figures of a list changed in 24 hours and in 7 days, as columns and as text.
import { html, type TemplateResult } from 'lit-html';
import { dayText, fixed, timeText } from './format.ts';
import { from } from './origin.ts';
import type { Column } from './table.ts';

interface FigureChange {
  readonly at: number | null;
  readonly before: number | null;
  readonly change: number | null;
  readonly reason: string | null;
}

/** A row of a list that was requested with `WITH_CHANGES`. */
export interface ComparedRow {
  readonly changes?: Readonly<Record<string, Readonly<Record<`change_${'24h' | '7d'}`, FigureChange>>>>;
}

export const WITH_CHANGES = { include: 'changes' } as const;

export interface ComparedFigure {
  /** As the list names it. */
  readonly figure: string;
  /** The value before. */
  readonly text: (value: number) => string;
  /** The amount of a change, without its sign; default: as the value. */
  readonly changeText?: (amount: number) => string;
  /** Whether the history has one record a day. */
  readonly isDaily?: boolean;
}

/** Of a share or a rate: a change of 1 % of 50 % would be read in two ways. */
export const pointsOfShare = (amount: number): string => `${fixed(amount * 100, 1)} pp`;
export const pointsOfPercent = (amount: number): string => `${fixed(amount, 2)} pp`;

const REASONS: Readonly<Record<string, string>> = {
  value_unknown: 'the figure is not known now',
  not_newer: 'nothing has been observed since',
  held_back: 'the history is held back',
  no_history: 'no history of that time is published',
  no_observation: 'nothing was observed then',
  not_observed: 'the history has a gap there',
  unknown_then: 'the figure was not known then',
};

function signed(change: number, text: (amount: number) => string): string {
  const amount = text(Math.abs(change));
  const isZero = !/[1-9]/.test(amount);
  return isZero ? amount : `${change > 0 ? '+' : '-'}${amount}`;
}

function momentText({ at }: FigureChange, isDaily: boolean | undefined): string {
  if (at === null) return 'Not compared';
  return isDaily === true ? `Compared with ${dayText(at)}` : `Compared with ${timeText(at)} UTC`;
}

/** The change with its sign and unit, or a dash; the title says with what it is compared, or why it is not known. */
function changeView(change: FigureChange | undefined, figure: ComparedFigure): TemplateResult {
  const { text, changeText = text, isDaily } = figure;
  if (change === undefined) return html`<span class="unknown" title="Not compared">–</span>`;
  const { before, reason } = change;
  const moment = momentText(change, isDaily);
  return change.change === null || before === null
    ? html`<span class="unknown" data-from=${from(change, 'change')} title="${moment}: ${REASONS[reason ?? ''] ?? reason}">–</span>`
    : html`<span data-from=${from(change, 'change')} title="${moment}: ${text(before)}">${signed(change.change, changeText)}</span>`;
}

const PERIODS = { change_24h: '24\u00a0h', change_7d: '7\u00a0d' } as const;
type Period = keyof typeof PERIODS;

const changeOf = ({ changes }: ComparedRow, { figure }: ComparedFigure, period: Period) =>
  changes?.[figure]?.[period];

/** The change of a figure in each period. `shown`: the periods whose columns need not be chosen. */
export const changeColumns = <T extends ComparedRow>(
  name: string,
  figure: ComparedFigure,
  shown: readonly Period[] = [],
): readonly Column<T>[] =>
  (Object.keys(PERIODS) as Period[]).map((period) => ({
    name: `${name}, ${PERIODS[period]}`,
    help: `Change in ${PERIODS[period]}`,
    isNumber: true,
    isOptional: !shown.includes(period),
    cell: (row) => changeView(changeOf(row, figure, period), figure),
    value: (row) => changeOf(row, figure, period)?.change,
  }));

/** Both changes of a figure in a line. */
export const changeLine = (row: ComparedRow, figure: ComparedFigure): TemplateResult =>
  html`<span class="changes">${(Object.keys(PERIODS) as Period[]).map((period) => html`<span>${changeView(changeOf(row, figure, period), figure)} <span class="quiet name">in ${PERIODS[period]}</span></span> `)}</span>`;
