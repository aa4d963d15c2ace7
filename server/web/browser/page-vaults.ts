// Vaults: what backs them, what do they hold together, and who can change them?
import { pending } from './pending-changes.ts';
import { showPage } from './shell.ts';
import { vaultList } from './vault-list.ts';
import { vaultTotals } from './vault-totals.ts';

showPage([vaultList, vaultTotals, pending]);
