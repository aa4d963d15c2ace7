// Writes the list of receipts where what should exist is known from elsewhere: a folder that was just made a copy of what hosts share.
import { makeFolder, type Place, TEMPORARY_FOLDER } from '../write/placement.ts';
import { writeCatalogue } from './catalogue.ts';
import { entryOf } from './recover.ts';
import { surveyLanding } from './survey.ts';

/** Receipts of an older version get their hashes, and a list, when landing is opened. Only for the single writer. */
export async function listReceipts(place: Place): Promise<void> {
  const { receipts } = await surveyLanding(place);
  if (!receipts.every(({ isSealed }) => isSealed)) return;
  await makeFolder(place, TEMPORARY_FOLDER);
  await writeCatalogue(place, receipts.map(entryOf));
}
