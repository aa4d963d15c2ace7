// Every kind of file under DATA_DIR, and every way in which one gets lost or changed.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export const FILE_KINDS = {
  'landing Parquet': /^landing\/.*\.parquet$/,
  receipt: /^landing\/.*\.json$/,
  quarantine: /^quarantine\//,
  'landing key': /^landing\.key$/,
  warehouse: /^warehouse\.duckdb$/,
  'warehouse log': /^warehouse\.duckdb\.wal$/,
  ledger: /^ledger\.ndjson$/,
  pointer: /^snapshots\/current\.json$/,
  manifest: /^snapshots\/versions\//,
  dataset: /^snapshots\/datasets\//,
  'event segment': /^snapshots\/events\//,
  'collection note': /^snapshots\/collected\.json$/,
  'ops store': /^ops\/ops\.sqlite$/,
  'ops store log': /^ops\/ops\.sqlite-wal$/,
  'seal key': /^ops\/seal\.key$/,
  'audit head': /^ops\/.*audit-head$/,
} as const;

export type FileKind = keyof typeof FILE_KINDS;

export const isOfStore = (kind: FileKind): boolean => FILE_KINDS[kind].source.startsWith('^ops');

export const DAMAGES = [
  'missing',
  'empty',
  'truncated',
  'one bit',
  'older copy',
  'another installation',
] as const;
export type Damage = (typeof DAMAGES)[number];

/** Paths relative to the folder, sorted. */
export const filesIn = (dir: string): readonly string[] =>
  readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(dir.length + 1))
    .sort();

export interface Lenders {
  /** The same folder at an earlier time. */
  readonly older: string;
  /** A folder of another installation. */
  readonly other: string;
}

export interface Harm {
  readonly dir: string;
  readonly kind: FileKind;
  readonly damage: Damage;
  readonly random: () => number;
  readonly lenders: Lenders;
}

export interface Harmed {
  readonly path: string;
  /** Puts the original bytes back. */
  restore(): void;
}

/** Harms one file of the kind; null when there is none, or when the damage would leave its bytes unchanged. */
export function harm({ dir, kind, damage, random, lenders }: Harm): Harmed | null {
  const ofKind = (folder: string) => filesIn(folder).filter((path) => FILE_KINDS[kind].test(path));
  const pick = (list: readonly string[]) => list[Math.floor(random() * list.length)];
  const path = pick(ofKind(dir));
  if (path === undefined) return null;
  const before = readFileSync(join(dir, path));
  const after = changed(before, damage, {
    random,
    older: readOf(lenders.older, path) ?? readOf(lenders.older, pick(ofKind(lenders.older))),
    other: readOf(lenders.other, path) ?? readOf(lenders.other, pick(ofKind(lenders.other))),
  });
  if (after?.equals(before)) return null;
  if (after === null) rmSync(join(dir, path));
  else writeFileSync(join(dir, path), after);
  return {
    path,
    restore() {
      mkdirSync(dirname(join(dir, path)), { recursive: true });
      writeFileSync(join(dir, path), before);
    },
  };
}

const readOf = (dir: string, path: string | undefined): Buffer | null =>
  path !== undefined && existsSync(join(dir, path)) ? readFileSync(join(dir, path)) : null;

interface Means {
  readonly random: () => number;
  readonly older: Buffer | null;
  readonly other: Buffer | null;
}

/** The changed bytes; null for no file at all. The original bytes if there is nothing to replace them with. */
function changed(before: Buffer, damage: Damage, { random, older, other }: Means): Buffer | null {
  switch (damage) {
    case 'missing':
      return null;
    case 'empty':
      return Buffer.alloc(0);
    case 'truncated':
      return before.subarray(0, Math.floor(random() * before.length));
    case 'one bit': {
      if (before.length === 0) return before;
      const flipped = Buffer.from(before);
      const at = Math.floor(random() * flipped.length);
      flipped.writeUInt8(flipped.readUInt8(at) ^ (1 << Math.floor(random() * 8)), at);
      return flipped;
    }
    case 'older copy':
      return older ?? before;
    default:
      return other ?? before;
  }
}
