// Writes the list of receipts of a folder that was just made a copy of what hosts share, so that exactly the right receipts are there.
import { makeFolder, type Place, TEMPORARY_FOLDER } from '../write/placement.ts';
import { writeCatalogue } from './catalogue.ts';
import { entryOf } from './recover.ts';
import { surveyLanding } from './survey.ts';

/** Leaves receipts of an older version to the opening of landing, which gives them hashes and a list. Only for the single writer. */
export async function listReceipts(place: Place): Promise<void> {
  const { receipts, pending } = await surveyLanding(place);
  if (!receipts.every(({ isSealed }) => isSealed)) return;
  await makeFolder(place, TEMPORARY_FOLDER);
  await writeCatalogue(place, receipts.filter((receipt) => !pending.includes(receipt)).map(entryOf));
}
