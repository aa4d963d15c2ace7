// Checks everything that landed against the recorded hashes: receipts against their own, files against those in the receipts. Changes
// nothing and may run while another process lands.
import type { Finding } from '../../../snapshots/verify.ts';
import type { DataFolder } from '../data-folder.ts';
import { faultOfFile, type LandedFile } from './checked-files.ts';
import { landedFiles, quarantineFiles, type Receipt } from './receipt.ts';
import { LOST_AND_FOUND, lostFiles } from './lost-and-found.ts';
import { DEFAULT_LIMIT_PCT, ReceiptStore } from './receipts.ts';
import { type Notices, SILENT } from './recover.ts';
import { RESTORE_ADVICE, surveyCalmly, surveyLanding, withoutReplaced } from './survey.ts';

/** A kind of files with recorded hashes. */
interface Kind {
  readonly files: (receipts: readonly Receipt[]) => readonly LandedFile[];
  readonly advice: string;
}

const KINDS: readonly Kind[] = [
  { files: landedFiles, advice: RESTORE_ADVICE },
  { files: quarantineFiles, advice: 'Restore it from a backup.' },
];

/** Reads every landed and quarantined file once. */
export async function verifyLanding(folder: DataFolder): Promise<readonly Finding[]> {
  const findings = [...(await landingFindings(folder))];
  const reported = new Set(findings.map(({ file }) => file));
  const { receipts } = await surveyLanding(folder);
  const damaged: Finding[] = [];
  for (const { files, advice } of KINDS) {
    for (const file of files(withoutReplaced(receipts))) {
      if (reported.has(file.path)) continue;
      const fault = await faultOfFile(folder, file);
      if (fault !== null) damaged.push({ file: file.path, problem: `${fault}.`, advice });
    }
  }
  return [...findings, ...(damaged.length === 0 ? [] : await stillNamed(folder, damaged))];
}

/** Findings that need no file to be read: missing files, damaged receipts, and files that no receipt names. */
export async function landingFindings(folder: DataFolder): Promise<readonly Finding[]> {
  const { faults, warnings, unknown } = await surveyCalmly(folder);
  const strays = unknown.map((file) => ({
    file,
    problem: 'no receipt names it.',
    advice: `Restore its receipt from a backup; the next run sets it aside under ${LOST_AND_FOUND}.`,
  }));
  const lost = (await lostFiles(folder)).map((file) => ({
    file,
    problem: 'it was set aside, because no receipt names it.',
    advice:
      'Restore its receipt from a backup, or adopt it with the command `lost+found adopt` of the jobs. If it is not needed, remove it.',
  }));
  return [...faults, ...warnings, ...strays, ...lost];
}

/** Drops findings about files that have been compacted away in the meantime, which are not damaged. */
async function stillNamed(folder: DataFolder, findings: readonly Finding[]): Promise<readonly Finding[]> {
  const receipts = withoutReplaced((await surveyLanding(folder)).receipts);
  const named = new Set(KINDS.flatMap(({ files }) => files(receipts)).map(({ path }) => path));
  return findings.filter(({ file }) => named.has(file));
}

/** For the single writer, before it discards what was computed from landed files. @throws IngestError unless all match their receipts */
export async function assertLandingWhole(folder: DataFolder, notices: Notices = SILENT): Promise<void> {
  const store = await ReceiptStore.open(folder, DEFAULT_LIMIT_PCT, { notices });
  await store.checkFiles(landedFiles(store.all()));
}
