// Datasets: where is the file? The list, and one dataset with its schema, preview, versions, forms and commands.
import { html, nothing, type TemplateResult } from 'lit-html';
import { isRefused } from './access.ts';
import { target } from './api.ts';
import { copyButton } from './copy.ts';
import { datasetCommands } from './dataset-commands.ts';
import { countOf } from './figures.ts';
import { textFilter } from './filters.ts';
import { age, isKnown, number, plainText, serviceBadge, timeText } from './format.ts';
import { from, lengthOf } from './origin.ts';
import { panel } from './panel.ts';
import { receiptOf, receiptView } from './receipt.ts';
import { dataBadge } from './service-verdict.ts';
import { showPage } from './shell.ts';
import { apiKey, asOf, link, param, setParams } from './state.ts';
import { type Column, columnsOf, SHORT_PAGE, tableView } from './table.ts';

interface Schema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
}

interface Dataset {
  readonly id: string;
  readonly title: string | null;
  readonly rows: number | null;
  readonly sha256: string;
  readonly required_plan: string | null;
  readonly required_scopes: readonly string[];
  readonly quality_gate: { readonly verdict: string };
  readonly freshness: {
    readonly status: string;
    readonly computed_at: string;
    readonly next_update_at: string;
  };
  readonly forms: readonly { readonly form: string; readonly media_type: string; readonly path: string }[];
  readonly schema: Schema | null;
}

const chosen = (): string | undefined => param('id');

const list = panel<readonly Dataset[]>({
  id: 'list',
  title: 'All datasets',
  isWide: true,
  address: () => (chosen() === undefined ? target('/v2/datasets') : undefined),
  view: (all) => {
    const wanted = (param('search') ?? '').toLowerCase();
    const state = param('state');
    const shown = all.filter(
      ({ id, title, quality_gate, freshness }) =>
        `${id} ${title}`.toLowerCase().includes(wanted) &&
        (state === undefined || quality_gate.verdict === state || freshness.status === state),
    );
    return html`<form class="filters" @submit=${(event: Event) => event.preventDefault()}>${textFilter({ name: 'search', label: 'Name' })}</form>
      <p class="note"><span data-derived>${number(shown.length)}</span> of ${countOf(all.length, lengthOf(all))} datasets</p>${tableView('Datasets', LIST_COLUMNS, shown)}`;
  },
});

const LIST_COLUMNS: readonly Column<Dataset>[] = [
  {
    name: 'Dataset',
    cell: ({ id, title }) =>
      html`<a href=${link('/datasets', { id })}>${title ?? id}</a> <span class="quiet">${id}</span>`,
    value: ({ id, title }) => title ?? id,
    from: (row) => from(row, row.title === null ? 'id' : 'title'),
  },
  columnsOf<Dataset>().number('Rows', 'rows', number),
  {
    name: 'Computed',
    cell: ({ freshness }) => age(freshness.computed_at),
    value: ({ freshness }) => freshness.computed_at,
    from: ({ freshness }) => from(freshness, 'computed_at'),
  },
  {
    name: 'Freshness',
    cell: ({ freshness }) => serviceBadge(freshness.status),
    value: ({ freshness }) => freshness.status,
    from: ({ freshness }) => from(freshness, 'status'),
  },
  {
    name: 'Gate',
    cell: ({ quality_gate }) => dataBadge(quality_gate.verdict),
    value: ({ quality_gate }) => quality_gate.verdict,
  },
  {
    name: 'Access',
    cell: ({ required_plan: plan }) => plan ?? 'open',
    value: ({ required_plan: plan }) => plan ?? '',
  },
];

const about = panel<readonly Dataset[]>({
  id: 'about',
  title: `Dataset ${chosen() ?? ''}`,
  isWide: true,
  address: () => (chosen() === undefined ? undefined : target('/v2/datasets')),
  view: (all) => {
    const one = all.find(({ id }) => id === chosen());
    return html`<p><a href=${link('/datasets')}>All datasets</a></p>${one === undefined ? html`<p class="trouble">There is no dataset ${chosen()} in this version.</p>` : datasetView(one)}`;
  },
});

const datasetView = (one: Dataset): TemplateResult => html`<h3>${one.title ?? one.id}</h3>
  <p><span data-from=${from(one, 'rows')}>${number(one.rows)}</span> rows, computed ${age(one.freshness.computed_at)}. ${serviceBadge(one.freshness.status)} ${dataBadge(one.quality_gate.verdict)}
  ${one.required_plan === null ? 'Open to all.' : html`Requires the plan ${one.required_plan} and the scopes ${one.required_scopes.join(', ')}.`}</p>
  <dl><dt>SHA-256</dt><dd><code>${one.sha256}</code></dd></dl>
  <h3>Read it</h3>${commands(one)}
  <h3>Receipt</h3>${receiptOne(one)}
  <h3>Columns</h3>${tableView('Columns', SCHEMA_COLUMNS, Object.entries(one.schema?.properties ?? {}))}`;

