// `diff`: reads the published folder and prints what changed. It needs no lock and changes nothing.
import { UsageError } from '../../platform/command-line/usage-error.ts';
import { describeChanges } from '../../snapshots/diff.ts';
import type { ObjectStore } from '../../platform/storage/object-store.ts';
import { listVersions } from '../../snapshots/read.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';

export interface Inspection {
  readonly snapshots: ObjectStore;
  readonly print: (line: string) => void;
}

/** Prints one sentence per change between two versions, by default the last two. A single named version is compared with the last. */
export async function diff({ snapshots, print }: Inspection, named: readonly string[]): Promise<ExitCode> {
  const versions = await listVersions(snapshots);
  for (const version of named) {
    if (!versions.includes(version))
      throw new UsageError(`There is no version ${version} in ${snapshots.nameOf('')}.`);
  }
  const [from, to] = named.length === 2 ? named : [named[0] ?? versions.at(-2), versions.at(-1)];
  if (from === undefined || to === undefined) {
    print(
      `${snapshots.nameOf('')} holds ${versions.length === 1 ? 'one version' : 'no version'}: there is nothing to compare.`,
    );
    return EXIT.done;
  }
  for (const sentence of await describeChanges(snapshots, { from, to })) print(sentence);
  return EXIT.done;
}
