// Vaults: what backs them, and who can change them?
import { pending } from './pending-changes.ts';
import { showPage } from './shell.ts';
import { vaultList } from './vault-list.ts';

showPage([vaultList, pending]);
