// What a version says of the oracles of markets, for doubts about them.
import type { DoubtInput, MarketRows } from '../../models/oracle-doubts.ts';
import type { LendingMarket } from '../../schemas/lending.ts';
import type { OraclePath } from '../../schemas/oracle-paths.ts';
import type { DatasetEntry } from '../../snapshots/layout.ts';
import { type InputDocument, parsed } from './task.ts';

export const ORACLES = 'oracle-paths';
const MARKETS = 'lending-markets';
export const DOUBT_DATASETS = [ORACLES, MARKETS] as const;
type DoubtDataset = (typeof DOUBT_DATASETS)[number];

interface Source {
  entry(dataset: DoubtDataset): Pick<DatasetEntry, 'quality_gate'> | undefined;
  document(dataset: DoubtDataset, key: string): InputDocument | undefined;
}

/** A dataset whose gate failed may have rows of an earlier version, which say nothing of now. */
export function oracleRowsOf(source: Source): Pick<DoubtInput, 'marketOf' | 'hasPaths'> {
  const isCurrent = (dataset: DoubtDataset) => {
    const verdict = source.entry(dataset)?.quality_gate.verdict;
    return verdict !== undefined && verdict !== 'fail';
  };
  const rowOf = <Row>(dataset: DoubtDataset, key: string): Row | undefined => {
    const document = isCurrent(dataset) ? source.document(dataset, key) : undefined;
    return document === undefined ? undefined : parsed<Row>(document);
  };
  return {
    marketOf: (id): MarketRows => ({
      state: rowOf<LendingMarket>(MARKETS, id.replace(':', '|')),
      path: rowOf<OraclePath>(ORACLES, id),
    }),
    hasPaths: isCurrent(ORACLES),
  };
}