const receiptOne = (one: Dataset): unknown => {
  const receipt = receiptOf({ ...one });
  return receipt === undefined ? '' : receiptView(receipt);
};

/** Without a key in this tab, a dataset that needs one is read with the key of the reader. */
function commands({ id, forms, required_plan }: Dataset): TemplateResult {
  const moment = asOf() === undefined ? '' : `?as_of=${asOf()}`;
  const url = (form: string) => `${location.origin}/v2/datasets/${id}.${form}${moment}`;
  const isLocked = isRefused(`/v2/datasets/${id}`);
  const lines = datasetCommands({
    id,
    url,
    needsKey: required_plan !== null && (isLocked || apiKey() !== undefined),
  });
  return html`<p>Forms: ${forms.map(({ form, media_type }) => html`<span class="badge">${form}</span> <span class="quiet">${media_type}</span> `)}</p>
    ${lines.map(([name, text]) => html`<div class="command"><p>${name} ${copyButton(text)}</p><pre tabindex="0"><code>${text}</code></pre></div>`)}`;
}

const typeOf = (schema: Schema): string => {
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeOf).join(' or ');
  if (schema.enum !== undefined) return schema.enum.map(String).join(', ');
  return [schema.type ?? 'anything'].flat().join(' or ');
};

const describe = (schema: Schema): string =>
  schema.description ?? schema.anyOf?.map(describe).find((text) => text !== '') ?? '';

const SCHEMA_COLUMNS = [
  {
    name: 'Column',
    cell: ([name]: [string, Schema]) => html`<code>${name}</code>`,
    value: ([name]: [string, Schema]) => name,
  },
  { name: 'Type', cell: ([, schema]: [string, Schema]) => typeOf(schema) },
  { name: 'Meaning', cell: ([, schema]: [string, Schema]) => describe(schema) },
];

type Row = Readonly<Record<string, unknown>>;

const MAX_PREVIEW = 50;

const preview = panel<readonly Row[]>({
  id: 'preview',
  title: 'First rows',
  isWide: true,
  address: () =>
    chosen() === undefined ? undefined : target(`/v2/datasets/${encodeURIComponent(chosen() ?? '')}`),
  view: (rows, meta) => {
    const names = Object.keys(rows[0] ?? {});
    const columns = names.map((name) => ({
      name,
      cell: (row: Row) => {
        const value = row[name];
        if (!isKnown(value)) return undefined;
        return typeof value === 'object'
          ? html`<code>${JSON.stringify(value).slice(0, 120)}</code>`
          : plainText(value as string | number | boolean);
      },
      value: (row: Row) => row[name] as string | number | null,
      from: (row: Row) => (typeof row[name] === 'object' ? nothing : from(row, name)),
    }));
    return html`<p class="note"><span data-derived>${Math.min(MAX_PREVIEW, rows.length)}</span> of <span data-from=${from(meta, 'rows')}>${number(meta['rows'] as number)}</span> rows, as of <span data-from=${from(meta, 'as_of')}>${timeText(meta['as_of'] as string)} UTC</span></p>${tableView('First rows', columns, rows.slice(0, MAX_PREVIEW))}`;
  },
});

interface Version {
  readonly version: string;
  readonly as_of: string;
}

const VERSION_COLUMNS: readonly Column<Version>[] = [
  {
    name: 'As of, UTC',
    cell: ({ as_of }) =>
      html`<button type="button" @click=${() => setParams({ as_of }, false)}>${timeText(as_of)}</button>`,
    value: ({ as_of }) => as_of,
    from: (row) => from(row, 'as_of'),
  },
  {
    name: 'Version',
    cell: ({ version }) => html`<code>${version}</code>`,
    value: ({ version }) => version,
    from: (row) => from(row, 'version'),
  },
];

const versions = panel<readonly Version[]>({
  id: 'versions',
  title: 'Kept versions',
  isWide: true,
  address: () => '/v2/versions',
  view: (rows) =>
    tableView(
      'Versions',
      VERSION_COLUMNS,
      rows.filter(({ as_of }) => asOf() === undefined || Date.parse(as_of) <= Date.parse(asOf() ?? '')),
      SHORT_PAGE,
    ),
});

showPage([about, preview, list, versions]);
