// Every published dataset as a table: the list, and each dataset as JSON, NDJSON, CSV, Parquet or Arrow, of any kept version.

import type { Json } from '../../platform/base/json.ts';
import { DatasetMetaSchema, DatasetRowSchema, DatasetSchema } from '../../schemas/datasets.ts';
import { Strict, Type } from '../../schemas/define.ts';
import { type DatasetEntry, datasetsAsOf, type Manifest, type TableInfo } from '../../snapshots/layout.ts';
import { authorize, scopesOf, UNDECLARED } from '../access/authorize.ts';
import type { Access } from '../define/caller.ts';
import { defineEndpoint, type Reply } from '../define/endpoint.ts';
import { Failure } from '../define/failure.ts';
import { missingDataset } from '../define/missing-data.ts';
import { TAGS } from '../define/tags.ts';
import {
  acceptedForm,
  FORM_NAMES,
  FORMS,
  type Form,
  mediaTypeOf,
  splitEnding,
} from '../replies/dataset-form.ts';
import { manifestAt, momentParameters } from '../replies/dataset-moment.ts';
import { isOfFamily } from '../replies/verdict.ts';
import type { Moment, Services } from '../services.ts';

export const listDatasets = defineEndpoint({
  method: 'GET',
  path: '/v2/datasets',
  tag: TAGS.datasets,
  summary: 'Every published dataset: rows, age, sources, forms, required plan and scopes',
  access: 'open',
  envelope: 'v2',
  cache: 'shared',
  params: Strict({}),
  query: Strict(momentParameters),
  response: Strict({
    data: Type.Array(DatasetSchema),
    meta: Strict({ total: Type.Integer() }),
    error: Type.Null(),
  }),
  errors: ['invalid_request', 'not_found', 'unavailable', 'internal_error'],
  async handle({ query }, services) {
    const manifest = await manifestAt(services, query);
    const payload: { freshness: { status: string } }[] = [];
    for (const [id, entry] of Object.entries(manifest.datasets)) {
      const table = await services.datasets.table(manifest.version, id);
      const access = services.datasetAccess(id);
      const freshness = services.freshness(entry);
      payload.push({ ...described(manifest, { id, entry, table, access }), freshness });
    }
    const ages = payload.map(({ freshness }) => freshness.status).join();
    const identity = services.identify(`${manifest.version} ${ages}`);
    return { payload, meta: { total: payload.length }, identity, isAging: true };
  },
  mirror: () => [{}],
});

/** The description of a dataset and its required access are open, even if its rows are not. */
function described(
  manifest: Manifest,
  {
    id,
    entry,
    table,
    access,
  }: {
    readonly id: string;
    readonly entry: DatasetEntry;
    readonly table: TableInfo | null;
    readonly access: Access;
  },
) {
  const { version } = manifest;
  const { documents, rows = null, partial_day, sha256, confidence, quality_gate, sources } = entry;
  const offered =
    table === null ? [] : FORM_NAMES.filter((form) => form !== 'parquet' || entry.forms?.parquet);
  return {
    id,
    title: table?.title ?? null,
    version,
    as_of: datasetsAsOf(manifest),
    documents,
    rows,
    ...(partial_day && { partial_day: partial_day.day }),
    sha256,
    confidence,
    quality_gate,
    sources,
    required_plan: access === 'open' ? null : access.plan,
    required_scopes: access === 'open' ? [] : scopesOf(access),
    forms: offered.map((form) => ({
      form,
      media_type: mediaTypeOf(form),
      path: `/v2/datasets/${id}.${form}`,
    })),
    schema: table && rowSchema(table),
  };
}

/** The schema of a row, including the key columns of its document. */
function rowSchema({ key, row }: TableInfo) {
  const schema = row as {
    readonly properties?: { readonly [name: string]: Json };
    readonly required?: string[];
  };
  const added = key.filter((name) => !Object.hasOwn(schema.properties ?? {}, name));
  const keys = added.map((name) => [name, { type: 'string', description: "Part of the row's key" }]);
  return {
    ...schema,
    required: [...added, ...(schema.required ?? [])],
    properties: { ...Object.fromEntries(keys), ...schema.properties },
  };
}

