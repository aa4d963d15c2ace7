// Assumptions of oracles in tables: whether each holds, what tests it, and what rests on it. What nothing judges never looks like what holds.
import { html, nothing, type TemplateResult } from 'lit-html';
import { badge, isKnown, number, serviceBadge, shortName, timeText } from './format.ts';
import { isHardCoded, type OracleAssumption, type OraclePath, severityIn } from './oracle-path.ts';
import { from } from './origin.ts';
import { link } from './state.ts';
import type { Column } from './table.ts';

/** `severity`: that of its break. */
export const assumptionState = (is_broken: boolean | null, severity: string): TemplateResult =>
  is_broken === true
    ? badge('does not hold', severity)
    : is_broken === null
      ? serviceBadge('cannot be judged', 'unknown')
      : serviceBadge('holds', 'pass');

/** The feeds that can contradict it, or that nothing can. */
export function testers(chain: string, { tested_by }: Pick<OracleAssumption, 'tested_by'>): TemplateResult {
  if (!isKnown(tested_by) || tested_by === '')
    return html`<strong class="untested">nothing tests it</strong>`;
  return html`${tested_by.split(',').map((one, index) => {
    const [address = '', other] = one.split(':').toReversed();
    return html`${index === 0 ? '' : ', '}<a class="name" href=${link('/pegs', { chain: other ?? chain, feed: address })}>feed ${shortName(address)}${isKnown(other) ? ` on ${other}` : ''}</a>`;
  })}`;
}

export const restsOn = (chain: string, id: string): string =>
  link('/contagion', { from: `assumption:${chain}:${id}` });

export const statementView = (one: OracleAssumption): TemplateResult =>
  html`<span data-from=${from(one, 'statement')}>${one.statement}</span>${isHardCoded(one) ? html` <span class="mark-fixed">hard-coded</span>` : nothing}`;

export const assumptionRank = ({ is_broken }: Pick<OracleAssumption, 'is_broken'>): string =>
  is_broken === null ? 'unknown' : String(is_broken);

/** Of the assumptions of one oracle. */
export const assumptionColumns = (path: OraclePath): readonly Column<OracleAssumption>[] => [
  {
    name: 'What must be true',
    cell: statementView,
    value: ({ statement }) => statement,
  },
  {
    name: 'State',
    cell: (one) => assumptionState(one.is_broken, severityIn(one, [path])),
    value: assumptionRank,
  },
  { name: 'Tested by', cell: (one) => testers(path.chain, one), value: ({ tested_by }) => tested_by ?? '' },
  {
    name: 'Price gap, bps',
    help: 'What is assumed, over what the sources say',
    isNumber: true,
    cell: ({ gap_bps }) => (isKnown(gap_bps) ? number(gap_bps) : undefined),
    value: ({ gap_bps }) => gap_bps,
    from: (one) => from(one, 'gap_bps'),
  },
  {
    name: 'Broken from, bps',
    isNumber: true,
    cell: ({ effective_enter_bps: enter }) => (isKnown(enter) ? number(enter) : undefined),
    value: ({ effective_enter_bps }) => effective_enter_bps,
    from: (one) => from(one, 'effective_enter_bps'),
  },
  {
    name: 'Since, UTC',
    cell: ({ is_broken, since_at }) =>
      is_broken !== true ? '–' : isKnown(since_at) ? timeText(since_at) : undefined,
    value: ({ since_at }) => since_at,
    from: (one) => (one.is_broken === true ? from(one, 'since_at') : nothing),
  },
  {
    name: 'Rests on it',
    cell: ({ id }) =>
      html`<a href=${restsOn(path.chain, id)}>What falls with it</a><br><a href=${link('/events', { subject: `assumption:${path.chain}:${id}` })}>Events</a>`,
  },
];
