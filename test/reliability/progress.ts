// How far a long test has come, kept in a file while `npm run test:reliability` runs it, so that a row that was stopped at its time limit
// continues where it stopped. Without that file a test always starts from the beginning.
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import type { Json } from '../../platform/base/json.ts';

/** Names the file in the environment of a row. */
export const PROGRESS_FILE = 'RELIABILITY_PROGRESS';

type Stages = { readonly [test: string]: Json };

/** What all tests of a row have saved; empty if there is nothing. */
export const progressIn = (file: string): Stages =>
  existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Stages) : {};

export const forgetProgress = (file: string): void => rmSync(file, { force: true });

export interface Progress<T> {
  /** What an earlier run saved, or the beginning. */
  readonly from: T;
  /** Call it after each seed, trial or step that was without a fault. */
  save(stage: T): void;
}

/** `name` distinguishes the tests of one file. The stage holds everything that the test still needs about what is done. */
export function progressOf<T extends Json>(
  name: string,
  beginning: T,
  file: string | undefined = process.env[PROGRESS_FILE],
): Progress<T> {
  if (file === undefined) return { from: beginning, save: () => undefined };
  return {
    from: (progressIn(file)[name] as T | undefined) ?? beginning,
    save: (stage) => {
      writeFileSync(`${file}.new`, JSON.stringify({ ...progressIn(file), [name]: stage }));
      renameSync(`${file}.new`, file);
    },
  };
}
