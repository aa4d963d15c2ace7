// Errors of a published folder: programs decide by the class, people read the message.
import { printable } from '../base/printable.ts';

/** A file that is missing, cut short, changed or of another version than its name or hash promises. Retrying does not help. */
export class DamagedFileError extends Error {
  override readonly name = 'DamagedFileError';
  readonly file: string;
  readonly expected: string;
  readonly actual: string;
  readonly advice: string;

  constructor(
    facts: { file: string; expected: string; actual: string; advice: string },
    options?: ErrorOptions,
  ) {
    super(
      printable(
        `${facts.file} is damaged: expected ${facts.expected}, found ${facts.actual}. ${facts.advice}`,
      ),
      options,
    );
    this.file = facts.file;
    this.expected = facts.expected;
    this.actual = facts.actual;
    this.advice = facts.advice;
  }
}

/** The folder was written in a format unknown to this program. */
export class UnsupportedFormatError extends Error {
  override readonly name = 'UnsupportedFormatError';

  constructor(message: string, options?: ErrorOptions) {
    super(printable(message), options);
  }
}

/** The data to publish or append violates the format; nothing visible to readers was written. */
export class RefusedInputError extends Error {
  override readonly name = 'RefusedInputError';

  constructor(message: string, options?: ErrorOptions) {
    super(printable(message), options);
  }
}

/** The system failed to write; the previous version is untouched. `cause` is the system's error. */
export class WriteFailedError extends Error {
  override readonly name = 'WriteFailedError';
  readonly file: string;
  readonly code: string | undefined;

  constructor(file: string, code: string | undefined, cause: unknown) {
    super(`Cannot write ${file}: ${reason(code, cause)}`, { cause });
    this.file = file;
    this.code = code;
  }
}

const ADVICE: { readonly [code: string]: string } = {
  ENOSPC: 'the disk is full. Free some space and run again; the previous version stays readable.',
  EDQUOT: 'the disk quota is used up. Free some space and run again; the previous version stays readable.',
  EROFS: 'the file system is read-only. Mount it writable or set SNAPSHOT_DIR to another folder.',
  EACCES:
    'permission denied. Give this user the right to write the folder, or set SNAPSHOT_DIR to another one.',
  EPERM:
    'permission denied. Give this user the right to write the folder, or set SNAPSHOT_DIR to another one.',
  EIO: 'the disk reports an input/output error. Check the disk, then run again; the previous version stays readable.',
  EMFILE: 'too many open files. Raise the limit (ulimit -n) and run again.',
  ENOTDIR: 'a part of its path is a file and not a folder. Move that file away and run again.',
};

function reason(code: string | undefined, cause: unknown): string {
  const known = code === undefined ? undefined : ADVICE[code];
  if (known !== undefined) return `${known} (${code})`;
  return cause instanceof Error ? cause.message : String(cause);
}
