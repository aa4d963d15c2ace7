// Tables of a page's numbers for readers without JavaScript: rows of published datasets that callers without a key may read.
import { datasetsAsOf, type Manifest } from '../../snapshots/layout.ts';
import { heldPart } from '../../snapshots/verdict.ts';
import { isAuthorized } from '../access/authorize.ts';
import type { Caller } from '../define/caller.ts';
import type { Services } from '../services.ts';
import { type Html, html } from './html.ts';
import type { SitePage } from './site-pages.ts';
import type { NumberTable, Row } from './site-tables.ts';

const MAX_ROWS = 100;

interface Reader {
  readonly caller: Caller;
  readonly services: Services;
  /** Selects the page of one table; the others show their first page. */
  readonly query: { readonly table?: string; readonly page?: string };
}

export async function numberTables(
  { tables, path }: Pick<SitePage, 'tables' | 'path'>,
  manifest: Manifest,
  reader: Reader,
): Promise<Html> {
  const parts: Html[] = tables === 'datasets' ? [datasetTable(manifest)] : [];
  for (const table of tables === 'datasets' ? [] : tables)
    parts.push(await numberTable({ ...table, path }, manifest, reader));
  return html`<p>Data as of ${timeText(datasetsAsOf(manifest))}, version ${manifest.version}.</p>${parts}`;
}

/** Everything that is published: rows, age, gate and file. */
const datasetTable = ({ datasets }: Manifest): Html =>
  html`<h2>Published datasets</h2><div class="wide" tabindex="0" role="region" aria-label="Published datasets"><table>
<thead><tr>${['Dataset', 'Rows', 'Computed', 'Gate', 'File'].map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
<tbody>${Object.entries(datasets).map(
    ([id, { rows, computed_at, quality_gate }]) =>
      html`<tr><td>${id}</td><td>${rows ?? 'not known'}</td><td>${timeText(computed_at)}</td><td>${quality_gate.verdict}</td><td><a href="/v2/datasets/${id}.csv" download>CSV</a></td></tr>`,
  )}</tbody></table></div>`;

async function numberTable(
  table: PageTable,
  manifest: Manifest,
  { caller, services, query }: Reader,
): Promise<Html> {
  const { dataset, caption } = table;
  if (!Object.hasOwn(manifest.datasets, dataset))
    return html`<h2>${caption}</h2>${heldNote(manifest, dataset)}<p>Not published in this version.</p>`;
  if (!isAuthorized(services.datasetAccess(dataset), caller))
    return html`<h2>${caption}</h2><p>A key is required to read <code>/v2/datasets/${dataset}</code>.</p>`;
  const body = await services.datasets.form(manifest.version, dataset, 'json');
  const published = body === null ? [] : (JSON.parse(body.toString()) as Row[]);
  const chosen = table.where === undefined ? published : published.filter(table.where);
  const rows = table.order === undefined ? chosen : chosen.toSorted(table.order);
  return html`<h2>${caption}</h2>${heldNote(manifest, dataset)}${rows.length === 0 ? html`<p>No rows.</p>` : tableOf(table, rows, { ...query, as_of: datasetsAsOf(manifest) })}`;
}

/** As the panels of the same data say it. */
function heldNote(manifest: Manifest, dataset: string): Html | false {
  const held = heldPart(manifest, dataset);
  if (held === undefined) return false;
  const what = held.dataset === null ? 'Perhaps not complete' : 'Not complete: something is held back';
  return html`<p>${what}. ${held.message}</p>`;
}

/** A table on the page with this path. */
type PageTable = NumberTable & Pick<SitePage, 'path'>;

type TableQuery = Reader['query'] & { readonly as_of: string };

function tableOf(
  { dataset, caption, columns, path }: PageTable,
  rows: readonly Row[],
  { table, page, as_of }: TableQuery,
): Html {
  const last = Math.ceil(rows.length / MAX_ROWS);
  const asked = table === dataset && /^[1-9]\d*$/.test(page ?? '') ? Number(page) : 1;
  const at = Math.min(asked, last);
  const first = (at - 1) * MAX_ROWS;
  const shown = rows.slice(first, first + MAX_ROWS);
  const step = (to: number, text: string) =>
    to >= 1 &&
    to <= last &&
    html` <a href="${path}?${new URLSearchParams({ as_of, table: dataset, page: `${to}` }).toString()}#rows-${dataset}">${text}</a>`;
  return html`<div class="wide" id="rows-${dataset}" tabindex="0" role="region" aria-label="${caption}"><table>
<thead><tr>${columns.map(([, heading]) => html`<th scope="col">${heading}</th>`)}</tr></thead>
<tbody>${shown.map((row) => html`<tr>${columns.map(([member]) => html`<td>${cellText(row, member)}</td>`)}</tr>`)}</tbody>
</table></div>
<p>Rows ${first + 1} to ${first + shown.length} of ${rows.length}.${step(at - 1, 'Previous rows')}${step(at + 1, 'Next rows')} All rows: <a href="/v2/datasets/${dataset}.csv" download>${dataset}.csv</a></p>`;
}

function cellText(row: Row, path: string | ((row: Row) => string)): string {
  if (typeof path === 'function') return path(row);
  const value = path
    .split('.')
    .reduce<unknown>(
      (at, name) => (typeof at === 'object' && at !== null ? (at as Row)[name] : undefined),
      row,
    );
  if (value === null || value === undefined) return 'not known';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

const timeText = (iso: string): string => `${iso.slice(0, 16).replace('T', ' ')} UTC`;
