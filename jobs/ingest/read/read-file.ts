// Holds a source's file for reading: hashes its bytes, unpacks and verifies gzip, and copies a file that changes while it is read.
import { createHash } from 'node:crypto';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { isMissing } from '../../../platform/storage/disk.ts';
import type { FileDelivery } from '../../define/source.ts';
import { IngestError, writeError } from '../errors.ts';
import { hashOf } from '../hash.ts';
import { type DataFolder, removeQuietly, temporaryPath } from '../data-folder.ts';
import type { SourceFiles, SourceStat } from './source-files.ts';
import { splitCsv, splitLines } from './split-records.ts';

export interface StableFile {
  /** Plain bytes to read records from. */
  readonly path: string;
  /** Size of the file before it was unpacked. */
  readonly bytes: number;
  readonly stamp: string;
  /** sha256 of the file's own bytes, hex. */
  readonly contentHash: string;
  /** Whether the file is still the one that was hashed. Always true for a copy. */
  isUnchanged(): Promise<boolean>;
  release(): Promise<void>;
}

export interface Reading {
  readonly files: SourceFiles;
  readonly folder: DataFolder;
  readonly delivery: FileDelivery;
  readonly gzipLimits?: GzipLimits;
}

/** Two files with the same name in different folders may be held at once. */
const nameOf = (path: string) => `${basename(path)}.${hashOf(path).slice(0, 8)}`;

const GZIP_MAGIC = [0x1f, 0x8b] as const;

/** Throws IngestError when it is missing, not a file, or empty. */
export async function statSource({ files, delivery }: Reading): Promise<SourceStat> {
  const file = delivery.path;
  const facts = await files.stat(file).catch((cause: unknown) => {
    const isPattern = /[*?{]/.test(file);
    const absent = isPattern ? 'no file matches' : 'the file does not exist';
    const what = isMissing(cause) ? absent : 'the file cannot be read';
    const todo = 'Check the path in the configuration and the permissions';
    throw new IngestError(isMissing(cause) ? 'missing_file' : 'unreadable_file', what, {
      file,
      todo,
      cause,
    });
  });
  if (!facts.isFile)
    throw new IngestError('unreadable_file', 'it is not a file', {
      file,
      todo: 'Give the path of a file, or a glob',
    });
  if (facts.bytes === 0)
    throw new IngestError('empty_file', 'the file is empty', { file, todo: 'Fetch it again, or remove it' });
  return facts;
}

/** Hashes the file as it is and unpacks gzip. */
export async function holdFile(reading: Reading): Promise<StableFile> {
  const { files, delivery } = reading;
  const { stamp, bytes } = await statSource(reading);
  const isSame = () => hasStamp(files, delivery.path, stamp);
  const { contentHash, isGzip } = await hashFile(reading);
  if (!isGzip)
    return { path: delivery.path, bytes, stamp, contentHash, isUnchanged: isSame, release: async () => {} };
  const inflated = await inflate(reading, { file: delivery.path, bytes }, isSame);
  return {
    path: join(reading.folder.dir, inflated),
    bytes,
    stamp,
    contentHash,
    isUnchanged: isSame,
    release: () => removeQuietly(reading.folder, [inflated]),
  };
}

/** A file that can no longer be inspected counts as changed. */
const hasStamp = (files: SourceFiles, path: string, stamp: string): Promise<boolean> =>
  files.stat(path).then(
    (facts) => facts.stamp === stamp,
    () => false,
  );

async function hashFile({ files, delivery }: Reading): Promise<{ contentHash: string; isGzip: boolean }> {
  const hash = createHash('sha256');
  let isGzip: boolean | undefined;
  for await (const chunk of readable(files.read(delivery.path), delivery.path)) {
    isGzip ??= chunk[0] === GZIP_MAGIC[0] && chunk[1] === GZIP_MAGIC[1];
    hash.update(chunk);
  }
  return { contentHash: hash.digest('hex'), isGzip: isGzip ?? false };
}

async function* readable(chunks: AsyncIterable<Buffer>, file: string): AsyncIterable<Buffer> {
  try {
    yield* chunks;
  } catch (cause) {
    const todo = 'Check the disk and the permissions';
    throw new IngestError('unreadable_file', 'reading it failed', { file, todo, cause });
  }
}

/** Unpacks into a temporary file, because a stream's checksum is known only at its end and because plain bytes are read in parallel. */
async function inflate(
  { files, folder, delivery, gzipLimits = GZIP_LIMITS }: Reading,
  packed: PackedFile,
  isSame: () => Promise<boolean>,
): Promise<string> {
  const target = temporaryPath(`${nameOf(packed.file)}.plain`);
  const output = await folder.disk.create(join(folder.dir, target)).catch((cause: unknown) => {
    throw writeError(cause, join(folder.dir, target));
  });
  let writing: unknown;
  const write = async (chunks: AsyncIterable<Buffer>) => {
    for await (const chunk of withinLimits(chunks, packed, gzipLimits)) {
      await output.write(chunk).catch((cause: unknown) => {
        writing = cause;
        throw cause;
      });
    }
  };
  try {
    await pipeline(files.read(packed.file), createGunzip(), write);
    return target;
  } catch (cause) {
    await removeQuietly(folder, [target]);
    if (cause instanceof IngestError) throw cause;
    if (writing !== undefined) throw writeError(writing, join(folder.dir, target));
    throw unpackError(delivery.path, { isGrowing: !(await isSame()), cause });
  } finally {
    await output.close();
  }
}

function unpackError(
  file: string,
  { isGrowing, cause }: { isGrowing: boolean; cause: unknown },
): IngestError {
  const what = isGrowing
    ? 'the gzip file changed while it was read'
    : 'the gzip data is damaged or cut short';
  const todo = isGrowing
    ? 'Run again when it is completely written. Better: write it elsewhere and rename it'
    : 'Fetch it again';
  return new IngestError(isGrowing ? 'changing_file' : 'unreadable_file', what, { file, todo, cause });
}

/** Copies a growing CSV or NDJSON file up to its last complete record. Throws IngestError for formats that cannot be truncated. */
export async function holdCopy(reading: Reading): Promise<StableFile> {
  const { files, folder, delivery } = reading;
  const { bytes, stamp } = await statSource(reading);
  const changing = (what: string) => {
    const todo = 'Run again when it is completely written. Better: write it elsewhere and rename it';
    return new IngestError('changing_file', what, { file: delivery.path, todo });
  };
  if (delivery.format !== 'csv' && delivery.format !== 'ndjson')
    throw changing('the file changes while it is read');
  const copy = temporaryPath(`${nameOf(delivery.path)}.copy`);
  const first = await copyPrefix(reading, copy, bytes);
  if (first.isGzip || first.hash !== (await hashPrefix(files, delivery.path, bytes))) {
    await removeQuietly(folder, [copy]);
    throw changing('the file is rewritten while it is read');
  }
  const end = await lastCompleteEnd(files, join(folder.dir, copy), delivery);
  if (end === 0) throw changing('the file has no complete record yet');
  const cut = temporaryPath(`${nameOf(delivery.path)}.cut`);
  const { hash } = await copyPrefix(
    { ...reading, delivery: { ...delivery, path: join(folder.dir, copy) } },
    cut,
    end,
  );
  await removeQuietly(folder, [copy]);
  return {
    path: join(folder.dir, cut),
    bytes: end,
    stamp: `${stamp}-cut`,
    contentHash: hash,
    isUnchanged: async () => true,
    release: () => removeQuietly(folder, [cut]),
  };
}

async function copyPrefix(
  { files, folder, delivery }: Reading,
  to: string,
  bytes: number,
): Promise<{ hash: string; isGzip: boolean }> {
  const hash = createHash('sha256');
  let isGzip: boolean | undefined;
  try {
    const output = await folder.disk.create(join(folder.dir, to));
    try {
      for await (const chunk of files.read(delivery.path, bytes)) {
        isGzip ??= chunk[0] === GZIP_MAGIC[0] && chunk[1] === GZIP_MAGIC[1];
        hash.update(chunk);
        await output.write(chunk);
      }
    } finally {
      await output.close();
    }
  } catch (cause) {
    throw writeError(cause, join(folder.dir, to));
  }
  return { hash: hash.digest('hex'), isGzip: isGzip ?? false };
}

async function hashPrefix(files: SourceFiles, path: string, bytes: number): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of files.read(path, bytes)) hash.update(chunk);
  return hash.digest('hex');
}

