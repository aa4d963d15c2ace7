// The published state of fetched sources: one document each.
import { SourceReadingSchema } from '../../../schemas/sources.ts';
import { defineDataset } from '../../define/dataset.ts';

export const sourceReadings = defineDataset({
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
