// The Parquet files of the newest and of earlier exported versions in the static mirror, each under its hash: a reader of a version finds
// the same bytes for as long as the mirror keeps that version.
import { join } from 'node:path';
import { type Disk, isMissing } from '../../platform/storage/disk.ts';
import { datasetsAsOf } from '../../snapshots/layout.ts';
import {
  MIRROR_INDEX,
  type MirroredFile,
  type MirroredVersion,
  type MirrorIndex,
  parquetPath,
  parseMirrorIndex,
} from '../../snapshots/mirror-index.ts';
import { isAuthorized } from '../access/authorize.ts';
import type { Caller } from '../define/caller.ts';
import { currentVersion } from '../define/missing-data.ts';
import type { Services } from '../services.ts';

export interface MirrorAddress {
  /** Public address of the mirror. */
  readonly url: string;
  /** How many exported versions it keeps. */
  readonly versions: number;
}

export interface PinnedFiles {
  readonly index: MirrorIndex;
  /** Files of the newest version. */
  readonly files: readonly (MirroredFile & { readonly body: Buffer })[];
  /** Files of earlier versions, which the folder has. */
  readonly present: readonly MirroredFile[];
}

export interface PinSource {
  readonly disk: Disk;
  readonly out: string;
  readonly services: Services;
  readonly caller: Caller;
}

export async function pinnedFiles(
  source: PinSource,
  { url, versions: count }: MirrorAddress,
): Promise<PinnedFiles> {
  const newest = await newestVersion(source);
  const earlier: MirroredVersion[] = [];
  for (const one of await earlierVersions(source)) {
    if (earlier.length + 1 >= count) break;
    if (one.version !== newest.version.version) earlier.push(await stillPresent(source, one));
  }
  const files = new Map(
    earlier.flatMap(({ datasets }) => Object.values(datasets).map((file) => [file.path, file])),
  );
  return {
    index: { url: url.replace(/\/+$/, ''), versions: [newest.version, ...earlier] },
    files: newest.files,
    present: [...files.values()],
  };
}

async function newestVersion({ services, caller }: PinSource) {
  const { manifest } = currentVersion(services);
  const files: PinnedFiles['files'][number][] = [];
  const datasets: Record<string, MirroredFile> = {};
  for (const [id, { forms }] of Object.entries(manifest.datasets)) {
    if (forms?.parquet === undefined || !isAuthorized(services.datasetAccess(id), caller)) continue;
    const body = await services.datasets.form(manifest.version, id, 'parquet');
    if (body === null) continue;
    const { sha256, bytes } = forms.parquet;
    const file = { path: parquetPath(id, sha256), sha256, bytes };
    datasets[id] = file;
    files.push({ ...file, body });
  }
  const version: MirroredVersion = { version: manifest.version, as_of: datasetsAsOf(manifest), datasets };
  return { version, files };
}

/** Those of the mirror before, newest first. A file of others under this name lists none. */
async function earlierVersions({ disk, out }: PinSource): Promise<readonly MirroredVersion[]> {
  try {
    return parseMirrorIndex((await disk.read(join(out, MIRROR_INDEX))).toString()).versions;
  } catch (error) {
    if (isMissing(error) || error instanceof SyntaxError || error instanceof TypeError) return [];
    throw error;
  }
}

/** The datasets of an earlier version that the caller may read now and whose files have not been removed by hand. */
async function stillPresent(
  { disk, out, services, caller }: PinSource,
  { version, as_of, datasets }: MirroredVersion,
): Promise<MirroredVersion> {
  const present: Record<string, MirroredFile> = {};
  for (const [id, { sha256, bytes }] of Object.entries(datasets)) {
    const path = parquetPath(id, sha256);
    const isReadable = isAuthorized(services.datasetAccess(id), caller);
    if (isReadable && (await hasBytes(disk, join(out, path), bytes))) present[id] = { path, sha256, bytes };
  }
  return { version, as_of, datasets: present };
}

async function hasBytes(disk: Disk, path: string, bytes: number): Promise<boolean> {
  try {
    return (await disk.stat(path)).bytes === bytes;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}
