// The sources domain: how far each public source has been read, and its state.

import { SourceReadingSchema } from '../../../schemas/sources.ts';
import { defineDataset } from '../../define/dataset.ts';
import { defineDomain } from '../../define/domain.ts';
import { sourceReading, sourceReadingGap } from './raw-reading.ts';
import { sourceState } from './raw-state.ts';

/** The published state of fetched sources: one document each. */
const sourceReadings = defineDataset({
  id: 'source-readings',
  title: 'Fetched sources: how far each has been read, and what is missing',
  table: 'out.source_reading',
  key: ['id'],
  separator: '/',
  shape: 'one',
  order: '',
  subject: { none: 'says how sources were read, and rests on no row of theirs' },
  isSparse: true,
  row: SourceReadingSchema,
  updateCadenceSeconds: 300,
});

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
