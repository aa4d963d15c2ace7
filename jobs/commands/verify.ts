// `verify`: checks all files on disk against their hashes. It needs no lock and changes nothing.
import type { Disk } from '../../platform/storage/disk.ts';
import type { ObjectStore } from '../../platform/storage/object-store.ts';
import { type Finding, verifyFolder } from '../../snapshots/verify.ts';
import { verifyLanding } from '../ingest/receipts/verify.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { counted } from '../../platform/base/plural.ts';

export interface Verification {
  readonly disk: Disk;
  readonly dataDir: string;
  readonly snapshots: ObjectStore;
  readonly print: (line: string) => void;
}

/** A folder that is checked, and the sentence to print when it is intact. */
interface Part {
  readonly whole: string;
  readonly find: () => Promise<readonly Finding[]>;
}

const partsOf = ({ disk, dataDir, snapshots }: Verification): readonly Part[] => [
  {
    whole: `${snapshots.nameOf('')}: all published files are intact.`,
    find: () => verifyFolder(snapshots),
  },
  {
    whole: `${dataDir}: all landed files are intact.`,
    find: () => verifyLanding({ disk, dir: dataDir }),
  },
];

/** Prints one line per finding; the exit code shows whether there were any. */
export async function verify(verification: Verification): Promise<ExitCode> {
  const { print } = verification;
  let count = 0;
  for (const { whole, find } of partsOf(verification)) {
    const findings = await find();
    for (const { file, problem, advice } of findings) print(`${file}: ${problem} ${advice}`);
    if (findings.length === 0) print(whole);
    count += findings.length;
  }
  if (count > 0) print(`${counted(count, 'finding')}.`);
  return count === 0 ? EXIT.done : EXIT.failed;
}
