// The static mirror: responses of endpoints as files that any web server can serve, with a list of their hashes. Files check no key, so
// they contain only open data unless the caller names a plan whose data may be included (decision 63). A file is named like the requested
// path, with `.json` appended or with its own extension. The server writes the mirror because only it has envelopes and forms. Ages are
// those at the time of publication, so exporting a version again writes the same files.
import { join } from 'node:path';
import { sha256Hex } from '../../platform/storage/canonical.ts';
import { type Disk, isMissing } from '../../platform/storage/disk.ts';
import { clearTemporary, putFile, TEMP_FOLDER } from '../../platform/storage/durable.ts';
import { PLANS, type PlanName } from '../../schemas/plans.ts';
import { HASH_LIST, MIRROR_CATALOGUE, MIRROR_INDEX } from '../../snapshots/mirror-index.ts';
import { readingInput } from '../access/reading-input.ts';
import type { Access } from '../define/caller.ts';
import { type Endpoint, pathOf } from '../define/endpoint.ts';
import { Failure } from '../define/failure.ts';
import { freshnessAt } from '../replies/freshness.ts';
import { renderReply } from '../replies/render-reply.ts';
import type { Services } from '../services.ts';
import { type MirrorAddress, pinnedFiles } from './pinned-files.ts';

export interface Mirror {
  readonly disk: Disk;
  /** Folder of the mirror. Files in it that no hash list of a mirror names are kept. */
  readonly out: string;
  readonly endpoints: readonly Endpoint[];
  readonly services: Services;
  /** Plan whose data is included; null: only open data. */
  readonly plan: PlanName | null;
  /** Where it will be served; then it also has the files of several versions. */
  readonly address?: MirrorAddress | undefined;
}

export interface MirrorReport {
  readonly files: number;
  readonly written: readonly string[];
  readonly removed: readonly string[];
  /** Paths that no file can represent. */
  readonly skipped: readonly string[];
  /** Responses left out because they need a key or a higher plan. */
  readonly withheld: number;
}

/** Writes new and changed files, then the hash list, then removes old files, so that every listed file exists at any moment. */
export async function writeMirror(mirror: Mirror): Promise<MirrorReport> {
  const { disk, out } = mirror;
  const folder = { disk, dir: out };
  await clearTemporary(folder);
  const hashes = new Map<string, string>();
  const written: string[] = [];
  const skipped: string[] = [];
  let withheld = 0;
  for await (const { path, body } of responses(mirror)) {
    if (body === undefined) {
      withheld++;
      continue;
    }
    const file = fileOf(path);
    if (file === undefined || hashes.has(file)) {
      skipped.push(path);
      continue;
    }
    hashes.set(file, sha256Hex(body));
    if (await replaceFile(folder, file, body)) written.push(file);
  }
  if (mirror.address !== undefined) written.push(...(await writePinned(mirror, mirror.address, hashes)));
  const before = listedFiles(await textOf(disk, join(out, HASH_LIST)));
  // The jobs replace the catalogue after this; until then, the earlier one is valid.
  const catalogue = mirror.address && (await bytesOf(disk, join(out, MIRROR_CATALOGUE)));
  if (catalogue !== undefined) hashes.set(MIRROR_CATALOGUE, sha256Hex(catalogue));
  const list = [...hashes].sort(([a], [b]) => (a < b ? -1 : 1)).map(([file, hash]) => `${hash}  ${file}\n`);
  await replaceFile(folder, HASH_LIST, Buffer.from(list.join('')));
  const removed = [...before.keys()].filter((file) => !hashes.has(file));
  for (const file of removed) await unlessMissing(disk.unlink(join(out, file)));
  await unlessMissing(disk.rmdir(join(out, TEMP_FOLDER)));
  return { files: hashes.size, written, removed, skipped, withheld };
}

/** Adds the hashes of these files, and returns the names of those that it wrote. */
async function writePinned(
  { disk, out, services, plan }: Mirror,
  address: MirrorAddress,
  hashes: Map<string, string>,
): Promise<readonly string[]> {
  const { caller } = readingInput({}, plan);
  const { index, files, present } = await pinnedFiles({ disk, out, services, caller }, address);
  const written: string[] = [];
  for (const { path, sha256 } of present) hashes.set(path, sha256);
  const body = Buffer.from(`${JSON.stringify(index, null, 1)}\n`);
  for (const one of [...files, { path: MIRROR_INDEX, sha256: sha256Hex(body), body }]) {
    hashes.set(one.path, one.sha256);
    if (await replaceFile({ disk, dir: out }, one.path, one.body)) written.push(one.path);
  }
  return written;
}

