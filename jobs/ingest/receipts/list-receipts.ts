// Writes the list of receipts of a folder that was just made a copy of what hosts share, so that exactly the right receipts are there.
import { makeFolder, type DataFolder, TEMPORARY_FOLDER } from '../data-folder.ts';
import { writeCatalogue } from './catalogue.ts';
import { entryOf } from './recover.ts';
import { surveyLanding } from './survey.ts';

/** Leaves receipts of an older version to the opening of landing, which gives them hashes and a list. Only for the single writer. */
export async function listReceipts(folder: DataFolder): Promise<void> {
  const { receipts, pending } = await surveyLanding(folder);
  if (!receipts.every(({ isSealed }) => isSealed)) return;
  await makeFolder(folder, TEMPORARY_FOLDER);
  await writeCatalogue(folder, receipts.filter((receipt) => !pending.includes(receipt)).map(entryOf));
}
