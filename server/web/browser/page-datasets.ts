// Datasets: where is the file? The list, and one dataset with its schema, a preview, versions, forms and commands.
import { html, type TemplateResult } from 'lit-html';
import { target } from './api.ts';
import { copyButton } from './copy.ts';
import { textFilter } from './filters.ts';
import { age, badge, isKnown, number, timeText } from './format.ts';
import { panel } from './panel.ts';
import { receiptOf, receiptView } from './receipt.ts';
import { showPage } from './shell.ts';
import { apiKey, asOf, link, param, setParams } from './state.ts';
import { tableView } from './table.ts';

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
      <p class="note">${shown.length} of ${all.length} datasets</p>${tableView('Datasets', LIST_COLUMNS, shown)}`;
  },
});

const LIST_COLUMNS = [
  {
    name: 'Dataset',
    cell: ({ id, title }: Dataset) =>
      html`<a href=${link('/datasets', { id })}>${title ?? id}</a> <span class="quiet">${id}</span>`,
    value: ({ id, title }: Dataset) => title ?? id,
  },
  {
    name: 'Rows',
    isNumber: true,
    cell: ({ rows }: Dataset) => (isKnown(rows) ? number(rows) : undefined),
    value: ({ rows }: Dataset) => rows,
  },
  {
    name: 'Computed',
    cell: ({ freshness }: Dataset) => age(freshness.computed_at),
    value: ({ freshness }: Dataset) => freshness.computed_at,
  },
  {
    name: 'Freshness',
    cell: ({ freshness }: Dataset) => badge(freshness.status),
    value: ({ freshness }: Dataset) => freshness.status,
  },
  {
    name: 'Gate',
    cell: ({ quality_gate }: Dataset) => badge(quality_gate.verdict),
    value: ({ quality_gate }: Dataset) => quality_gate.verdict,
  },
  {
    name: 'Access',
    cell: ({ required_plan: plan }: Dataset) => plan ?? 'open',
    value: ({ required_plan: plan }: Dataset) => plan ?? '',
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
  <p>${number(one.rows)} rows, computed ${age(one.freshness.computed_at)}. ${badge(one.freshness.status)} ${badge(one.quality_gate.verdict)}
  ${one.required_plan === null ? 'Open to all.' : html`Needs the plan ${one.required_plan} and the scopes ${one.required_scopes.join(', ')}.`}</p>
  <dl><dt>SHA-256</dt><dd><code>${one.sha256}</code></dd></dl>
  <h3>Read it</h3>${commands(one)}
  <h3>Receipt</h3>${receiptOne(one)}
  <h3>Columns</h3>${tableView('Columns', SCHEMA_COLUMNS, Object.entries(one.schema?.properties ?? {}))}`;

const receiptOne = (one: Dataset): unknown => {
  const receipt = receiptOf({ ...one });
  return receipt === undefined ? '' : receiptView(receipt);
};

/** Lines to paste; `KEY` is the reader's own. */
function commands({ id, forms, required_plan }: Dataset): TemplateResult {
  const moment = asOf() === undefined ? '' : `?as_of=${asOf()}`;
  const url = (form: string) => `${location.origin}/v2/datasets/${id}.${form}${moment}`;
  const needsKey = required_plan !== null && apiKey() !== undefined;
  const options = needsKey ? ', storage_options={"Authorization": f"Bearer {KEY}"}' : '';
  const lines: Readonly<Record<string, string>> = {
    curl: `curl ${needsKey ? '-H "Authorization: Bearer $KEY" ' : ''}-o ${id}.parquet '${url('parquet')}'`,
    DuckDB: `${needsKey ? `CREATE SECRET (TYPE http, BEARER_TOKEN 'rk_live_…');\n` : ''}SELECT * FROM read_csv('${url('csv')}');`,
    pandas: `import pandas\npandas.read_csv("${url('csv')}"${options})`,
    polars: `import polars\npolars.read_parquet("${url('parquet')}"${options})`,
    Sheets: `=IMPORTDATA("${url('csv')}")`,
  };
  return html`<p>Forms: ${forms.map(({ form, media_type }) => html`<span class="badge">${form}</span> <span class="quiet">${media_type}</span> `)}</p>
    ${Object.entries(lines).map(([name, text]) => html`<div class="command"><p>${name} ${copyButton(text)}</p><pre tabindex="0"><code>${text}</code></pre></div>`)}`;
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
          : String(value);
      },
      value: (row: Row) => row[name] as string | number | null,
    }));
    return html`<p class="note">${Math.min(50, rows.length)} of ${number(meta['rows'] as number)} rows, as of ${timeText(meta['as_of'] as string)} UTC</p>${tableView('First rows', columns, rows.slice(0, 50))}`;
  },
});

interface Version {
  readonly version: string;
  readonly as_of: string;
  readonly generated_at: string;
  readonly policy_version: string | null;
}

const versions = panel<readonly Version[]>({
  id: 'versions',
  title: 'Versions that are kept',
  isWide: true,
  address: () => '/v2/versions',
  view: (rows) =>
    tableView(
      'Versions',
      [
        {
          name: 'As of, UTC',
          cell: (row: Version) =>
            html`<button type="button" @click=${() => setParams({ as_of: row.as_of }, false)}>${timeText(row.as_of)}</button>`,
          value: (row: Version) => row.as_of,
        },
        {
          name: 'Published, UTC',
          cell: (row: Version) => timeText(row.generated_at),
          value: (row: Version) => row.generated_at,
        },
        { name: 'Policy', cell: (row: Version) => row.policy_version },
        {
          name: 'Version',
          cell: (row: Version) => html`<code>${row.version}</code>`,
          value: (row: Version) => row.version,
        },
      ],
      rows.filter(({ as_of }) => asOf() === undefined || Date.parse(as_of) <= Date.parse(asOf() ?? '')),
    ),
});

showPage([about, preview, list, versions]);
