// Access to files written by others, injected: tests make them change or fail, production passes `nodeSourceFiles`.
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';

export interface SourceStat {
  readonly bytes: number;
  /** Changes whenever the file does: inode, size, and times in nanoseconds. */
  readonly stamp: string;
  readonly isFile: boolean;
}

export interface SourceFiles {
  stat(path: string): Promise<SourceStat>;
  /** The first `bytes` bytes, or the whole file. */
  read(path: string, bytes?: number): AsyncIterable<Buffer>;
}

const CHUNK_BYTES = 1 << 20;

export const nodeSourceFiles: SourceFiles = Object.freeze({
  async stat(path: string) {
    const facts = await stat(path, { bigint: true });
    const stamp = [facts.ino, facts.size, facts.mtimeNs, facts.ctimeNs].join('-');
    return { bytes: Number(facts.size), stamp, isFile: facts.isFile() };
  },
  /** Opens the file when the first chunk is asked for: a stream that no one reads yet would end the process if it cannot be opened. */
  async *read(path: string, bytes?: number): AsyncIterable<Buffer> {
    if (bytes === 0) return;
    yield* createReadStream(path, {
      highWaterMark: CHUNK_BYTES,
      ...(bytes === undefined ? {} : { end: bytes - 1 }),
    });
  },
});
