// The state of every fetched source, as it is published.
import { IsoTime, Nullable, type Static, Strict, Type } from './define.ts';

export const SOURCE_STATES = ['off', 'needs_key', 'waiting', 'reading', 'suspect', 'failing'] as const;

const Text = (description: string) => Nullable(Type.String({ description }));

export const SourceReadingSchema = Strict({
  id: Type.String({ description: 'Id of the source' }),
  table_name: Type.String({ description: 'Raw table that it delivers to' }),
  name: Type.String({ description: 'Name of the source' }),
  url: Text('Where people find it'),
  hosts: Text('Hosts that it asks, separated by a comma'),
  chain: Text('Chain that it reads; null if its rows may be about any'),
  state: Type.Enum([...SOURCE_STATES]),
  reason: Text('Why it is not reading'),
  setting: Text('What turns it on; null where it is on and has its key'),
  outcome: Text('Outcome of the last reading: accepted, unchanged, suspect or failed'),
  every_seconds: Type.Integer({ minimum: 1, description: 'Seconds between readings' }),
  last_read_at: Nullable(IsoTime('Last successful reading')),
  last_try_at: Nullable(IsoTime('Last reading of any outcome')),
  read_through_at: Nullable(IsoTime('How far it is read without a gap')),
  next_try_at: Nullable(IsoTime('When it is due next')),
  circuit_open_until: Nullable(IsoTime('Until when its host is left alone after repeated failures')),
  is_overdue: Type.Boolean({ description: 'Whether its last reading is older than twice its interval' }),
  records: Type.Integer({ minimum: 0, description: 'Records of all readings' }),
  history_pct: Nullable(
    Type.Number({
      minimum: 0,
      maximum: 100,
      description: 'Share of the wanted history that is read, percent; null when it reads only the present',
    }),
  ),
  license: Text('Licence of the data'),
  attribution: Text('Whom to name'),
  terms_url: Text('Terms of the source'),
  redistributable: Type.Boolean({
    description: 'Whether its rows may be published; otherwise they serve cross-checks only',
  }),
});
export type SourceReading = Static<typeof SourceReadingSchema>;
