// Damages one published file as disks and people do: a flipped bit, a cut, a deletion, another file's bytes in its place.
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export const DAMAGES = ['flip', 'truncate', 'delete', 'swap'] as const;
export type Damage = (typeof DAMAGES)[number];

/** A small seeded generator of numbers in [0, 1) (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

export async function filesBelow(dir: string): Promise<string[]> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return files.sort();
}

/** Damages `file`; a swap uses the bytes of one of `others`. Returns the original bytes. */
export async function damageFile(
  file: string,
  kind: Damage,
  random: () => number,
  others: readonly string[],
): Promise<Buffer> {
  const before = await readFile(file);
  if (kind === 'delete') await rm(file);
  if (kind === 'truncate') await writeFile(file, before.subarray(0, Math.floor(random() * before.length)));
  if (kind === 'flip') {
    const flipped = Buffer.from(before);
    const at = Math.floor(random() * flipped.length);
    flipped.writeUInt8(flipped.readUInt8(at) ^ (1 << Math.floor(random() * 8)), at);
    await writeFile(file, flipped);
  }
  if (kind === 'swap') {
    const lenders = others.filter((other) => other !== file);
    await writeFile(file, await readFile(lenders[Math.floor(random() * lenders.length)] ?? file));
  }
  return before;
}
