// Errors about a source as a whole. A bad row is not an error: it goes to quarantine. Every message names the file and says what to do.
import { printable, sentence } from '../../platform/base/printable.ts';
import { systemCode } from '../../platform/storage/disk.ts';

export type IngestFault =
  | 'missing_file'
  | 'empty_file'
  | 'unreadable_file'
  | 'changing_file'
  | 'bad_document'
  | 'missing_column'
  | 'bad_mapping'
  | 'bad_delivery'
  | 'disk_full'
  | 'disk_error'
  | 'store_error'
  | 'damaged_landing';

export interface LandingFacts {
  readonly file?: string;
  readonly line?: number;
  readonly field?: string;
  /** What the reader of the message should do. */
  readonly todo: string;
  readonly cause?: unknown;
}

/** A batch cannot land. None of it was kept, and earlier batches are untouched. */
export class IngestError extends Error {
  override readonly name = 'IngestError';
  readonly fault: IngestFault;
  readonly file: string | null;
  readonly line: number | null;
  readonly field: string | null;

  constructor(fault: IngestFault, what: string, facts: LandingFacts) {
    const position = [
      facts.file,
      facts.line === undefined ? undefined : `line ${facts.line}`,
      facts.field === undefined ? undefined : `field ${facts.field}`,
    ].filter((part) => part !== undefined);
    const prefix = position.length === 0 ? '' : `${position.join(', ')}: `;
    const problem = prefix === '' ? capitalized(what) : what;
    super(printable(`${prefix}${problem}. ${sentence(facts.todo)}`), { cause: facts.cause });
    this.fault = fault;
    this.file = facts.file ?? null;
    this.line = facts.line ?? null;
    this.field = facts.field ?? null;
  }
}

const capitalized = (text: string) => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;

/** Turns a failed write into an IngestError. A full disk is reported as such, whether the system or the SQL engine ran into it. */
export function writeError(error: unknown, file: string): IngestError {
  if (error instanceof IngestError) return error;
  const message = error instanceof Error ? error.message : String(error);
  const isFull =
    ['ENOSPC', 'EDQUOT'].includes(systemCode(error) ?? '') || /no space left|quota exceeded/i.test(message);
  if (isFull) {
    const todo =
      'Free space on that disk and run again. Nothing of the batch was kept; earlier batches are untouched';
    return new IngestError('disk_full', 'the disk is full', { file, todo, cause: error });
  }
  if (error instanceof Error && error.name === 'StoreError') {
    const todo = 'Run again when the bucket can be reached. Nothing of the batch was kept';
    return new IngestError('store_error', message.replace(/\.$/, ''), { file, todo, cause: error });
  }
  const [first = ''] = message.split('\n');
  const todo = `${remedyOf(`${systemCode(error) ?? ''} ${first}`)} and run again. Nothing of the batch was kept; earlier batches are untouched`;
  return new IngestError('disk_error', `cannot write: ${first}`, { file, todo, cause: error });
}

function remedyOf(message: string): string {
  if (/\bEROFS\b|read-only file system/i.test(message))
    return 'The folder is mounted read-only: mount it writable';
  if (/\b(EACCES|EPERM)\b|permission denied|operation not permitted/i.test(message))
    return 'Give the user who runs the jobs the right to write in this folder';
  if (/\bEIO\b|input\/output error/i.test(message)) return 'The disk reports an error: check it';
  return 'Check the disk';
}
