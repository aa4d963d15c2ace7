// The oracle domain: feeds, their rounds, and what they say about freshness and pegs.
import { defineDomain } from '../define.ts';
import { oraclePairs, oracleParameters } from './dataset.ts';
import {
  marketHoursPolicy,
  oraclePolicy,
  pegAssetPolicy,
  pegSourcePolicy,
  pegWeightPolicy,
} from './policy.ts';
import { feedRegistry, feedRound } from './raw.ts';

export const oracles = defineDomain({
  id: 'oracles',
  folder: new URL('./', import.meta.url),
  raw: [feedRegistry, feedRound],
  policy: [oraclePolicy, marketHoursPolicy, pegAssetPolicy, pegSourcePolicy, pegWeightPolicy],
  datasets: [oraclePairs, oracleParameters],
  detectors: [],
});
