// The layout of a published folder: the names of its files and the shape of its pointer, manifests, documents and segments.
// This file is the contract between both programs. Reading and writing are in the other files of this folder.

import type { Json } from '../platform/base/json.ts';
import type { Confidence, QualityGate, Source } from '../schemas/provenance.ts';
import type { HeldSubjects, WithheldEvents } from './held.ts';

export const SNAPSHOT_SCHEMA_VERSION = '1.0.0';

/** One line of a dataset file: `{"key": …, "value": …}`, sorted by key (by UTF-16 code unit). */
export interface Document {
  readonly key: string;
  readonly value: Json;
}

/** `current.json`: the only file that is ever replaced. */
export interface Pointer {
  readonly version: string;
  readonly manifest_sha256: string;
}

/** Who may replace the pointer, if several machines could publish. */
export interface WriterNote {
  readonly installation: string;
  /** Rises with every writer. */
  readonly term: number;
  /** Names of the segments that were appended since the last version. */
  readonly tail: readonly string[];
}

/** The contents of `current.json`. */
export interface Current {
  /** Null if nothing has been published yet. */
  readonly pointer: Pointer | null;
  /** Null in a folder, whose writer holds a lock. */
  readonly writer: WriterNote | null;
}

/** `table`: the description of the rows (`TableInfo`). `parquet`: the rows in columns. */
export type FormName = 'table' | 'parquet';

/** The file is `datasets/<id>/<sha256>.table.json` or `.parquet`. */
export interface FormEntry {
  readonly sha256: string;
  readonly bytes: number;
}

export type Forms = { readonly [form in FormName]?: FormEntry };

/**
 * The points of a series in one range of time: `{"key": <subject>, "value": {"t": […], "columns": {…}, "gaps": […]}}`, one line per
 * subject. The file is `datasets/<id>/<sha256>.series.ndjson`.
 */
export interface SeriesPart {
  readonly resolution: 'raw' | '1h' | '1d';
  /** Unix seconds; `from` is included, `to` is excluded. */
  readonly from: number;
  readonly to: number;
  readonly sha256: string;
  readonly bytes: number;
  /** Subjects with points or gaps. */
  readonly documents: number;
}

/** How documents are read as rows. */
export interface TableInfo {
  readonly title: string;
  /** Columns whose values, joined by `separator`, are a document's key. */
  readonly key: readonly string[];
  readonly separator: string;
  /** `one`: a document is a row. `list`: it is a list of rows. */
  readonly shape: 'one' | 'list';
  /** JSON Schema of a row inside a document. */
  readonly row: Json;
}

/** The UTC day on which a dataset was computed, if it holds records of that day: they change until the day ends. */
export interface PartialDay {
  /** `YYYY-MM-DD` */
  readonly day: string;
  /** Keys of the documents that hold such a record, sorted; absent when all do. */
  readonly keys?: readonly string[];
}

/** A dataset as one version sees it. The file is `datasets/<id>/<sha256>.ndjson`. */
export interface DatasetEntry {
  readonly sha256: string;
  readonly bytes: number;
  readonly documents: number;
  /** Rows of all documents together; absent in versions from before rows were described. */
  readonly rows?: number;
  /** Accompanying files, by form. */
  readonly forms?: Forms;
  /** History of the documents' subjects, by resolution and time; absent if none is published. */
  readonly series?: readonly SeriesPart[];
  /** Absent if every record is of a complete day, and in versions from before partial days were marked. */
  readonly partial_day?: PartialDay;
  /** Logical time the data was computed for, ISO 8601 UTC. */
  readonly computed_at: string;
  readonly update_cadence_seconds: number;
  readonly sources: readonly Source[];
  readonly confidence: Confidence;
  readonly quality_gate: QualityGate;
}

/** An immutable piece of the event log. The file is `events/<name>`, one event per line: `{"key": <natural key>, "value": <envelope>}`. */
export interface SegmentEntry {
  /** `<first>_<last>.ndjson` */
  readonly name: string;
  readonly first: string;
  readonly last: string;
  readonly count: number;
  readonly bytes: number;
  readonly sha256: string;
  /** Smallest and largest event time (`ts`) inside, ISO 8601 UTC: a writer finds the natural keys of a period without reading the rest. */
  readonly from_ts: string;
  readonly to_ts: string;
  /** The file `events/<first>_<last>.<sha256>.index`. Absent for small segments, and in versions from before there were indexes. */
  readonly index?: { readonly sha256: string; readonly bytes: number };
}

