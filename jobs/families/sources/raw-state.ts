// The raw table of states: the state of each fetched source at one time, in the words and figures that `sources list` shows.
import { defineRawTable, type RawField } from '../../define/raw-table.ts';

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
      instant(
        'roster_at',
        'Time at which the process began to note states; the newest one covers all configured sources',
      ),
    ),
    required(instant('noted_at', 'Time of the run that noted the state')),
    required(text('digest', 'Short hash of the state')),
    required(text('source', 'Id of the source')),
    required(text('table_name', 'Raw table that the source delivers to')),
    required(text('name', 'Name of the source')),
    text('url', 'Web page of the source'),
    text('hosts', 'Hosts that it queries, separated by commas'),
    text('chain', 'Chain that it reads; absent if its rows may be about any chain'),
    required(text('state', '`off`, `needs_key`, `waiting`, `reading`, `suspect` or `failing`')),
    text('reason', 'Why it is not reading'),
    text('setting', 'Setting that enables it, if it is off or has no key'),
    text('outcome', 'Outcome of its last reading'),
    { name: 'every_s', type: 'BIGINT', required: true, min: 1, description: 'Seconds between readings' },
    instant('accepted_at', 'Time at which the source produced the last accepted response'),
    instant('read_through_at', 'How far it has been read; for several partitions, the one furthest behind'),
    instant('last_read_at', 'Time of the last successful reading'),
    instant('last_try_at', 'Time of the last reading, whatever its outcome'),
    instant('next_try_at', 'Time at which it is due next'),
    instant('overdue_at', 'Time at which it is late: two intervals after the last reading of each partition'),
    instant('circuit_open_until', 'Time until which its host is not queried after repeated failures'),
    { name: 'records', type: 'BIGINT', required: true, min: 0, description: 'Records of all readings' },
    {
      name: 'history_share',
      type: 'DOUBLE',
      min: 0,
      max: 1,
      description: 'Share of the wanted history that has been read; absent if it reads only the present',
    },
    flag(
      'is_restated',
      'Every reading restates all rows as of its own time, so a reading without changes confirms them',
    ),
    text('license', 'Licence of the data'),
    text('attribution', 'Attribution that the licence requires'),
    text('terms_url', 'Terms of the source'),
    flag('is_redistributable', 'Its rows may be published; otherwise they serve cross-checks only'),
  ],
  isAboutSources: true,
  subject: ['source'],
  maxAgeSeconds: null,
  completeness: [{ by: 'nothing', because: 'a state is noted only when it changes' }],
  key: ['source', 'noted_at', 'digest'],
  content: ['state'],
  time: 'noted_at',
  reach: 32 * 86_400,
  kept: { model: 'obs.source_state', time: 'noted_at' },
});
