// `lost+found list` and `lost+found adopt`: landing files that were set aside because no receipt names them.
import type { Disk } from '../../platform/storage/disk.ts';
import { type Adoption, adoptFound } from '../ingest/receipts/adopt.ts';
import { lostFiles } from '../ingest/receipts/lost-and-found.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { counted } from '../../platform/base/plural.ts';

export interface LostFilesView {
  readonly disk: Disk;
  readonly dataDir: string;
  /** A command as it is typed for this folder. */
  readonly commandFor: (message: string) => string;
  readonly print: (line: string) => void;
}

/** Prints one line per file; needs no lock. */
export async function listLost(
  { disk, dataDir, commandFor, print }: LostFilesView,
  json: boolean,
): Promise<ExitCode> {
  const files = await lostFiles({ disk, dir: dataDir });
  for (const file of files) print(json ? JSON.stringify({ file }) : file);
  if (!json)
    print(
      files.length === 0
        ? 'No file was set aside.'
        : `${counted(files.length, 'file')}. To land those that are intact: ${commandFor('lost+found adopt')}`,
    );
  return EXIT.done;
}

/** Prints the outcome for each file; the exit code shows whether any file was left in place. */
export async function adoptLost(adoption: Adoption, print: (line: string) => void): Promise<ExitCode> {
  const adopted = await adoptFound(adoption);
  for (const { file, rows, what } of adopted)
    print(`${file}: ${what}${rows === null || rows === 0 ? '' : ` (${counted(rows, 'row')})`}`);
  if (adopted.length === 0) print('No file was set aside.');
  return adopted.some(({ rows }) => rows === null) ? EXIT.partial : EXIT.done;
}
