// Datasets of every kept version in every form. Opened versions and rendered forms are cached.
import { LRUCache } from 'lru-cache';
import { isUlid, ulidMs } from '../../platform/base/ulid.ts';
import { DamagedFileError } from '../../platform/storage/errors.ts';
import type { ObjectStore } from '../../platform/storage/object-store.ts';
import type { Manifest, TableInfo } from '../../snapshots/layout.ts';
import { listVersions, openVersion, type VersionReader, versionFolders } from '../../snapshots/read.ts';
import { Failure } from '../define/failure.ts';
import { IdleCache } from './idle-cache.ts';
import { nothingPublished, refuseUnreadable } from '../define/missing-data.ts';
import { render } from '../forms/render.ts';
import type { Form } from '../replies/dataset-form.ts';
import type { Moment, PublishedDatasets, VersionsAround } from '../services.ts';

const MAX_READERS = 16;
const MAX_FORM_BYTES = 128 * 1024 * 1024;
/** A version's id is at most this much later than its logical time: publications at one instant differ by one millisecond each. */
const ID_LEAD_MS = 60_000;

export class DatasetForms implements PublishedDatasets {
  readonly #snapshots: ObjectStore;
  /** The served version. Later versions do not count as published yet. */
  readonly #current: () => string | undefined;
  readonly #readers = new LRUCache<string, Promise<VersionReader>>({ max: MAX_READERS });
  readonly #forms: FormCache;

  constructor(snapshots: ObjectStore, current: () => string | undefined, nowMs: () => number) {
    this.#snapshots = snapshots;
    this.#current = current;
    this.#forms = new FormCache(nowMs);
  }

  #served(): string {
    const current = this.#current();
    if (current === undefined) throw nothingPublished();
    return current;
  }

  async manifestAt(moment: Moment): Promise<Manifest> {
    const current = this.#served();
    if (moment.version !== undefined) return this.#named(moment.version.toUpperCase(), current);
    if (moment.as_of === undefined) return (await this.#reader(current)).manifest;
    return this.#asOf(Date.parse(moment.as_of), current);
  }

  async kept(): Promise<readonly { readonly version: string; readonly as_of: string }[]> {
    const current = this.#served();
    const versions = (await listVersions(this.#snapshots)).filter((version) => version <= current);
    return versions.reverse().map((version) => ({ version, as_of: timeOf(version) }));
  }

  async around(eventId: string): Promise<VersionsAround> {
    const current = this.#served();
    const versions = (await listVersions(this.#snapshots)).filter((version) => version <= current);
    const late = versions.findIndex((version) => ulidMs(version) >= ulidMs(eventId));
    let index = late === -1 ? versions.length : late;
    while (index > 0 && (await this.#has(versions[index - 1], eventId))) index -= 1;
    while (index < versions.length && !(await this.#has(versions[index], eventId))) index += 1;
    return {
      before: await this.#manifestOf(versions[index - 1]),
      first: await this.#manifestOf(versions[index]),
    };
  }

  async #has(version: string | undefined, eventId: string): Promise<boolean> {
    const last = (await this.#manifestOf(version))?.events.last_event_id ?? null;
    return last !== null && last >= eventId;
  }

  async #manifestOf(version: string | undefined): Promise<Manifest | undefined> {
    return version === undefined ? undefined : (await this.#reader(version).catch(notKept))?.manifest;
  }

  async table(version: string, id: string): Promise<TableInfo | null> {
    const reader = await this.#reader(version);
    const bytes = await guarded(() => reader.formBytes(id, 'table'));
    return bytes === null ? null : (JSON.parse(bytes.toString()) as TableInfo);
  }

  async form(version: string, id: string, form: Form): Promise<Buffer | null> {
    const reader = await this.#reader(version);
    const entry = reader.manifest.datasets[id];
    // Also cached: a Parquet reader requests many small ranges of one file.
    if (form === 'parquet')
      return this.#forms.get(`${entry?.forms?.parquet?.sha256} parquet`, () =>
        guarded(() => reader.formBytes(id, 'parquet')),
      );
    return this.#forms.get(`${entry?.sha256} ${entry?.forms?.table?.sha256} ${form}`, async () => {
      const table = await this.table(version, id);
      const file = table && (await guarded(() => reader.datasetBytes(id)));
      return table && file && render(form, table, file);
    });
  }

  async #named(version: string, current: string): Promise<Manifest> {
    const isKept = isUlid(version) && version <= current;
    const reader = isKept ? await this.#reader(version).catch(notKept) : undefined;
    if (reader === undefined)
      throw new Failure('not_found', `The version ${version} does not exist or is no longer kept.`);
    return reader.manifest;
  }

  /** The newest version whose logical time is not later. Selects candidates by name, because opening thousands of folders is slow. */
  async #asOf(asOfMs: number, current: string): Promise<Manifest> {
    const folders = await versionFolders(this.#snapshots);
    const candidates = folders.filter(
      (version) => version <= current && ulidMs(version) <= asOfMs + ID_LEAD_MS,
    );
    for (const version of candidates.reverse()) {
      const manifest = (await this.#reader(version).catch(notKept))?.manifest;
      if (manifest !== undefined && Date.parse(manifest.as_of) <= asOfMs) return manifest;
    }
    const [oldest] = await listVersions(this.#snapshots);
    const details = oldest === undefined ? {} : { oldest_as_of: timeOf(oldest) };
    throw new Failure('not_found', 'No version from that time is kept.', { details });
  }

  #reader(version: string): Promise<VersionReader> {
    const known = this.#readers.get(version);
    if (known !== undefined) return known;
    const reader = openVersion(this.#snapshots, version);
    this.#readers.set(version, reader);
    reader.catch(() => this.#readers.delete(version));
    return reader;
  }
}

/** The time in a version's id. */
const timeOf = (version: string): string => `${new Date(ulidMs(version)).toISOString().slice(0, 19)}Z`;

/** A version that was collected in the meantime, or whose manifest is damaged, counts as no longer kept. */
function notKept(error: unknown): undefined {
  if (!(error instanceof DamagedFileError)) throw error;
  return undefined;
}

async function guarded<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (cause) {
    return refuseUnreadable(cause);
  }
}

// Caches rendered forms. Concurrent requests for a form render it once.

class FormCache {
  readonly #nowMs: () => number;
  readonly #rendered = new IdleCache<Buffer>(MAX_FORM_BYTES);
  readonly #pending = new Map<string, Promise<Buffer | null>>();

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** Null and failures are not cached. */
  async get(name: string, render: () => Promise<Buffer | null>): Promise<Buffer | null> {
    return this.#rendered.get(name, this.#nowMs()) ?? this.#pending.get(name) ?? this.#render(name, render);
  }

  #render(name: string, render: () => Promise<Buffer | null>): Promise<Buffer | null> {
    const pending = render()
      .then((form) => {
        if (form !== null) this.#rendered.set(name, form, { bytes: form.length, nowMs: this.#nowMs() });
        return form;
      })
      .finally(() => this.#pending.delete(name));
    this.#pending.set(name, pending);
    return pending;
  }
}
