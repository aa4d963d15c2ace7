// Runs in every test file: what the file left in the process is gone before the next one starts in it.
import { afterAll } from 'vitest';
import { stopCheckingResponses } from './checked-fetch.ts';
import { removeTemporaryFolders } from './temporary-folder.ts';

afterAll(() => {
  stopCheckingResponses();
  removeTemporaryFolders();
});