export const getDataset = defineEndpoint({
  method: 'GET',
  path: '/v2/datasets/:id',
  tag: TAGS.datasets,
  summary:
    'The rows of a dataset as JSON, NDJSON, CSV, Parquet or Arrow, selected by the extension of the path or by the Accept header; the list of datasets names the required plan and scopes, which equal those of the endpoint with the same rows',
  access: 'open',
  accessOf({ id = '' }, { versions, datasetAccess }) {
    const dataset = splitEnding(id).id;
    const isKnown = Object.hasOwn(versions.current?.manifest.datasets ?? {}, dataset);
    const access = datasetAccess(dataset);
    // An unpublished dataset is not found, for any caller.
    return isKnown || access !== UNDECLARED ? access : 'open';
  },
  envelope: 'v2',
  cache: 'shared',
  isNegotiated: true,
  hasRanges: true,
  isDaily: true,
  mediaTypes: FORM_NAMES.filter((form) => form !== 'json').map(mediaTypeOf),
  params: Strict({
    id: Type.String({
      description: `Id of a dataset, optionally with one of the extensions ${FORM_NAMES.map((form) => `.${form}`).join(', ')}`,
      examples: ['oracle-pairs', 'oracle-pairs.csv'],
    }),
  }),
  query: Strict(momentParameters),
  response: Strict({ data: Type.Array(DatasetRowSchema), meta: DatasetMetaSchema, error: Type.Null() }),
  errors: [
    'missing_auth',
    'insufficient_scope',
    'plan_upgrade_required',
    'invalid_request',
    'not_found',
    'range_not_satisfiable',
    'unavailable',
    'internal_error',
  ],
  async handle({ params, query, accept, caller }, services) {
    const { id, form = acceptedForm(accept) } = splitEnding(params.id);
    if (form === undefined) throw notOffered();
    const manifest = await manifestAt(services, query);
    const entry = Object.hasOwn(manifest.datasets, id) ? manifest.datasets[id] : undefined;
    if (entry === undefined) throw absent(services, { id, manifest, query });
    const access = services.datasetAccess(id);
    // The version may be an older one, whose datasets were unknown when access to the path was checked.
    authorize(access, caller, services.upgradeUrl);
    const body = await services.datasets.form(manifest.version, id, form);
    if (body === null) throw new Failure('not_found', `This version of ${id} has no ${form} form.`);
    const reply =
      form === 'json'
        ? jsonReply(manifest, { id, entry, body }, services)
        : fileReply(form, { id, entry, body }, services);
    return { ...reply, isPrivate: access !== 'open', partialDay: entry.partial_day?.day };
  },
  mirror: ({ versions }) =>
    Object.keys(versions.current?.manifest.datasets ?? {}).flatMap((id) =>
      FORM_NAMES.map((form) => ({ id: `${id}.${form}` })),
    ),
});

/** A dataset that some family publishes is missing from this version; any other one does not exist. */
function absent(
  services: Services,
  { id, manifest, query }: { readonly id: string; readonly manifest: Manifest; readonly query: Moment },
): Failure {
  const isKnown = services.datasetAccess(id) !== UNDECLARED || isOfFamily(manifest, id);
  if (!isKnown) return new Failure('not_found', `There is no dataset ${id}.`);
  const isPast = query.as_of !== undefined || query.version !== undefined;
  return missingDataset({ manifest, isPast }, id);
}

interface Body {
  readonly id: string;
  readonly entry: DatasetEntry;
  readonly body: Buffer;
}

function jsonReply(manifest: Manifest, { id, entry, body }: Body, services: Services): Reply {
  const { version } = manifest;
  const as_of = datasetsAsOf(manifest);
  const { computed_at, rows = null, confidence, quality_gate, sources } = entry;
  const meta = { dataset: id, version, as_of, computed_at, rows, confidence, quality_gate, sources };
  return { payload: body, meta, identity: services.identify(`${version} ${id}`) };
}

/** The bytes depend only on the rows, so a version that does not change the rows does not change their ETag. */
function fileReply(form: Form, { id, entry, body }: Body, services: Services): Reply {
  const { sha256, forms } = entry;
  const identity = services.identify([form, sha256, forms?.table?.sha256, forms?.parquet?.sha256].join(' '));
  const media = { ...FORMS[form], fileName: `${id}.${form}` };
  return { payload: body, media, identity };
}

function notOffered(): Failure {
  const offered = FORM_NAMES.map(mediaTypeOf);
  return new Failure('invalid_request', `Accept allows none of ${offered.join(', ')}.`, {
    details: { offered },
  });
}
