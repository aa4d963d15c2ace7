// The borrowing domain: how lending markets set their rates, and how far their borrowers are from liquidation.

import { defineDomain } from '../../define/domain.ts';
import { borrowerTranches, rateModels } from './dataset.ts';
import { borrowingDemoSources } from '../../sources/demo/borrowing.ts';
import { borrowingPolicy } from './policy.ts';
import { borrowerTranche, marketRateModel } from './raw.ts';

export const borrowing = defineDomain({
  id: 'borrowing',
  title: 'Borrowing',
  folder: new URL('./', import.meta.url),
  raw: [marketRateModel, borrowerTranche],
  policy: [borrowingPolicy],
  datasets: [rateModels, borrowerTranches],
  detectors: [],
  demo: borrowingDemoSources,
});
