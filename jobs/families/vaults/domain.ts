// The vaults domain: share prices and what backs them, what can be withdrawn, holdings, and pending changes.

import { defineDomain } from '../../define/domain.ts';
import { vaultPosition, vaultState } from './raw.ts';

export const vaults = defineDomain({
  id: 'vaults',
  title: 'Vaults',
  folder: new URL('./', import.meta.url),
  raw: [vaultState, vaultPosition],
  policy: [],
  datasets: [],
  detectors: [],
});
