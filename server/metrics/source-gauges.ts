// Gauges of fetched sources, labelled with the source's id. Only the first hundred by id are shown, to bound the number of labels.
import { Gauge, type Registry } from 'prom-client';
import type { SourceReading } from '../../schemas/sources.ts';
import type { Services } from '../define/services.ts';
import { sourceReadings } from '../replies/source-readings.ts';

const MAX_SOURCES = 100;

export function sourceGauges({ versions, nowMs }: Services, registry: Registry): void {
  const gauge = (name: string, help: string, read: (source: SourceReading) => number | null) =>
    new Gauge({
      name,
      help,
      labelNames: ['source'],
      registers: [registry],
      collect() {
        this.reset();
        for (const source of sourceReadings(versions.current).slice(0, MAX_SOURCES)) {
          const value = read(source);
          if (value !== null) this.set({ source: source.id }, value);
        }
      },
    });
  const age = (instant: string | null) => (instant === null ? null : (nowMs() - Date.parse(instant)) / 1000);
  gauge('source_reading_age_seconds', 'Time since the last successful reading of a source', (source) =>
    age(source.last_read_at),
  );
  gauge('source_lag_seconds', 'How far reading of a source lags behind the clock', (source) =>
    age(source.read_through_at),
  );
  gauge(
    'source_up',
    '1 when the source is read on time; no value for sources that are off or lack their key',
    ({ state, is_overdue }) =>
      state === 'off' || state === 'needs_key' ? null : Number(!is_overdue && state !== 'failing'),
  );
  gauge(
    'source_circuit_open',
    '1 while requests to the host of a source are paused after failures',
    (source) => Number(source.circuit_open_until !== null && Date.parse(source.circuit_open_until) > nowMs()),
  );
}
