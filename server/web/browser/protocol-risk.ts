// What can be lost in a protocol: its lending markets with what can be withdrawn now and the debt that a fall of the collateral puts at risk.
import { html, nothing, type TemplateResult } from 'lit-html';
import { target } from './api.ts';
import { atRisk, type Borrowers, borrowersByMarket, marketKey } from './borrower-risk.ts';
import { countOf, type Figure, figures } from './figures.ts';
import { dollars, isKnown, percent, quantity, serviceBadge, UNKNOWN } from './format.ts';
import { LIMIT, type Market, nameColumn, riskColumn, stateOf, whyUnknown } from './lending-rows.ts';
import { anyHeldReason, heldNote, reasonLine } from './missing-reason.ts';
import { lengthOf } from './origin.ts';
import { MAX_ROWS } from './pager.ts';
import { type Further, panel } from './panel.ts';
import { bar } from './shapes.ts';
import { param } from './state.ts';
import { type Column, columnsOf, SHORT_PAGE, tableView } from './table.ts';

/** A fall of the collateral that happens several times a year. */
const FALL = 0.1;

const borrowersIn = (also: Further): ReadonlyMap<string, Borrowers> | undefined =>
  borrowersByMarket(also.get<readonly Borrowers[]>('borrowers'));

export const protocolRisk = panel<readonly Market[]>({
  id: 'protocol-risk',
  title: `What can be lost in ${param('protocol') ?? 'a protocol'}`,
  isWide: true,
  address: () => {
    const protocol = param('protocol');
    return protocol === undefined ? undefined : target('/v2/lending/markets', { protocol, limit: MAX_ROWS });
  },
  also: {
    borrowers: () => (param('protocol') === undefined ? undefined : target('/v2/datasets/borrower-tranches')),
  },
  view: (rows, _, also) =>
    rows.length === 0
      ? html`${heldNote('lending-markets')}<p class="empty">No lending markets of this protocol are ${anyHeldReason('lending-markets') === undefined ? 'tracked' : 'published'}, so what can be withdrawn from it is not known.</p>`
      : html`${heldNote('lending-markets')}<p class="note">${countOf(rows.length, lengthOf(rows))} lending ${rows.length === 1 ? 'market' : 'markets'}, least withdrawable first.</p>${figures(riskFigures(rows, also))}${tableView(
          'Markets of the protocol',
          columnsWith(also),
          rows.toSorted((a, b) => shareFree(a) - shareFree(b)),
          SHORT_PAGE,
        )}`,
});

/** What can be withdrawn, as a share of what is supplied. Unknown shares come first: they may be 0. */
const shareFree = ({ withdrawable_usd, supplied_usd }: Market): number =>
  isKnown(withdrawable_usd) && isKnown(supplied_usd) && supplied_usd > 0
    ? withdrawable_usd / supplied_usd
    : -1;

const derived = (text: string): TemplateResult => html`<span data-derived>${text}</span>`;

function riskFigures(rows: readonly Market[], also: Further): readonly Figure[] {
  const borrowers = borrowersIn(also);
  const trouble = borrowers === undefined ? (also.trouble('borrowers') ?? 'loading') : undefined;
  const debts = rows.map((row) => {
    const found = borrowers?.get(marketKey(row));
    return found === undefined ? undefined : atRisk(found.tranches, FALL).debt_usd;
  });
  // Which protocol the markets that are held back belong to is not published.
  const held = anyHeldReason('lending-markets');
  const atLeast = (count: number) => derived(`${held === undefined ? '' : 'at least '}${count}`);
  const troubled = rows.filter(({ oracle_status }) => oracle_status !== 'fresh').length;
  const closed = rows.filter((row) => stateOf(row) !== 'open').length;
  return [
    total(
      'Withdrawable now',
      rows.map(({ withdrawable_usd }) => withdrawable_usd),
    ),
    total(
      'Supplied',
      rows.map(({ supplied_usd }) => supplied_usd),
    ),
    total(`Debt at risk, −${percent(FALL, 0)}`, debts, trouble),
    { name: 'Markets without a fresh oracle', text: atLeast(troubled) },
    { name: 'Markets frozen, paused or of unknown state', text: atLeast(closed) },
  ];
}

/** A total is known only if each part is: a missing part is not 0. */
function total(name: string, parts: readonly (number | null | undefined)[], trouble?: string): Figure {
  const missing = parts.filter((part) => !isKnown(part)).length;
  if (anyHeldReason('lending-markets') !== undefined)
    return { name, text: UNKNOWN, more: reasonLine('markets are held back, perhaps some of this protocol') };
  if (missing === 0)
    return { name, text: derived(dollars(parts.reduce<number>((sum, part) => sum + (part ?? 0), 0))) };
  return {
    name,
    text: UNKNOWN,
    more: reasonLine(trouble ?? `not known for ${quantity(missing, 'market', 'markets')}`),
  };
}

const column = columnsOf<Market>();

const columnsWith = (also: Further): readonly Column<Market>[] => [
  nameColumn,
  {
    ...column.number('Withdrawable', 'withdrawable_usd', dollars),
    help: 'What all suppliers together can withdraw now',
    cell: (row) =>
      isKnown(row.withdrawable_usd)
        ? dollars(row.withdrawable_usd)
        : html`<span class="unknown" title=${whyUnknown(row)}>${UNKNOWN}</span>`,
  },
  column.number('Supplied', 'supplied_usd', dollars),
  {
    ...column.number('Utilization', 'utilization', (share) => bar(share, percent(share), LIMIT)),
    help: `What is borrowed of what is supplied, with a mark at ${percent(LIMIT, 0)}`,
  },
  riskColumn(FALL, borrowersIn(also), also),
  column.text('Oracle', 'oracle_status', serviceBadge),
  {
    name: 'State',
    cell: stateOf,
    value: stateOf,
    from: () => nothing,
  },
];