interface MirroredResponse {
  /** The path as a client requests it. */
  readonly path: string;
  /** Undefined: withheld. */
  readonly body: Buffer | undefined;
}

async function* responses({ endpoints, services, plan, address }: Mirror): AsyncGenerator<MirroredResponse> {
  for (const endpoint of endpoints.filter(({ cache }) => cache === 'shared')) {
    const paths = endpoint.mirror?.(services) ?? endpoint.prepare?.(services) ?? [];
    for await (const params of paths) {
      const path = pathOf(endpoint, params);
      const access = endpoint.accessOf?.(params, services) ?? endpoint.access;
      if (!isWithin(access, plan)) {
        yield { path, body: undefined };
        continue;
      }
      const body = await bodyFor(endpoint, params, { services, plan, address });
      if (body !== undefined) yield { path, body };
    }
  }
}

const isWithin = (access: Access, plan: PlanName | null): boolean =>
  access === 'open' || (plan !== null && PLANS[access.plan].rank <= PLANS[plan].rank);

/** Undefined if there is no such file. */
async function bodyFor(
  endpoint: Endpoint,
  params: Readonly<Record<string, unknown>>,
  { services, plan, address }: Pick<Mirror, 'services' | 'plan' | 'address'>,
): Promise<Buffer | undefined> {
  const origin = address === undefined ? undefined : { url: address.url, isConfigured: true };
  try {
    const reply = await endpoint.handle({ ...readingInput(params, plan), origin }, ageless(services));
    return renderReply(endpoint, reply, null).body;
  } catch (error) {
    if (error instanceof Failure && isAbsent(error)) return undefined;
    throw error;
  }
}

/** A file states no ages: they would never change. */
const ageless = (services: Services): Services => ({
  ...services,
  freshness: (entry) => freshnessAt(entry, null),
});

/** Not there, not there yet, or held back; a file that cannot be read is a fault. */
const isAbsent = ({ code, details }: Failure): boolean =>
  code === 'not_found' || (code === 'unavailable' && details?.['reason'] !== undefined);

const HAS_ENDING = /\.(json|ndjson|csv|parquet|arrow|yaml)$/;

/** Web servers decode a path before they look for its file. Undefined if the decoded path would be a different one. */
export function fileOf(path: string): string | undefined {
  const parts = path.split('/').slice(1).map(decodeURIComponent);
  const isSafe = parts.every((part) => part !== '' && !part.startsWith('.') && !/[/\\\0\n\r]/.test(part));
  if (!isSafe) return undefined;
  const file = parts.join('/');
  return HAS_ENDING.test(file) ? file : `${file}.json`;
}

async function replaceFile(
  folder: { disk: Disk; dir: string },
  file: string,
  body: Buffer,
): Promise<boolean> {
  const present = await bytesOf(folder.disk, join(folder.dir, file));
  if (present?.equals(body)) return false;
  await putFile(folder, file, [body]);
  return true;
}

async function bytesOf(disk: Disk, path: string): Promise<Buffer | undefined> {
  try {
    return await disk.read(path);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

const textOf = async (disk: Disk, path: string): Promise<string> =>
  (await bytesOf(disk, path))?.toString() ?? '';

/** Files and hashes in a hash list. Names that lead out of the folder are ignored, because this service did not write them. */
const listedFiles = (list: string): ReadonlyMap<string, string> =>
  new Map(
    list.split('\n').flatMap((line) => {
      const [, hash, file] = /^([0-9a-f]{64}) {2}(.+)$/.exec(line) ?? [];
      return hash !== undefined && file !== undefined && isOwnName(file) ? [[file, hash] as const] : [];
    }),
  );

const isOwnName = (file: string): boolean =>
  file === MIRROR_CATALOGUE || fileOf(`/${file.split('/').map(encodeURIComponent).join('/')}`) === file;

async function unlessMissing(work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}
