// Whether an installation is whole enough for a backup of it. One that lacks a part, because a disk is not mounted or a key was lost, would
// push out the backups that have it.
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { knownLandingKey, personalFolders } from '../../jobs/app/installation-keys.ts';
import { LANDING_FOLDER, QUARANTINE_FOLDER } from '../../jobs/ingest/data-folder.ts';
import { domains } from '../../jobs/registry.ts';
import { shellWord } from '../../platform/command-line/command-for.ts';
import { isPostgres } from '../../platform/postgres/pg-pool.ts';
import {
  FolderError,
  INSTALLATION_FILE,
  type Installation,
  reachable,
} from '../../platform/processes/data-folder.ts';
import type { Settings } from '../../platform/settings/settings.ts';
import { RefusedInputError } from '../../platform/storage/errors.ts';
import { AuditAnchor } from '../../server/store/audit-anchor.ts';
import { makeSealer, sealKey } from '../../server/store/seal.ts';
import { StoreUnavailableError } from '../../server/store/store.ts';

const NONE = 'No backup was made.';

/** Without its configuration, a command may name other folders than the programs use. @throws FolderError */
export function refuseNoConfig(
  known: Pick<Installation, 'config'> | null,
  given: string | null,
  dir: string,
): void {
  if (given !== null || known === null || known.config === null) return;
  const file = reachable(known.config, dir);
  throw new FolderError(
    `${dir} is written with the configuration ${file}, and this command has none. ${NONE} Add --config ${shellWord(file)}.`,
  );
}

/** `isShared`: job hosts share landing in a bucket. @throws FolderError, RefusedInputError, Error of a key */
export function refuseMissingLanding(settings: Settings, isShared: boolean): void {
  const { data_dir: dir } = settings;
  if (!existsSync(dir))
    throw new FolderError(
      `The data folder ${dir} does not exist. ${NONE} Name that of the programs with --data-dir (DATA_DIR).`,
    );
  const landing = isShared ? null : lostLanding(dir);
  if (landing !== null)
    throw new RefusedInputError(
      `${landing} holds nothing, although ${join(dir, INSTALLATION_FILE)} shows that rows have landed. ${NONE} Mount the folder, or restore it from an earlier backup.`,
    );
  knownLandingKey(landingKeyOf(dir, settings.landing_key_file));
}

/** The folder of landing if it holds nothing although rows have landed; null otherwise. */
export function lostLanding(dir: string): string | null {
  const landing = join(dir, LANDING_FOLDER);
  return existsSync(join(dir, INSTALLATION_FILE)) && isEmpty(landing) ? landing : null;
}

/** What `knownLandingKey` compares. */
export function landingKeyOf(dir: string, file: string): Parameters<typeof knownLandingKey>[0] {
  const [landing, quarantine] = [join(dir, LANDING_FOLDER), join(dir, QUARANTINE_FOLDER)];
  const raw = domains.flatMap((domain) => domain.raw);
  const folders = personalFolders(raw, [landing, quarantine]);
  return { file, fingerprint: join(landing, 'key-fingerprint.txt'), folders };
}

const isEmpty = (folder: string): boolean =>
  !existsSync(folder) || readdirSync(folder).every((name) => name.startsWith('.'));

/** @throws StoreUnavailableError, or the error of a file that is not a key, if the secrets of the store could not be read from a backup */
export function refuseOtherSealKey({ ops_store: store, seal_key_file: file }: Settings): void {
  if (!existsSync(file))
    throw new StoreUnavailableError(
      `The seal key ${file} is missing, and without it no secret in the store can be read. ${NONE} Restore it from an earlier backup, or name it with --seal-key-file (SEAL_KEY_FILE).`,
    );
  const none = () => new Uint8Array();
  const sealer = makeSealer(sealKey({ file, randomBytes: none, onMade: () => undefined }), none);
  new AuditAnchor(isPostgres(store) ? join(dirname(file), 'postgres') : store, sealer).read();
}

/** The ledger records a version, and nothing is published. */
export const lostVersions = (folder: string, version: string): RefusedInputError =>
  new RefusedInputError(
    `The ledger records that version ${version} was published, but ${folder} holds no version. ${NONE} Mount that folder, name it with --snapshot-dir (SNAPSHOT_DIR), or restore it from an earlier backup.`,
  );

export const nothingThere = (dir: string): RefusedInputError =>
  new RefusedInputError(
    `${dir} holds no installation: nothing has landed, nothing is published, and there is no ops store. ${NONE} Start the programs first, or name their folder with --data-dir (DATA_DIR).`,
  );
