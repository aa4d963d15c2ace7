// The raw tables of readings: how far each live source has been read, and which subjects a reading lacks. Up to that time a silence is
// known to be one; after it, nothing is known.
import { defineRawTable, type RawField } from '../../define/raw-table.ts';

const text = (name: string, description: string): RawField => ({
  name,
  type: 'VARCHAR',
  required: true,
  maxLength: 400,
  description,
});
const instant = (name: string, description: string): RawField => ({
  name,
  type: 'BIGINT',
  required: true,
  min: 0,
  description: `${description}, Unix seconds`,
});

export const sourceReading = defineRawTable({
  name: 'source_reading',
  description: 'One reading of one live source, and how far it reached',
  fields: [
    text('source', 'Id of the source'),
    text('table_name', 'Raw table that the source delivers to'),
    text('partition_key', 'Partition of the source; `all` if it has only one'),
    {
      name: 'chain',
      type: 'VARCHAR',
      lowercase: true,
      maxLength: 64,
      description: 'Chain that the source reads; absent if its rows may be about any chain',
    },
    text('recording', 'Id of the recording'),
    text('outcome', '`accepted` or `unchanged`'),
    instant('since_at', 'First instant that was not read before, over all subjects of the source'),
    instant('read_from_at', 'Start of the period that was read without a gap up to `read_through_at`'),
    instant('read_through_at', 'End of that period; for a chain, the time of the block'),
    instant('looked_at', 'Time at which the source was queried'),
    { name: 'every_s', type: 'BIGINT', required: true, min: 1, description: 'Seconds between readings' },
    { name: 'block_number', type: 'BIGINT', min: 0, description: 'Block up to which a chain was read' },
    { name: 'block_hash', type: 'VARCHAR', maxLength: 128, description: 'Hash of that block' },
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
  kept: { model: 'obs.source_reading', time: 'since_at' },
});

export const sourceReadingGap = defineRawTable({
  name: 'source_reading_gap',
  description: 'One subject that one reading of a live source could not read, and why',
  fields: [
    text('source', 'Id of the source'),
    text('table_name', 'Raw table that the source delivers to'),
    text('partition_key', 'Partition of the source; `all` if it has only one'),
    text('recording', 'Id of the recording'),
    text(
      'subject',
      'Subject that could not be read, as the raw table names it: the address of a feed, the id of a market',
    ),
    text('reason', 'Why it could not be read'),
    instant('since_at', 'First instant that was not read before'),
    instant('looked_at', 'Time at which the source was queried'),
  ],
  isAboutSources: true,
  subject: ['source', 'partition_key'],
  maxAgeSeconds: null,
  completeness: [{ by: 'nothing', because: 'a subject that a source does not list cannot be found missing' }],
  key: ['source', 'partition_key', 'recording', 'subject'],
  content: ['reason'],
  time: 'since_at',
  reach: 32 * 86_400,
  kept: { model: 'obs.source_reading_gap', time: 'since_at' },
});
