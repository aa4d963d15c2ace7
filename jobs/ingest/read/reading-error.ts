// What a failure of the engine while it reads a source means: the source, our disk, or the engine itself.
import type { Engine } from '../../engine/engine.ts';
import { LandingError, writeError } from '../errors.ts';

export interface Reader {
  readonly engine: Engine;
  /** The data folder. */
  readonly dir: string;
  readonly file: string;
  readonly format: string | null;
}

/** The error to throw instead. */
export async function readingError(error: unknown, { engine, dir, file, format }: Reader): Promise<unknown> {
  if (error instanceof LandingError || (await isEngineLost(engine))) return error;
  const words = error instanceof Error ? error.message : String(error);
  if (/no space left|quota exceeded|could not write/i.test(words)) return writeError(error, dir);
  if (/out of memory/i.test(words)) return error;
  return new LandingError('unreadable_file', `it cannot be read as ${format}`, {
    file,
    todo: 'See the cause',
    cause: error,
  });
}

/** A file that cannot be read leaves the engine as it was; damage of the warehouse does not. */
const isEngineLost = (engine: Engine): Promise<boolean> =>
  engine.rows('select 1').then(
    () => false,
    () => true,
  );