async function lastCompleteEnd(files: SourceFiles, path: string, delivery: FileDelivery): Promise<number> {
  const chunks = files.read(path);
  const batches =
    delivery.format === 'csv' ? splitCsv(chunks, delivery.delimiter ?? ',') : splitLines(chunks);
  let end = 0;
  for await (const records of batches) {
    const last = records.findLast((record) => record.isEnded);
    if (last !== undefined) end = last.byteOffset + last.bytes.length;
  }
  if (end === 0) return 0;
  const { bytes } = await files.stat(path);
  return Math.min(bytes, end + 1);
}

// Limits on the unpacked size of a gzipped source: a few kilobytes can expand to terabytes and fill the disk.

export interface GzipLimits {
  /** Bytes after unpacking. */
  readonly maxBytes: number;
  /** Unpacked bytes per packed byte. */
  readonly maxRatio: number;
}

const MIB = 1 << 20;

export const GZIP_LIMITS: GzipLimits = { maxBytes: 16_384 * MIB, maxRatio: 200 };

/** Unpacked size up to which any ratio is allowed: gzip packs up to 1,032 to one. */
const FREE_BYTES = 64 * MIB;

interface PackedFile {
  /** Path as configured. */
  readonly file: string;
  readonly bytes: number;
}

/** Passes chunks on until a limit is exceeded. @throws IngestError */
export async function* withinLimits(
  chunks: AsyncIterable<Buffer>,
  { file, bytes }: PackedFile,
  { maxBytes, maxRatio }: GzipLimits,
): AsyncIterable<Buffer> {
  const dense = Math.max(FREE_BYTES, bytes * maxRatio);
  let unpacked = 0;
  for await (const chunk of chunks) {
    unpacked += chunk.length;
    if (unpacked > maxBytes) {
      throw tooMuch(file, `unpacks to more than ${maxBytes / MIB} MiB`, 'GZIP_MAX_MB');
    }
    if (unpacked > dense) {
      throw tooMuch(file, `unpacks to more than ${maxRatio} times its ${bytes} bytes`, 'GZIP_MAX_RATIO');
    }
    yield chunk;
  }
}

const tooMuch = (file: string, what: string, setting: string) =>
  new IngestError('unreadable_file', `the gzip data ${what}`, {
    file,
    todo: `Check where the file comes from. If it is sound, raise ${setting} or supply the file unpacked`,
  });
