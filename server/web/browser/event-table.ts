// Events as a table: when, how severe, what, about which subject, and the most informative figure.
import { html } from 'lit-html';
import type { RiskEvent } from './api-shapes.ts';
import { columnsOf } from './columns.ts';
import { newestFirst, titleOf } from './event-groups.ts';
import { gistOf, gistView, subjectOf } from './event-row.ts';
import { badge, timeText } from './format.ts';
import { from } from './origin.ts';
import type { TableOf } from './panel.ts';

const column = columnsOf<RiskEvent>();

export const eventTable = (all: readonly RiskEvent[]): TableOf<RiskEvent> => ({
  rows: newestFirst(all),
  columns: [
    column.text('Time, UTC', 'ts', timeText),
    column.text('Severity', 'severity', badge),
    {
      name: 'Type',
      cell: titleOf,
      value: titleOf,
      from: (row) => from(row, 'type'),
    },
    {
      name: 'Subject',
      cell: (row) => html`<span class="name">${subjectOf(row)}</span>`,
      value: (row) => subjectOf(row),
    },
    { name: 'Figure', cell: (row) => (gistOf(row) === '' ? '–' : gistView(row)) },
  ],
});
