// Runs in every test file: removes what the file left in the process before the next file starts.
import { afterAll } from 'vitest';
import { stopCheckingResponses } from './checked-fetch.ts';
import { removeTemporaryFolders } from './temporary-folder.ts';

afterAll(() => {
  stopCheckingResponses();
  removeTemporaryFolders();
});
