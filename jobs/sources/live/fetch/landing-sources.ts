// Recordings as sources of landing: each page of a recording is a file, mapped like any other, with facts of the recording as constants.
import type { FieldMapping, FileDelivery, Interval, Source } from '../../../define/source.ts';
import type { LiveMapping, LiveSource } from './live-source.ts';
import { hasRowsFor, landable, type RecordedPage, type Recording } from './recording.ts';
import { bodyPath, type RecordingFolder, readRecordings } from './recording-store.ts';
import type { ReadingLog } from './source-readings.ts';

/**
 * Sources that are turned off do not land. Sources whose rows may not be published land only in tables that are not published. What has
 * landed is noted in `readings`.
 */
export function landingSources(
  sources: readonly LiveSource[],
  folder: RecordingFolder,
  secretsPresent: (name: string) => boolean,
  readings?: ReadingLog,
  unpublished: ReadonlySet<string> = new Set(),
): Source[] {
  const needsOf = new Map(sources.map(({ id, needs }) => [id, needs]));
  const isReady = ({ fetched_by }: LiveSource) => (needsOf.get(fetched_by) ?? []).every(secretsPresent);
  const fetching = new Map(sources.map((source) => [source.id, source]));
  return sources
    .filter((source) => source.is_on && fetching.get(source.fetched_by)?.is_on !== false)
    .filter((source) => (source.is_redistributable || unpublished.has(source.table)) && isReady(source))
    .map((source) =>
      landingSource(source, folder, (landed) =>
        readings?.note(source, fetching.get(source.fetched_by) ?? source, landed),
      ),
    );
}

function landingSource(
  source: LiveSource,
  folder: RecordingFolder,
  noteLanded: (recordings: readonly Recording[]) => void,
): Source {
  const known = new Map<string, Recording>();
  const landed = new Set<string>();
  const { fields } = source.mapping;
  return {
    facts: source.facts,
    table: source.table,
    ...(source.expects === null ? {} : { expects: source.expects }),
    fields: Object.fromEntries(
      Object.entries(fields).map(([field, { recording: _, ...mapping }]) => [field, mapping]),
    ),
    constants: Object.keys(fields).filter((field) => fields[field]?.recording !== undefined),
    async *deliveries(interval: Interval) {
      const all = await readRecordings(folder, source.fetched_by, known);
      const recordings = all.filter(({ fetched_at }) => fetched_at <= interval.to);
      for (const recording of landable(recordings)) {
        for (const page of recording.pages) {
          const path = bodyPath(folder, recording, page);
          if (hasRowsFor(page, source.mapping) && !landed.has(path))
            yield deliveryOf(source, { recording, page, path });
        }
      }
      const hasLanded = (recording: Recording) =>
        recording.pages.every(
          (page) => !hasRowsFor(page, source.mapping) || landed.has(bodyPath(folder, recording, page)),
        );
      noteLanded(recordings.filter(hasLanded));
    },
    landed(delivery) {
      if (delivery.kind === 'file') landed.add(delivery.path);
    },
  };
}

interface RecordedFile {
  readonly recording: Recording;
  readonly page: RecordedPage;
  readonly path: string;
}

export function deliveryOf({ mapping }: LiveSource, { recording, page, path }: RecordedFile): FileDelivery {
  const { format, records, delimiter, has_entries, columns, where, fields } = mapping;
  return {
    kind: 'file',
    path,
    format,
    ...(records === null ? {} : { records }),
    ...(delimiter === null ? {} : { delimiter }),
    ...(has_entries ? { entries: true } : {}),
    ...(columns === null ? {} : { columns }),
    ...(where === null ? {} : { where }),
    fields: Object.fromEntries(
      Object.entries(fields).map(([field, one]) => [field, withFacts(one, { recording, page, path })]),
    ),
    sha256: page.file_sha256,
    fetched_at: Math.ceil(recording.newest_possible),
  };
}

function withFacts(mapping: LiveMapping, recorded: RecordedFile): FieldMapping {
  const { recording: fact, ...rest } = mapping;
  return fact === undefined ? rest : { ...rest, value: factOf(fact, recorded) };
}

/** Times are whole Unix seconds. A fact that this recording lacks is an empty text, which a required field refuses. */
function factOf(fact: string, { recording, page }: RecordedFile): string {
  const [kind = '', name = ''] = fact.split(/\.(.*)/s);
  switch (kind) {
    case 'as_of':
      return String(Math.floor(recording.as_of));
    case 'fetched_at':
      return String(Math.floor(recording.fetched_at));
    case 'window_from':
      return String(Math.floor(recording.window.from));
    case 'window_to':
      return String(Math.floor(recording.window.to));
    case 'param':
      return recording.params[name] ?? '';
    default:
      return page.headers[name] ?? '';
  }
}
