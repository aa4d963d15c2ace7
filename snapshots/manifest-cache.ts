// What collection needs to know about versions. A manifest never changes, and checking thousands of them takes seconds.
import { pathsOf } from './dataset-intake.ts';
import { type Manifest, manifestPath, segmentIndexPath, segmentPath } from './layout.ts';
import type { ObjectStore } from '../platform/storage/object-store.ts';
import { ALL_ON, type SwitchedOff } from '../platform/base/switches.ts';
import { openVersion } from './read.ts';

export interface VersionFacts extends Pick<Manifest, 'version' | 'previous' | 'generated_at' | 'as_of'> {
  /** Paths of all files that the version needs, besides its manifest. */
  readonly files: readonly string[];
}

interface CachedFacts {
  /** Length and modification time of the manifest that was read. */
  readonly mark: string;
  readonly facts: VersionFacts;
}

/** The facts of one place's versions. A manifest is read again when its length or modification time changes. */
export class ManifestCache {
  readonly #off: SwitchedOff;
  readonly #cached = new Map<string, CachedFacts>();
  /** Versions have most files in common, so each path is kept once. */
  #paths = new Map<string, string>();

  constructor(off: SwitchedOff = ALL_ON) {
    this.#off = off;
  }

  /** Null if the version has no manifest. Throws DamagedFileError. */
  async of(store: ObjectStore, version: string): Promise<VersionFacts | null> {
    const file = await store.facts(manifestPath(version));
    if (file === null) return null;
    const mark = `${file.bytes} ${file.modifiedMs}`;
    const cached = this.#off.has('manifests') ? undefined : this.#cached.get(version);
    if (cached?.mark === mark) return cached.facts;
    const { manifest } = await openVersion(store, version);
    const { previous, generated_at, as_of } = manifest;
    const files = filesOf(manifest).map((path) => this.#shared(path));
    const facts = { version, previous, generated_at, as_of, files };
    this.#cached.set(version, { mark, facts });
    return facts;
  }

  /** Forgets all other versions. */
  keepOnly(versions: readonly string[]): void {
    const kept = new Set(versions);
    for (const version of [...this.#cached.keys()]) if (!kept.has(version)) this.#cached.delete(version);
    this.#paths = new Map();
    for (const { facts } of this.#cached.values())
      for (const path of facts.files) this.#paths.set(path, path);
  }

  #shared(path: string): string {
    const known = this.#paths.get(path);
    if (known === undefined) this.#paths.set(path, path);
    return known ?? path;
  }
}

const filesOf = ({ datasets, events }: Manifest): string[] => [
  ...pathsOf(datasets),
  ...events.segments.flatMap(({ name, index }) =>
    index ? [segmentPath(name), segmentIndexPath(name, index.sha256)] : [segmentPath(name)],
  ),
];
