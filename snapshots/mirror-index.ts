// What a static mirror has for readers of files: the versions whose Parquet files it keeps under their hash. The server writes them, the
// jobs build the catalogue over them.

export const HASH_LIST = 'SHA256SUMS';
export const MIRROR_INDEX = 'versions.json';
export const MIRROR_CATALOGUE = 'catalog.duckdb';
/** The description of the newest version. */
export const MIRROR_DESCRIPTION = 'datapackage.json';

export interface MirroredFile {
  /** In the mirror. */
  readonly path: string;
  readonly sha256: string;
  readonly bytes: number;
}

export interface MirroredVersion {
  readonly version: string;
  /** Logical time of its datasets, ISO 8601 UTC. */
  readonly as_of: string;
  readonly datasets: { readonly [id: string]: MirroredFile };
}

export interface MirrorIndex {
  /** Public address of the mirror, without a trailing slash. */
  readonly url: string;
  /** Newest first. */
  readonly versions: readonly MirroredVersion[];
}

export const parquetPath = (id: string, sha256: string): string => `parquet/${id}/${sha256}.parquet`;

/** The address of a file. Web servers of files ignore the version; a reader sees it in the error once the file has been removed. */
export const addressOf = (url: string, { path }: MirroredFile, version: string): string =>
  `${url}/${path}?version=${version}`;

/** @throws SyntaxError, TypeError if it is not such a file */
export function parseMirrorIndex(text: string): MirrorIndex {
  const index = JSON.parse(text) as MirrorIndex;
  if (typeof index.url !== 'string' || !Array.isArray(index.versions))
    throw new TypeError(`${MIRROR_INDEX} is not a list of versions.`);
  return index;
}
