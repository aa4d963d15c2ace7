// The regime domain: the state of the market as a whole, derived by rules from five signals.

import { defineDomain } from '../../define/domain.ts';
import { marketRegime } from './dataset.ts';
import { regimeDemoSources } from '../../sources/demo/regime.ts';
import { regimeDetectors } from './detectors.ts';
import { regimePolicy } from './policy.ts';
import { marketSignal } from './raw.ts';

export const regime = defineDomain({
  id: 'regime',
  title: 'Market regime',
  folder: new URL('./', import.meta.url),
  raw: [marketSignal],
  policy: [regimePolicy],
  datasets: [marketRegime],
  detectors: regimeDetectors,
  demo: regimeDemoSources,
});
