// The raw tables of readings: how far each live source has been read, and which subjects a reading lacks. Up to that time a silence is
// known to be one; after it, nothing is known.
import { count, id, instant, text } from '../../define/fields.ts';
import { defineRawTable } from '../../define/raw-table.ts';

const LABEL = { required: true, maxLength: 400 } as const;

export const sourceReading = defineRawTable({
  name: 'source_reading',
  description: 'One reading of one live source, and how far it reached',
  fields: [
    text('source', 'Id of the source', LABEL),
    text('table_name', 'Raw table that the source delivers to', LABEL),
    text('partition_key', 'Partition of the source; `all` if it has only one', LABEL),
    id('chain', 'Chain that the source reads; absent if its rows may be about any chain', { maxLength: 64 }),
    text('recording', 'Id of the recording', LABEL),
    text('outcome', '`accepted` or `unchanged`', LABEL),
    instant('since_at', 'First instant that was not read before, over all subjects of the source', {
      required: true,
    }),
    instant('read_from_at', 'Start of the period that was read without a gap up to `read_through_at`', {
      required: true,
    }),
    instant('read_through_at', 'End of that period; for a chain, the time of the block', { required: true }),
    instant('looked_at', 'Time at which the source was queried', { required: true }),
    count('every_s', 'Seconds between readings', { required: true, min: 1 }),
    count('block_number', 'Block up to which a chain was read'),
    text('block_hash', 'Hash of that block', { maxLength: 128 }),
  ],
  isAboutSources: true,
  subject: ['source', 'partition_key'],
  maxAgeSeconds: null,
  completeness: [
    {
      by: 'nothing',
      because: 'a reading that was not made leaves no row; the gate names sources that are overdue',
    },
  ],
  key: ['source', 'partition_key', 'recording'],
  content: ['outcome'],
  time: 'since_at',
  reach: 32 * 86_400,
  observations: { model: 'obs.source_reading', time: 'since_at' },
});

export const sourceReadingGap = defineRawTable({
  name: 'source_reading_gap',
  description: 'One subject that one reading of a live source could not read, and why',
  fields: [
    text('source', 'Id of the source', LABEL),
    text('table_name', 'Raw table that the source delivers to', LABEL),
    text('partition_key', 'Partition of the source; `all` if it has only one', LABEL),
    text('recording', 'Id of the recording', LABEL),
    text(
      'subject',
      'Subject that could not be read, as the raw table names it: the address of a feed, the id of a market',
      LABEL,
    ),
    text('reason', 'Why it could not be read', LABEL),
    instant('since_at', 'First instant that was not read before', { required: true }),
    instant('looked_at', 'Time at which the source was queried', { required: true }),
  ],
  isAboutSources: true,
  subject: ['source', 'partition_key'],
  maxAgeSeconds: null,
  completeness: [{ by: 'nothing', because: 'a subject that a source does not list cannot be found missing' }],
  key: ['source', 'partition_key', 'recording', 'subject'],
  content: ['reason'],
  time: 'since_at',
  reach: 32 * 86_400,
  observations: { model: 'obs.source_reading_gap', time: 'since_at' },
});
