// The analytics domain: what exits, portfolios and simulations are computed from, published so that any reader can compute them again.

import { defineDomain } from '../define/domain.ts';
import { exitInputs, returnInputs } from './dataset.ts';
import { analyticsPolicy } from './policy.ts';

export const analytics = defineDomain({
  id: 'analytics',
  folder: new URL('./', import.meta.url),
  raw: [],
  policy: [analyticsPolicy],
  datasets: [exitInputs, returnInputs],
  detectors: [],
});
