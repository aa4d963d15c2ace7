// Limits on the unpacked size of a gzipped source: a few kilobytes can expand to terabytes and fill the disk.
import { IngestError } from '../errors.ts';

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

export interface Packed {
  /** Path as configured. */
  readonly file: string;
  readonly bytes: number;
}

/** Passes chunks on until a limit is exceeded. @throws IngestError */
export async function* withinLimits(
  chunks: AsyncIterable<Buffer>,
  { file, bytes }: Packed,
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
