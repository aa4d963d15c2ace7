// A made-up family that is minimal but has everything a family has: a window over days, a list of the last seven, an event, and a table
// that names people. A whole run takes a fraction of a second, so tests can afford thousands.

import { defineDataset } from '../../../jobs/define/dataset.ts';
import { defineDetector } from '../../../jobs/define/detector.ts';
import { defineDomain } from '../../../jobs/define/domain.ts';
import { form, instant, number, text } from '../../../jobs/define/fields.ts';
import { defineRawTable, type RowBatch } from '../../../jobs/define/raw-table.ts';
import type { Column } from '../../../jobs/engine/rows.ts';
import { IsoTime, Nullable, Strict, Type } from '../../../schemas/define.ts';
import { keyedHash } from './keyed-hash.ts';

const buoy = text('buoy', 'Its name', {
  required: true,
  ...form('[a-z0-9-]{1,64}', 'at most 64 lower-case letters, digits and `-`', 'a'),
});

const reading = defineRawTable({
  name: 'buoy_reading',
  description: 'One reading of a buoy',
  fields: [
    buoy,
    instant('read_at', 'When', { required: true, min: 1 }),
    number('height_m', 'Wave height, metres', { required: true, min: 0, max: 100 }),
  ],
  subject: ['buoy'],
  maxAgeSeconds: null,
  completeness: [{ by: 'nothing', because: 'it is made up' }],
  key: ['buoy', 'read_at'],
  content: ['height_m'],
  time: 'read_at',
  observations: { model: 'obs.buoy_reading', time: 'read_at' },
});

const report = defineRawTable({
  name: 'buoy_report',
  description: 'What was reported about a buoy',
  fields: [
    buoy,
    instant('seen_at', 'When', { required: true, min: 1 }),
    text('author_hash', 'Keyed hash of who reported it', {
      required: true,
      ...form('[0-9a-f]{32}', '32 hexadecimal digits', '7b2f'.repeat(8)),
    }),
  ],
  subject: ['buoy'],
  maxAgeSeconds: null,
  completeness: [{ by: 'nothing', because: 'it is made up' }],
  key: ['buoy', 'seen_at', 'author_hash'],
  content: [],
  time: 'seen_at',
  isPersonal: true,
  observations: { model: 'obs.buoy_report', time: 'seen_at' },
  enrichment: {
    takes: [text('author', 'Who reported it', { required: true, maxLength: 100 })],
    reads: [],
    fills: ['author_hash'],
    version: 1,
    fill: hashedAuthors,
  },
});

function hashedAuthors({ columns }: RowBatch, key: Uint8Array): { readonly author_hash: Column } {
  const authors = columns['author'] ?? [];
  return { author_hash: authors.map((author) => (author === null ? null : keyedHash(key, String(author)))) };
}

const dayRow = Strict({
  timestamp: IsoTime('00:00 UTC of the day'),
  readings: Type.Integer({ minimum: 0, description: 'Readings of the day' }),
  highest_m: Type.Number({ minimum: 0, description: 'Highest wave, metres' }),
  reporters: Nullable(Type.Integer({ minimum: 0, description: 'People who reported the buoy that day' })),
});

export const buoys = defineDomain({
  id: 'buoys',
  title: 'Sample',
  folder: new URL('./', import.meta.url),
  raw: [reading, report],
  policy: [],
  datasets: [
    defineDataset({
      id: 'buoys',
      title: 'Waves at each buoy on the last seven days',
      table: 'out.buoy_week',
      key: ['buoy'],
      separator: '/',
      shape: 'list',
      order: 'day desc',
      day: 'day',
      subject: { columns: { buoy: 'buoy' } },
      row: dayRow,
      updateCadenceSeconds: 300,
    }),
  ],
  detectors: [defineDetector({ type: 'oracle.feed.invalid', subject: ['oracle:sea:{buoy}:*'] })],
});
