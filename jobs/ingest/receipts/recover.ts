// Recovery when landing is opened, before anything is read from it: leftovers of crashes are removed, files that no receipt names are set
// aside, receipts of older versions get their hashes, and any loss is an error. Only for the single writer.

import { basename, dirname, join } from 'node:path';
import { counted } from '../../../platform/base/plural.ts';
import { settleUpTo } from '../../../platform/storage/disk-steps.ts';
import type { Finding } from '../../../snapshots/verify.ts';
import {
  type DataFolder,
  makeFolder,
  moveFile,
  namesIn,
  QUARANTINE_FOLDER,
  quarantinePath,
  remove,
  TEMPORARY_FOLDER,
  temporaryPath,
  writeTemporary,
} from '../data-folder.ts';
import { IngestError } from '../errors.ts';
import { CATALOGUE, type CatalogueEntry, writeCatalogue } from './catalogue.ts';
import { hashOfFile, type LandedFile } from './checked-files.ts';
import { bringBack, setAside } from './lost-and-found.ts';
import { landedFiles, quarantineFiles, type Receipt, sealReceipt } from './receipt.ts';
import { type ReceiptFile, STAMPING, type Survey, surveyLanding } from './survey.ts';

/** How landing reports what it does on its own. */
export interface Notices {
  step(what: string, fields?: { readonly [name: string]: string | number }): void;
  warn(what: string, fields?: { readonly [name: string]: string | number }): void;
}

export const SILENT: Notices = { step: () => undefined, warn: () => undefined };

/** @throws IngestError when something that landed is lost or in doubt. */
export async function recoverLanding(folder: DataFolder, notices: Notices): Promise<readonly ReceiptFile[]> {
  await makeFolder(folder, TEMPORARY_FOLDER);
  let survey = await surveyLanding(folder);
  const back = await bringBack(folder, wantedFiles(survey));
  for (const file of back) notices.step('put back from lost+found', { file });
  if (back.length > 0) survey = await surveyLanding(folder);
  const uncommitted = new Set(
    (await namesIn(folder, TEMPORARY_FOLDER)).filter((name) => name.endsWith('.json')),
  );
  for (const path of survey.unknown) {
    const isTrace = uncommitted.has(`${basename(path).replace(/\.\w+$/, '')}.json`);
    if (isTrace) await remove(folder, path);
    else notices.warn('no receipt names this file: it is set aside', { file: await setAside(folder, path) });
  }
  refuse(folder, survey.faults);
  await settleReceipts(folder, survey);
  for (const receipt of survey.pending) await removePending(folder, receipt);
  survey = withoutPending(survey);
  for (const { file, problem } of survey.warnings) notices.warn(`${file}: ${problem}`);
  const receipts = await stampAll(folder, survey, notices);
  await listAll(folder, { survey, receipts }, notices);
  for (const name of await namesIn(folder, TEMPORARY_FOLDER)) await remove(folder, temporaryPath(name));
  return receipts;
}

/** A receipt that an interrupted landing left is there, but a power failure could still take it away, after its rows were published. */
async function settleReceipts({ disk, dir }: DataFolder, { receipts }: Survey): Promise<void> {
  const folders = new Set(receipts.map(({ path }) => dirname(path)));
  for (const folder of folders) await settleUpTo(disk, join(dir, folder), dir);
}

/** A supersession was interrupted before its commit, so nothing rests on its batches. The receipt goes last, so that none is overlooked. */
async function removePending(folder: DataFolder, { path, receipt }: ReceiptFile): Promise<void> {
  if (receipt.file !== null) await remove(folder, receipt.file);
  await remove(folder, quarantinePath(receipt.table, receipt.batch));
  await remove(folder, path);
}

function withoutPending(survey: Survey): Survey {
  const own = new Set(survey.pending.map(({ receipt }) => quarantinePath(receipt.table, receipt.batch)));
  return {
    ...survey,
    receipts: survey.receipts.filter((receiptFile) => !survey.pending.includes(receiptFile)),
    warnings: survey.warnings.filter(({ file }) => !own.has(file)),
    pending: [],
  };
}

