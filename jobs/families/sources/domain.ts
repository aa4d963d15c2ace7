// The sources domain: how far each public source has been read, and its state.

import { defineDomain } from '../../define/domain.ts';
import { sourceReadings } from './dataset.ts';
import { sourceReading, sourceReadingGap } from './raw-reading.ts';
import { sourceState } from './raw-state.ts';

export const sources = defineDomain({
  id: 'sources',
  title: 'Sources',
  folder: new URL('./', import.meta.url),
  isFirstLook: true,
  raw: [sourceReading, sourceReadingGap, sourceState],
  policy: [],
  datasets: [sourceReadings],
  detectors: [],
});
