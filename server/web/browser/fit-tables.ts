// Tables that are wider than their panel put away columns, from the right, until they fit. Columns that the reader has chosen stay, and the
// choice of columns says how many are away. A table without that choice scrolls in its panel.

/** The columns that every table keeps. */
const MIN_COLUMNS = 2;

export function fitTables(): void {
  for (const choice of document.querySelectorAll<HTMLElement>('.columns')) {
    const label = choice.dataset['table'];
    const holder = [...(choice.parentElement?.querySelectorAll<HTMLElement>('.table-holder') ?? [])].find(
      (one) => one.dataset['table'] === label,
    );
    const [table, summary] = [holder?.querySelector('table'), choice.querySelector('summary')];
    if (holder === undefined || !table || summary === null || holder.clientWidth === 0) continue;
    const away = putAway(holder, table);
    if (away === 0) delete summary.dataset['away'];
    else summary.dataset['away'] = String(away);
  }
}

const isTooWide = (holder: HTMLElement, table: HTMLElement): boolean =>
  table.scrollWidth > holder.clientWidth + 1;

/** The number of columns that are put away. */
function putAway(holder: HTMLElement, table: HTMLTableElement): number {
  const heads = [...(table.tHead?.rows[0]?.cells ?? [])];
  for (const column of heads.keys()) show(table, column, true);
  let away = 0;
  for (let column = heads.length - 1; column >= MIN_COLUMNS && isTooWide(holder, table); column -= 1) {
    if (heads[column]?.dataset['chosen'] !== undefined) continue;
    show(table, column, false);
    away += 1;
  }
  return away;
}

function show(table: HTMLTableElement, column: number, isShown: boolean): void {
  for (const row of table.rows) {
    const cell = row.cells[column];
    if (cell !== undefined && cell.hidden === isShown) cell.hidden = !isShown;
  }
}
