// The published borrowing data: how each market sets its rates, and its debt by distance to liquidation.
import { BorrowerTranchesSchema, RateModelSchema } from '../../../schemas/borrowing.ts';
import { defineDataset } from '../../define/dataset.ts';

const OF_A_MARKET = {
  key: ['chain', 'market_id'],
  separator: ':',
  shape: 'one',
  order: '',
  subject: { columns: { chain: 'chain', market_id: 'market_id' } },
} as const;

export const rateModels = defineDataset({
  ...OF_A_MARKET,
  id: 'rate-models',
  title: 'How lending markets set their rates',
  table: 'out.rate_model',
  subjectsOf: ['market_rate_model'],
  row: RateModelSchema,
  updateCadenceSeconds: 86_400,
});

export const borrowerTranches = defineDataset({
  ...OF_A_MARKET,
  id: 'borrower-tranches',
  title: 'Debt of lending markets by distance to liquidation',
  table: 'out.borrower_tranche',
  subjectsOf: ['borrower_tranche'],
  row: BorrowerTranchesSchema,
  updateCadenceSeconds: 21_600,
});