/** `read`: accepted in time. `refused`: none of the rows of its last delivery passed the checks. `empty`: it has delivered no row. */
export type SourceState =
  | 'read'
  | 'never_read'
  | 'empty'
  | 'overdue'
  | 'failing'
  | 'suspect'
  | 'refused'
  | 'off'
  | 'needs_key';

/** A configured source, and what became of it up to a version. */
export interface InputSource {
  readonly id: string;
  /** Raw table that it delivers to. */
  readonly table: string;
  readonly state: SourceState;
  /** Null if it is read. */
  readonly reason: string | null;
}

export interface InputTable {
  readonly name: string;
  /** Whether it, or a table that can deliver the same facts, has a source. */
  readonly is_sourced: boolean;
  /** Whether any row has landed in it, or in a table that can deliver the same facts. */
  readonly has_rows: boolean;
}

/** A family of data: what it publishes, and the raw tables from which that is computed. */
export interface InputFamily {
  readonly id: string;
  /** Its name in a sentence. */
  readonly title: string;
  /** It has no raw tables of its own. */
  readonly is_derived: boolean;
  readonly datasets: readonly string[];
  readonly tables: readonly string[];
  /** Those of `tables` without any of which nothing about the family is known. */
  readonly essential: readonly string[];
  /** Tables of other families that it also reads. */
  readonly other_tables: readonly string[];
}

/** What the installation is configured to read and to publish, and how far a version has it. */
export interface Inputs {
  readonly families: readonly InputFamily[];
  readonly tables: readonly InputTable[];
  readonly sources: readonly InputSource[];
  /** Since when no source has been fetched although one is due, Unix seconds; absent while sources are fetched. */
  readonly silent_since?: number;
}

/** `versions/<version>/manifest.json` */
export interface Manifest {
  readonly schema_version: string;
  readonly version: string;
  /** Wall-clock time of publication, ISO 8601 UTC. */
  readonly generated_at: string;
  /** Logical time of the data, ISO 8601 UTC. Never goes backward from one version to the next. */
  readonly as_of: string;
  /** Logical time of the datasets, if the version only adds events: events are published before the datasets of their time. */
  readonly datasets_as_of?: string;
  readonly previous: string | null;
  readonly engine_version: string;
  readonly methodology_version: string;
  readonly policy_version: string;
  /** Absent in versions from before inputs were recorded. */
  readonly inputs?: Inputs;
  readonly datasets: { readonly [id: string]: DatasetEntry };
  /** Absent if nothing is held back, and in versions from before it was stated. */
  readonly held_subjects?: HeldSubjects;
  /** Absent if no event is withheld. */
  readonly withheld_events?: WithheldEvents;
  readonly events: {
    readonly last_event_id: string | null;
    readonly count: number;
    readonly segments: readonly SegmentEntry[];
  };
}

export const datasetsAsOf = ({ as_of, datasets_as_of }: Pick<Manifest, 'as_of' | 'datasets_as_of'>): string =>
  datasets_as_of ?? as_of;

/** The event log of a manifest. */
export const eventsOf = (segments: readonly SegmentEntry[]): Manifest['events'] => ({
  last_event_id: segments.at(-1)?.last ?? null,
  count: segments.reduce((sum, { count }) => sum + count, 0),
  segments,
});

export const POINTER_FILE = 'current.json';
/** How far versions have been collected. */
export const COLLECTED_FILE = 'collected.json';
export const manifestPath = (version: string) => `versions/${version}/manifest.json`;
export const datasetPath = (id: string, sha256: string) => `datasets/${id}/${sha256}.ndjson`;
export const formPath = (id: string, form: FormName, sha256: string) =>
  `datasets/${id}/${sha256}.${form === 'table' ? 'table.json' : form}`;
export const seriesPath = (id: string, sha256: string) => `datasets/${id}/${sha256}.series.ndjson`;
export const segmentPath = (name: string) => `events/${name}`;
export const segmentIndexPath = (name: string, sha256: string) =>
  segmentPath(name.replace(/ndjson$/, `${sha256}.index`));
export const segmentName = (first: string, last: string) => `${first}_${last}.ndjson`;
export const readerPath = (id: string) => `readers/${id}.json`;
export const VERSIONS_FOLDER = 'versions';
export const DATASETS_FOLDER = 'datasets';
export const EVENTS_FOLDER = 'events';
export const READERS_FOLDER = 'readers';
/** Retracted versions; kept as a record, never served. */
export const RETRACTED_FOLDER = 'retracted';
