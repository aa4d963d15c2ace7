// The borrowing domain: how lending markets set their rates, and how far their borrowers are from liquidation.

import { BorrowerTranchesSchema, RateModelSchema } from '../../../schemas/borrowing.ts';
import { defineDataset } from '../../define/dataset.ts';
import { defineDomain } from '../../define/domain.ts';
import { borrowingDemoSources } from '../../sources/demo/borrowing.ts';
import { borrowingPolicy } from './policy.ts';
import { borrowerTranche, marketRateModel } from './raw.ts';

// The published borrowing data: how each market sets its rates, and its debt by distance to liquidation.

const OF_A_MARKET = {
  key: ['chain', 'market_id'],
  separator: ':',
  shape: 'one',
  order: '',
  subject: { columns: { chain: 'chain', market_id: 'market_id' } },
} as const;

const rateModels = defineDataset({
  ...OF_A_MARKET,
  id: 'rate-models',
  title: 'How lending markets set their rates',
  table: 'out.rate_model',
  subjectsOf: ['market_rate_model'],
  row: RateModelSchema,
  updateCadenceSeconds: 86_400,
});

const borrowerTranches = defineDataset({
  ...OF_A_MARKET,
  id: 'borrower-tranches',
  title: 'Debt of lending markets by distance to liquidation',
  table: 'out.borrower_tranche',
  subjectsOf: ['borrower_tranche'],
  row: BorrowerTranchesSchema,
  updateCadenceSeconds: 21_600,
});

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
