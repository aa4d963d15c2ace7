// The raw table of states: the state of each fetched source at one time, in the words and figures that `sources list` shows.
import { count, flag, instant, number, text } from '../../define/fields.ts';
import { defineRawTable } from '../../define/raw-table.ts';

const MAX_TEXT = 4_096;

export const sourceState = defineRawTable({
  name: 'source_state',
  description: 'The state of one fetched source, noted when it changes',
  fields: [
    instant(
      'roster_at',
      'Time at which the process began to note states; the newest one covers all configured sources',
      { required: true },
    ),
    instant('noted_at', 'Time of the run that noted the state', { required: true }),
    text('digest', 'Short hash of the state', { required: true, maxLength: MAX_TEXT }),
    text('source', 'Id of the source', { required: true, maxLength: MAX_TEXT }),
    text('table_name', 'Raw table that the source delivers to', { required: true, maxLength: MAX_TEXT }),
    text('name', 'Name of the source', { required: true, maxLength: MAX_TEXT }),
    text('url', 'Web page of the source', { maxLength: MAX_TEXT }),
    text('hosts', 'Hosts that it queries, separated by commas', { maxLength: MAX_TEXT }),
    text('chain', 'Chain that it reads; absent if its rows may be about any chain', { maxLength: MAX_TEXT }),
    text('state', '`off`, `needs_key`, `waiting`, `reading`, `suspect` or `failing`', {
      required: true,
      maxLength: MAX_TEXT,
    }),
    text('reason', 'Why it is not reading', { maxLength: MAX_TEXT }),
    text('setting', 'Setting that enables it, if it is off or has no key', { maxLength: MAX_TEXT }),
    text('outcome', 'Outcome of its last reading', { maxLength: MAX_TEXT }),
    count('every_s', 'Seconds between readings', { required: true, min: 1 }),
    instant('accepted_at', 'Time at which the source produced the last accepted response'),
    instant('read_through_at', 'How far it has been read; for several partitions, the one furthest behind'),
    instant('last_read_at', 'Time of the last successful reading'),
    instant('last_try_at', 'Time of the last reading, whatever its outcome'),
    instant('next_try_at', 'Time at which it is due next'),
    instant('overdue_at', 'Time at which it is late: two intervals after the last reading of each partition'),
    instant('circuit_open_until', 'Time until which its host is not queried after repeated failures'),
    count('records', 'Records of all readings', { required: true }),
    number(
      'history_share',
      'Share of the wanted history that has been read; absent if it reads only the present',
      { min: 0, max: 1 },
    ),
    flag(
      'is_restated',
      'Every reading restates all rows as of its own time, so a reading without changes confirms them',
      { required: true },
    ),
    text('license', 'Licence of the data', { maxLength: MAX_TEXT }),
    text('attribution', 'Attribution that the licence requires', { maxLength: MAX_TEXT }),
    text('terms_url', 'Terms of the source', { maxLength: MAX_TEXT }),
    flag('is_redistributable', 'Its rows may be published; otherwise they serve cross-checks only', {
      required: true,
    }),
  ],
  isAboutSources: true,
  subject: ['source'],
  maxAgeSeconds: null,
  completeness: [{ by: 'nothing', because: 'a state is noted only when it changes' }],
  key: ['source', 'noted_at', 'digest'],
  content: ['state'],
  time: 'noted_at',
  reach: 32 * 86_400,
  observations: { model: 'obs.source_state', time: 'noted_at' },
});
