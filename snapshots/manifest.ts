// A manifest proves itself: the entropy of its version id is the hash of the rest of it, so a manifest of any age can be checked
// without the pointer, and two different manifests never share an id.

import { entropyOf, isUlid, ulidAt, ulidMs } from '../platform/base/ulid.ts';
import { canonicalJson, sha256Hex } from '../platform/storage/canonical.ts';
import { DamagedFileError, RefusedInputError, UnsupportedFormatError } from '../platform/storage/errors.ts';
import {
  type Current,
  type Manifest,
  manifestPath,
  POINTER_FILE,
  type Pointer,
  SNAPSHOT_SCHEMA_VERSION,
  type WriterNote,
} from './layout.ts';

const ENTROPY_START = 10;

export interface SealedManifest {
  readonly manifest: Manifest;
  readonly text: string;
  readonly sha256: string;
}

/** Gives a manifest its version: as of its logical time, but later than `floor`, the greatest id ever assigned. */
export function sealManifest(body: Omit<Manifest, 'version'>, floor: string | null): SealedManifest {
  const entropy = entropyOf(canonicalJson(body));
  const ms = Math.max(Date.parse(body.as_of), floor === null ? 0 : ulidMs(floor));
  const version =
    floor !== null && ulidAt(ms, entropy) <= floor ? ulidAt(ms + 1, entropy) : ulidAt(ms, entropy);
  const manifest = { ...body, version };
  const text = `${canonicalJson(manifest)}\n`;
  const sealed = { manifest, text, sha256: sha256Hex(text) };
  own = sealed;
  return sealed;
}

/** The manifest last sealed in this process: its writer reads it again to continue from it. */
let own: SealedManifest | undefined;

/** The manifest last checked: a run reads it several times. */
let newest: { readonly bytes: Buffer; readonly sealed: SealedManifest } | undefined;

/** Reads the bytes of `versions/<version>/manifest.json`; throws DamagedFileError when they are not the manifest of `version`. */
export function parseManifest(bytes: Buffer, version: string, file = manifestPath(version)): SealedManifest {
  if (newest?.sealed.manifest.version === version && bytes.equals(newest.bytes)) return newest.sealed;
  const sealed = ownManifest(bytes, version, file) ?? checkManifest(bytes, version, file);
  newest = { bytes, sealed };
  return sealed;
}

/** Bytes equal to the text sealed in this process need no proof. They are parsed again, because the sealed object is its writer's. */
function ownManifest(bytes: Buffer, version: string, file: string): SealedManifest | undefined {
  if (own?.manifest.version !== version || !bytes.equals(Buffer.from(own.text))) return undefined;
  const { text, sha256 } = own;
  const manifest = JSON.parse(text) as Manifest;
  checkFormat(manifest.schema_version, file);
  return { manifest, text, sha256 };
}

function checkManifest(bytes: Buffer, version: string, file: string): SealedManifest {
  const damaged = (actual: string, cause?: unknown) =>
    new DamagedFileError(
      { file, expected: `the manifest of version ${version}`, actual, advice: MANIFEST_ADVICE },
      { cause },
    );
  const parsed = parseObject(bytes, damaged);
  const { version: written, ...body } = parsed;
  if (written !== version) throw damaged(`version ${String(written)}`);
  const text = `${canonicalText(parsed, damaged)}\n`;
  if (!bytes.equals(Buffer.from(text))) throw damaged('text in another form than it was written');
  if (entropyOf(canonicalJson(body)) !== version.slice(ENTROPY_START)) throw damaged('other contents');
  const manifest = parsed as unknown as Manifest;
  checkFormat(manifest.schema_version, file);
  return { manifest, text, sha256: sha256Hex(text) };
}

/** A parsed text may hold what is never written: a number beyond the doubles, or more levels than the stack has. */
function canonicalText(value: unknown, damaged: (actual: string, cause: unknown) => Error): string {
  try {
    return canonicalJson(value);
  } catch (error) {
    throw error instanceof RefusedInputError ? damaged('text that is never written', error) : error;
  }
}

export const pointerText = (pointer: Pointer): string => currentText({ pointer, writer: null });

export const currentText = ({ pointer, writer }: Current): string =>
  `${canonicalJson({ ...(pointer ?? NO_POINTER), ...(writer && { writer: plainNote(writer) }) })}\n`;

const NO_POINTER = { version: null, manifest_sha256: null };

const plainNote = ({ installation, term, tail }: WriterNote) => ({ installation, term, tail: [...tail] });

/** Throws DamagedFileError. */
export function parseCurrent(bytes: Buffer, file = POINTER_FILE): Current {
  const damaged = (actual: string, cause?: unknown) =>
    new DamagedFileError(
      { file, expected: 'a version and the sha256 of its manifest', actual, advice: POINTER_ADVICE },
      { cause },
    );
  const { version, manifest_sha256, writer: noted } = parseObject(bytes, damaged);
  const writer = noted === undefined ? null : noteOf(noted);
  if (noted !== undefined && writer === null) throw damaged('no installation, term and tail of its writer');
  const isEmpty = writer !== null && version === null && manifest_sha256 === null;
  const pointer = isEmpty ? null : pointerOf({ version, manifest_sha256 }, damaged);
  const current = { pointer, writer };
  if (!bytes.equals(Buffer.from(currentText(current))))
    throw damaged('text in another form than it was written');
  return current;
}

function pointerOf(
  { version, manifest_sha256 }: { readonly version: unknown; readonly manifest_sha256: unknown },
  damaged: (actual: string) => Error,
): Pointer {
  if (typeof version !== 'string' || !isUlid(version)) throw damaged('no version');
  if (typeof manifest_sha256 !== 'string' || !/^[0-9a-f]{64}$/.test(manifest_sha256))
    throw damaged('no sha256');
  return { version, manifest_sha256 };
}

function noteOf(value: unknown): WriterNote | null {
  const { installation, term, tail } = (value ?? {}) as { readonly [member in keyof WriterNote]?: unknown };
  const isTail = Array.isArray(tail) && tail.every((name) => typeof name === 'string');
  if (typeof installation !== 'string' || !Number.isSafeInteger(term) || !isTail) return null;
  return { installation, term: term as number, tail };
}

function parseObject(
  bytes: Buffer,
  damaged: (actual: string, cause?: unknown) => Error,
): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return value as Record<string, unknown>;
  } catch (cause) {
    throw damaged(`${bytes.length} bytes that are not JSON`, cause);
  }
  throw damaged('JSON that is not an object');
}

function checkFormat(written: string, file: string): void {
  const major = (version: string) => version.split('.')[0];
  if (major(written) === major(SNAPSHOT_SCHEMA_VERSION)) return;
  throw new UnsupportedFormatError(
    `${file} has format ${written}; this program reads ${SNAPSHOT_SCHEMA_VERSION}. Update the older of the two programs.`,
  );
}

export const MANIFEST_ADVICE =
  'Restore it from a copy (a mirror or a backup); readers stay on the last good version until then. Without a copy, continue from an earlier version with the command `retract --to VERSION` of the jobs.';
const POINTER_ADVICE = 'Publish again to replace it: readers stay on the last good version until then.';