/** Throws the first fault, with the number of others. */
export function refuse({ dir }: DataFolder, faults: readonly Finding[]): void {
  const [first, ...more] = faults;
  if (first === undefined) return;
  const others =
    more.length === 0
      ? ''
      : ` For ${counted(more.length, 'more finding')}, see the command \`verify\` of the jobs`;
  throw new IngestError('damaged_landing', first.problem.replace(/\.$/, ''), {
    file: join(dir, first.file),
    todo: `${first.advice}${others}`,
  });
}

/** Missing files that receipts name. */
export function wantedFiles({ missing, warnings, receipts }: Survey): LandedFile[] {
  const landed = landedFiles(missing);
  const gone = new Set(warnings.map(({ file }) => file));
  const quarantined = quarantineFiles(receipts.map(({ receipt }) => receipt)).filter(({ path }) =>
    gone.has(path),
  );
  return [...landed, ...quarantined];
}

/** Gives receipts of an older version their hashes, once. The mark distinguishes a crash in between from damage. */
async function stampAll(
  folder: DataFolder,
  survey: Survey,
  notices: Notices,
): Promise<readonly ReceiptFile[]> {
  const { receipts } = survey;
  const count = receipts.filter(({ isSealed }) => !isSealed).length;
  if (count === 0) return receipts;
  await moveFile(folder, await writeTemporary(folder, `${STAMPING}.new`, []), temporaryPath(STAMPING));
  const stamped: ReceiptFile[] = [];
  for (const receipt of receipts) stamped.push(receipt.isSealed ? receipt : await stamp(folder, receipt));
  notices.warn('receipts of an older version were given hashes, so that later changes to them are noticed', {
    receipts: count,
  });
  return stamped;
}

async function stamp(folder: DataFolder, { path, receipt: old }: ReceiptFile): Promise<ReceiptFile> {
  const { table, batch, replaces = [] } = old;
  const there = new Set(await namesIn(folder, join(QUARANTINE_FOLDER, table)));
  const files: { [batch: string]: string } = {};
  for (const one of [batch, ...replaces]) {
    if (there.has(`${one}.ndjson`))
      files[one] = await hashOfFile(join(folder.dir, quarantinePath(table, one)));
  }
  const receipt: Receipt = Object.keys(files).length === 0 ? old : { ...old, quarantine_files: files };
  const { text, sha256 } = sealReceipt(receipt);
  await moveFile(
    folder,
    await writeTemporary(folder, `stamped-${basename(path)}`, [Buffer.from(text)]),
    path,
  );
  return { path, receipt, sha256, isSealed: true };
}

/** The list is rewritten when it lacks a receipt, is partly unreadable, or consists mostly of compacted batches. */
async function listAll(
  folder: DataFolder,
  { survey, receipts }: { readonly survey: Survey; readonly receipts: readonly ReceiptFile[] },
  notices: Notices,
): Promise<void> {
  const { catalogue } = survey;
  const entries = receipts.map(entryOf);
  const unlisted = entries.filter(({ path }) => !catalogue?.entries.has(path)).length;
  const isListed = unlisted === 0;
  const isShort = (catalogue?.lines ?? 0) <= 2 * entries.length + SPARE_LINES;
  if (isListed && isShort && catalogue?.damagedLines === 0) return;
  await writeCatalogue(folder, entries);
  // A crash omits at most the last receipt, or those of the last supersession. A receipt that was lost together with its line cannot be detected.
  const together = receipts.filter(({ receipt }) => receipt.landed_with !== undefined).length;
  const isDamaged = catalogue === null || catalogue.damagedLines > 1 || unlisted > 1 + together;
  if (isDamaged && survey.receipts.some(({ isSealed }) => isSealed))
    notices.warn(
      'the list of receipts was damaged and is rewritten from the receipts; whether one is missing cannot be determined',
      {
        file: join(folder.dir, CATALOGUE),
        receipts: entries.length,
        unlisted,
      },
    );
}

const SPARE_LINES = 1_000;

export const entryOf = ({ path, sha256, receipt }: Omit<ReceiptFile, 'isSealed'>): CatalogueEntry => ({
  path,
  receipt: sha256,
  file: receipt.file_sha256,
});
