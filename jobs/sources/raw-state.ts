// The raw table of states: how each fetched source fared at a time, in the words and figures that `sources list` shows.
import { defineRawTable, type RawField } from '../define/raw-table.ts';

const MAX_TEXT = 4_096;

const text = (name: string, description: string): RawField => ({
  name,
  type: 'VARCHAR',
  maxLength: MAX_TEXT,
  description,
});
const instant = (name: string, description: string): RawField => ({
  name,
  type: 'BIGINT',
  min: 0,
  description: `${description}, Unix seconds`,
});
const required = (field: RawField): RawField => ({ ...field, required: true });
const flag = (name: string, description: string): RawField => ({
  name,
  type: 'BOOLEAN',
  required: true,
  description,
});

export const sourceState = defineRawTable({
  name: 'source_state',
  description: 'The state of one fetched source, noted when it changes',
  fields: [
    required(
      instant('roster_at', 'When the process that noted it began to; the newest one names all sources'),
    ),
    required(instant('noted_at', 'Time of the run that noted it')),
    required(text('digest', 'Short hash of what was noted')),
    required(text('source', 'Id of the source')),
    required(text('table_name', 'Raw table that it delivers to')),
    required(text('name', 'Name of the source')),
    text('url', 'Where people find it'),
    text('hosts', 'Hosts that it asks, separated by a comma'),
    text('chain', 'Chain that it reads; empty if its rows may be about any'),
    required(text('state', '`off`, `needs_key`, `waiting`, `reading`, `suspect` or `failing`')),
    text('reason', 'Why it is not reading'),
    text('setting', 'What turns it on, where it is off or has no key'),
    text('outcome', 'Outcome of its last reading'),
    { name: 'every_s', type: 'BIGINT', required: true, min: 1, description: 'Seconds between readings' },
    instant('accepted_at', 'When the source made the last answer that was accepted'),
    instant('read_through_at', 'How far it is read; of several partitions, the one that is furthest behind'),
    instant('last_read_at', 'Last successful reading'),
    instant('last_try_at', 'Last reading of any outcome'),
    instant('next_try_at', 'When it is due next'),
    instant('overdue_at', 'When it is late: twice its interval after the last reading of each partition'),
    instant('circuit_open_until', 'Until when its host is left alone after repeated failures'),
    { name: 'records', type: 'BIGINT', required: true, min: 0, description: 'Records of all readings' },
    {
      name: 'history_share',
      type: 'DOUBLE',
      min: 0,
      max: 1,
      description: 'Share of the wanted history that is read; empty when it reads only the present',
    },
    flag(
      'is_restated',
      'Every reading states all rows as of its own time: one without changes confirms them',
    ),
    text('license', 'Licence of the data'),
    text('attribution', 'Whom to name'),
    text('terms_url', 'Terms of the source'),
    flag('is_redistributable', 'Its rows may be published; otherwise they serve cross-checks only'),
  ],
  isAboutSources: true,
  subject: ['source'],
  completeness: [{ by: 'nothing', because: 'a state is noted only when it changes' }],
  key: ['source', 'noted_at', 'digest'],
  content: ['state'],
  time: 'noted_at',
  reach: 32 * 86_400,
  kept: { model: 'obs.source_state', time: 'noted_at' },
});
