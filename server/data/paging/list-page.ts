// A page of a list in the version at which paging started: the served version, or the one that the cursor names; and the text of the cursor.
import type { DatasetEntry, Manifest } from '../../../snapshots/layout.ts';
import { type Failure, parameterFailure } from '../../define/failure.ts';
import type { FilterValue } from '../../define/filter-values.ts';
import { currentVersion, missingDataset, servedVersion } from '../../define/missing-data.ts';
import { failureOf } from '../../replies/error-response.ts';
import { refuseUnknownNames } from '../../replies/known-names.ts';
import { contentHash } from '../../replies/negotiate.ts';
import type { PreparedList, Services } from '../../services.ts';
import type { Selection } from './selection.ts';

export interface ListRequest {
  readonly dataset: string;
  readonly selection: Selection;
  /** Filters with an open set of values. */
  readonly open?: readonly FilterValue[];
  /** Chains and protocols that nothing has are named too, not refused: the interface lists the parameter without an error for it. */
  readonly acceptsAnyName?: boolean | undefined;
  /** Hash of everything that determines the rows and their order, because a cursor is valid for one selection only. */
  readonly filterHash: string;
  readonly cursor: string | undefined;
  /** Name of the query parameter that holds the cursor, for messages. */
  readonly parameter: string;
  readonly limit: number;
}

export interface ListPage {
  /** A JSON array of rows. */
  readonly rows: Buffer;
  readonly total: number;
  readonly has_more: boolean;
  /** Null on the last page. */
  readonly cursor: string | null;
  readonly about: DatasetEntry;
  /** In which paging started. */
  readonly version: string;
  readonly identity: string;
  /** Values of open filters that no row has. */
  readonly unmatched: readonly FilterValue[];
}

/** @throws Failure `unavailable` before the first version, `validation_failed` for a cursor of another selection. */
export async function listPage(services: Services, request: ListRequest): Promise<ListPage> {
  const { dataset, selection, filterHash, limit, open = [] } = request;
  const { version, offset } = pageStart(services, request);
  const list = await services.versions.listOf(dataset, version);
  if (list === undefined) throw rowsGone(services, request);
  const { rows, count, hasMore: has_more, total } = list.table.page(selection, offset, limit);
  const { acceptsAnyName } = request;
  const unmatched = await unmatchedIn(services, { list, version, acceptsAnyName }, open);
  // A cursor is only issued where more rows follow; an empty page would look like the end of the list.
  if (offset > 0 && count === 0) throw parameterFailure(request.parameter, 'was not issued by this endpoint');
  const cursor = has_more ? writeCursor({ version, offset: offset + count, filterHash }) : null;
  const identity = services.identify([version, list.entry.sha256, filterHash, offset, limit].join(' '));
  return { rows, total, has_more, cursor, about: list.entry, version, identity, unmatched };
}

interface ListOfVersion extends Pick<ListRequest, 'acceptsAnyName'> {
  readonly list: PreparedList;
  readonly version: string;
}

/**
 * The values that no row of a list has. @throws Failure `validation_failed` for a chain or protocol that nothing in the version has, unless
 * the list accepts any
 */
export async function unmatchedIn(
  services: Services,
  { list: { table }, version, acceptsAnyName = false }: ListOfVersion,
  open: readonly FilterValue[],
): Promise<readonly FilterValue[]> {
  const unmatched = open.filter(({ facet, value }) => !table.has(facet, value));
  if (unmatched.length === 0 || acceptsAnyName) return unmatched;
  const manifest = await manifestOf(services, version);
  if (manifest !== undefined) await refuseUnknownNames(services, unmatched, { manifest });
  return unmatched;
}

/** Undefined if it is gone or cannot be read: the rows are in memory, and need neither. */
async function manifestOf({ versions, datasets }: Services, version: string): Promise<Manifest | undefined> {
  if (versions.current?.version === version) return versions.current.manifest;
  return datasets.manifestAt({ version }).catch((thrown: unknown) => {
    if (['not_found', 'unavailable'].includes(failureOf(thrown).code)) return undefined;
    throw thrown;
  });
}

function pageStart(
  services: Services,
  { parameter, cursor: text, filterHash }: ListRequest,
): Pick<Cursor, 'version' | 'offset'> {
  if (text === undefined) return { version: currentVersion(services).version, offset: 0 };
  const cursor = readCursor(text);
  if (cursor === undefined) throw parameterFailure(parameter, 'was not issued by this endpoint');
  if (cursor.filterHash !== filterHash)
    throw parameterFailure(
      parameter,
      'belongs to other filters or another order: start again without a cursor',
    );
  const { asOfVersion } = services.versions;
  if (asOfVersion !== undefined && cursor.version !== asOfVersion)
    throw parameterFailure(
      parameter,
      'belongs to another version than the one that as_of selects: pass one of the two',
    );
  return cursor;
}

const rowsGone = (services: Services, { dataset, parameter, cursor }: ListRequest): Failure =>
  cursor === undefined
    ? missingDataset(servedVersion(services), dataset)
    : parameterFailure(
        parameter,
        'belongs to a version that is no longer kept: start again without a cursor',
      );

/** The cursor of a list: the version at which paging started, its filters, and its position. Opaque to clients. */
export interface Cursor {
  readonly version: string;
  readonly offset: number;
  readonly filterHash: string;
}

const FORM = /^([0-7][0-9A-HJKMNP-TV-Z]{25})\.([0-9]{1,9})\.([A-Za-z0-9_-]{22})$/;

export const filterHashOf = (filter: Readonly<Record<string, unknown>>): string =>
  contentHash(JSON.stringify(Object.entries(filter).sort()));

export const writeCursor = ({ version, offset, filterHash }: Cursor): string =>
  Buffer.from(`${version}.${offset}.${filterHash}`).toString('base64url');

/** Undefined for text that is not a cursor of this service. */
export function readCursor(text: string): Cursor | undefined {
  const match = FORM.exec(Buffer.from(text, 'base64url').toString('latin1'));
  if (match === null) return undefined;
  const [, version = '', offset = '', filterHash = ''] = match;
  return { version, offset: Number(offset), filterHash };
}
