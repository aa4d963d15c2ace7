// The text form of what job hosts share in a bucket. One object, the head, states who leads and names the pieces of a journal, whose lines
// list the files and runs. Every file and piece has its hash in its name and never changes. A file's name also contains the term of its
// writer, so a replaced writer can never remove what a later one has put, however late it resumes.
import { sha256HexOf } from '../../../platform/storage/canonical.ts';
import { DamagedFileError } from '../../../platform/storage/errors.ts';
import type { TermMark } from '../../../platform/storage/fence.ts';

export const HEAD_KEY = 'head.json';
/** Stands for the installation of an unclaimed bucket; the first installation that leads takes it over. */
export const UNCLAIMED = '';
const FORMAT = 1;

/** A file in the bucket. */
export interface CopyRecord {
  readonly sha256: string;
  /** The term in which it was put there. */
  readonly term: number;
}

export type Entry =
  | ({ readonly put: string } & CopyRecord)
  | { readonly removed: string }
  /** A line of the ledger. */
  | { readonly ran: string };

export interface Head {
  readonly leader: TermMark;
  /** sha256 of the pieces, in order. */
  readonly pieces: readonly string[];
  /** Lines that are in no piece yet. */
  readonly tail: readonly string[];
}

/** The state after all lines. Paths are relative to the data folder. */
export interface SharedFiles {
  readonly files: ReadonlyMap<string, CopyRecord>;
  readonly ledger: readonly string[];
}

export const pieceKey = (sha256: string): string => `journal/${sha256}.txt`;

/** The rows of each batch have their own prefix, so that another engine can load one batch by its prefix. */
export function keyOf(path: string, { sha256, term }: CopyRecord): string {
  const mark = `${term}-${sha256}`;
  const dot = path.lastIndexOf('.');
  const [stem, ending] = dot > path.lastIndexOf('/') ? [path.slice(0, dot), path.slice(dot)] : [path, ''];
  return ending === '.parquet' ? `${stem}/${mark}${ending}` : `${stem}.${mark}${ending}`;
}

export const textOfHead = ({ leader, pieces, tail }: Head): string =>
  `${JSON.stringify({ format: FORMAT, ...leader, pieces, tail }, null, 1)}\n`;

/** @throws DamagedFileError */
export function parseHead(bytes: Buffer, file: string): Head {
  const damaged = (actual: string) =>
    new DamagedFileError({ file, expected: 'who leads and the journal', actual, advice: HEAD_ADVICE });
  let head: Partial<Head & TermMark & { format: number }> | null;
  try {
    head = JSON.parse(bytes.toString('utf8'));
  } catch {
    throw damaged('other text');
  }
  const { format, installation, number, pieces, tail } = head ?? {};
  if (format !== FORMAT) throw damaged(`format ${format}`);
  if (typeof installation !== 'string' || typeof number !== 'number' || !isTexts(pieces) || !isTexts(tail))
    throw damaged('other members');
  return { leader: { installation, number }, pieces, tail };
}

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string');

const HEAD_ADVICE =
  'It records what has landed and who may land, so nothing is read or written until it is restored. Put back its last contents (the store may keep old versions).';

export function lineOf(entry: Entry): string {
  if ('put' in entry) return `+ ${entry.sha256} ${entry.term} ${entry.put}`;
  return 'removed' in entry ? `- ${entry.removed}` : `= ${entry.ran}`;
}

/** A line ends at a line feed only: texts may have the other separators that a dot does not match. */
const LINE = /^(?:\+ ([0-9a-f]{64}) (\d+) (.+)|- (.+)|= (.+))$/s;

/** @throws DamagedFileError */
export function replay(lines: Iterable<string>, file: string): SharedFiles {
  const files = new Map<string, CopyRecord>();
  const ledger: string[] = [];
  for (const line of lines) {
    const [, sha256, term, put, removed, ran] = LINE.exec(line) ?? [];
    if (sha256 !== undefined && put !== undefined) files.set(put, { sha256, term: Number(term) });
    else if (removed !== undefined) files.delete(removed);
    else if (ran !== undefined) ledger.push(ran);
    else
      throw new DamagedFileError({ file, expected: 'lines of a journal', actual: line, advice: HEAD_ADVICE });
  }
  return { files, ledger };
}

/** The shortest list of lines with the same meaning. */
export const linesOf = ({ files, ledger }: SharedFiles): string[] => [
  ...[...files].map(([put, record]) => lineOf({ put, ...record })),
  ...ledger.map((ran) => lineOf({ ran })),
];

export const pieceOf = (lines: readonly string[]): { readonly sha256: string; readonly bytes: Buffer } => {
  const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''));
  return { sha256: sha256HexOf([bytes]), bytes };
};
