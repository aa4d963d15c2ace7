// The state of every fetched source, as published.
import { IsoTime, Nullable, type Static, Strict, Type } from './define.ts';

export const SOURCE_STATES = ['off', 'needs_key', 'waiting', 'reading', 'suspect', 'failing'] as const;

const Text = (description: string) => Nullable(Type.String({ description }));

export const SourceReadingSchema = Strict({
  id: Type.String({ description: 'Id of the source' }),
  table_name: Type.String({ description: 'Raw table that the source delivers to' }),
  name: Type.String({ description: 'Name of the source' }),
  url: Text('Web page of the source'),
  hosts: Text('Hosts that it queries, separated by commas'),
  chain: Text('Chain that it reads; null if its rows may be about any chain'),
  state: Type.Enum([...SOURCE_STATES]),
  reason: Text('Why it is not reading'),
  setting: Text('Setting that enables it; null if it is on and has its key'),
  outcome: Text('Outcome of the last reading: accepted, unchanged, suspect or failed'),
  every_seconds: Type.Integer({ minimum: 1, description: 'Seconds between readings' }),
  last_read_at: Nullable(IsoTime('Time of the last successful reading')),
  last_try_at: Nullable(IsoTime('Time of the last reading, whatever its outcome')),
  read_through_at: Nullable(IsoTime('How far it has been read without a gap')),
  next_try_at: Nullable(IsoTime('Time at which it is due next')),
  circuit_open_until: Nullable(IsoTime('Time until which its host is not queried after repeated failures')),
  is_overdue: Type.Boolean({ description: 'Whether its last reading is older than twice its interval' }),
  records: Type.Integer({ minimum: 0, description: 'Records of all readings' }),
  history_pct: Nullable(
    Type.Number({
      minimum: 0,
      maximum: 100,
      description:
        'Share of the wanted history that has been read, percent; null if it reads only the present',
    }),
  ),
  license: Text('Licence of the data'),
  attribution: Text('Attribution that the licence requires'),
  terms_url: Text('Terms of the source'),
  redistributable: Type.Boolean({
    description: 'Whether its rows may be published; otherwise they serve cross-checks only',
  }),
});
export type SourceReading = Static<typeof SourceReadingSchema>;
