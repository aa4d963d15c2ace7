// Changes to days that had left the seven-day lists, newest first. The log only grows, so a new version never disrupts paging.
import { CorrectionSchema } from '../../schemas/corrections.ts';
import { Strict, Type } from '../../schemas/define.ts';
import { V2Page } from '../../schemas/envelopes.ts';
import { LIMITS } from '../../schemas/plans.ts';
import { defineEndpoint } from '../define/endpoint.ts';
import { Failure, parameterFailure } from '../define/failure.ts';
import { missingDataset, servedVersion } from '../define/missing-data.ts';
import { TAGS } from '../define/tags.ts';
import { cursorParameter, limitParameter } from '../../schemas/page-parameters.ts';
import type { ListShape } from '../define/list-shape.ts';

const LOG = 'corrections';
const LIST: ListShape = {
  dataset: LOG,
  order: { isNewestFirst: true },
  facets: { dataset: ({ dataset }) => [String(dataset)] },
  numbers: [],
  texts: [],
};
const PAGE = LIMITS.corrections_page;
const ULID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

export const listCorrections = defineEndpoint({
  method: 'GET',
  path: '/v2/corrections',
  tag: TAGS.datasets,
  summary: 'Changes to published days outside the seven-day window, newest first',
  list: LIST,
  datasets: [LOG],
  access: { plan: 'free', scope: 'data:read', moreScopes: ['scores:read', 'oracle:read'] },
  envelope: 'v2',
  cache: 'shared',
  params: Strict({}),
  query: Strict({
    dataset: Type.Optional(Type.String({ description: 'Only corrections of this dataset' })),
    cursor: cursorParameter,
    limit: limitParameter(PAGE),
  }),
  response: V2Page(CorrectionSchema),
  errors: ['invalid_request', 'not_found', 'unavailable', 'internal_error'],
  handle({ query }, services) {
    const { dataset, cursor, limit = PAGE.default } = query;
    const before = cursor === undefined ? undefined : readCursor(cursor);
    const version = services.versions.current;
    const log = version?.list(LOG);
    if (version === undefined || log === undefined) throw missingDataset(servedVersion(services), LOG);
    if (dataset !== undefined && !Object.hasOwn(version.manifest.datasets, dataset))
      throw new Failure('not_found', `There is no dataset ${dataset}.`);
    const selection = {
      any: dataset === undefined ? [] : [{ facet: 'dataset', values: [dataset] }],
      between: [],
    };
    const { rows, total, hasMore, lastId } =
      before === undefined
        ? log.table.page(selection, 0, limit)
        : log.table.pageAfter(selection, before, limit);
    const next = hasMore && lastId !== undefined ? writeCursor(lastId) : null;
    const meta = { total, has_more: next !== null, cursor: next };
    const identity = services.identify([log.entry.sha256, dataset ?? '', before ?? '', limit].join(' '));
    return { payload: rows, meta, about: log.entry, identity };
  },
  mirror: () => [{}],
});

const writeCursor = (id: string): string => Buffer.from(id).toString('base64url');

function readCursor(text: string): string {
  const id = Buffer.from(text, 'base64url').toString('latin1');
  if (!ULID.test(id)) throw parameterFailure('cursor', 'was not issued by this endpoint');
  return id;
}
