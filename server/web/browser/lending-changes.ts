// Changes of the parameters of lending markets.
import { target } from './api.ts';
import { caption, isKnown, number, timeText } from './format.ts';
import { from } from './origin.ts';
import { panel } from './panel.ts';
import { param } from './state.ts';
import { type Column, columnsOf, SHORT_PAGE, tableView } from './table.ts';

interface Change {
  readonly name: string;
  readonly protocol: string;
  readonly chain: string;
  readonly market_id: string;
  readonly changed_at: number;
  readonly parameter: string;
  readonly old_value: number | string | null;
  readonly new_value: number | string | null;
}

const isMarket = (): boolean => isKnown(param('market')) && isKnown(param('chain'));

const change = columnsOf<Change>();

/** Flags are numbers in the change log. */
function changedValue({ parameter }: Change, value: number | string | null): string | undefined {
  if (typeof value !== 'number') return value ?? undefined;
  return parameter.startsWith('is_') ? (value === 0 ? 'no' : 'yes') : number(value, 6);
}

const valueColumn = (name: string, member: 'old_value' | 'new_value'): Column<Change> => ({
  ...change.number(name, member),
  cell: (row) => changedValue(row, row[member]),
});

const CHANGE_COLUMNS: readonly Column<Change>[] = [
  change.text('When, UTC', 'changed_at', timeText),
  {
    name: 'Market',
    cell: (row) => `${row.name}, ${row.protocol}`,
    value: (row) => row.name,
    from: (row) => from(row, 'name'),
  },
  change.text('Parameter', 'parameter', caption),
  valueColumn('Before', 'old_value'),
  valueColumn('After', 'new_value'),
];

export const changes = panel<readonly Change[]>({
  id: 'changes',
  title: 'Parameter changes',
  isWide: true,
  address: () => target('/v2/datasets/lending-parameter-changes'),
  view: (rows) =>
    tableView(
      'Parameter changes',
      CHANGE_COLUMNS,
      rows
        .filter((row) => !isMarket() || (row.market_id === param('market') && row.chain === param('chain')))
        .toSorted((a, b) => b.changed_at - a.changed_at),
      SHORT_PAGE,
    ),
});
