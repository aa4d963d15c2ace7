// `npm run backup`: copies an installation while its programs run. Owns settings, clock, randomness and the exit code.
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { counted } from '../platform/base/plural.ts';
import { BACKUP } from '../platform/command-line/operator-commands.ts';
import { UsageError } from '../platform/command-line/usage-error.ts';
import { readInstallation } from '../platform/processes/data-folder.ts';
import type { LoadedSettings } from '../platform/settings/load-settings.ts';
import { nodeDisk } from '../platform/storage/disk.ts';
import { RefusedInputError } from '../platform/storage/errors.ts';
import { openBucket, openObjectStore } from '../platform/storage/s3/open-store.ts';
import { type Backup, sumOf } from './backup/backup-form.ts';
import { sealerOf } from './backup/backup-key.ts';
import { LAST_BACKUP, textOfLastBackup } from './backup/last-backup.ts';
import { type Installation, makeBackup } from './backup/make-backup.ts';
import { backupStoreAt, isBucket, refusePlace } from './backup/place.ts';
import { Repository, type Retention, verifyBackup } from './backup/repository.ts';
import { refuseNoConfig } from './backup/whole-installation.ts';
import { EXIT, type ProgramEffects, runProgram } from './program.ts';

async function make(
  { to, keep, json }: { readonly to: string; readonly keep?: string | undefined; readonly json: boolean },
  loaded: LoadedSettings,
  effects: ProgramEffects,
): Promise<number> {
  const { settings } = loaded;
  const kept = keep === undefined ? null : countOf(keep);
  const known = readInstallation(settings.data_dir, effects.program);
  refuseNoConfig(known, loaded.config_path, settings.data_dir);
  const repository = new Repository(backupStoreAt(to, '--to', { settings, ...effects }), effects);
  const id = await repository.newId(effects.randomBytes);
  refusePlace(to, settings, id);
  const makes = { id, effects: { ...effects, openSealer: () => openSealer(loaded, effects) } };
  await repository.begin(id);
  try {
    const backup = await makeBackup(repository, installationOf(loaded, effects), makes);
    note(backup, to, loaded, effects);
    const removed = kept === null ? 0 : removedBy(await repository.keepNewest(kept), effects);
    const added = repository.addedBytes;
    if (json) effects.print(JSON.stringify({ ...summaryOf(backup), added_bytes: added, removed, to }));
    else for (const line of linesOf(backup, { added, removed, to })) effects.print(line);
    return EXIT.done;
  } finally {
    await repository.end();
  }
}

function removedBy({ removed, unreadable }: Retention, { warn }: ProgramEffects): number {
  for (const message of unreadable)
    warn(`The backup is complete, but no part of older ones was removed: ${message}`);
  return removed;
}

function countOf(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new UsageError(`--keep: "${text}" is not a number of backups from 1 on.`);
}

function installationOf({ settings, config_path }: LoadedSettings, effects: ProgramEffects): Installation {
  const { env, nowMs, random } = effects;
  const bucket = { env, nowMs, random, wait: (ms: number) => wait(ms) };
  const named = { setting: 'DATA_STORE', address: settings.data_store };
  return {
    settings,
    config_path,
    snapshots: openObjectStore(settings, { disk: nodeDisk, ...bucket }),
    shared: settings.data_store === '' ? null : openBucket(named, settings, bucket),
  };
}

const openSealer = ({ settings }: LoadedSettings, { randomBytes, warn }: ProgramEffects) =>
  sealerOf(settings.backup_key_file, {
    randomBytes,
    onMade: (file) => warn(`Created ${file}. Keep a copy of it on another machine: a restore needs it.`),
  });

/** For `doctor`. The backup itself is complete without it. */
function note(backup: Backup, to: string, { settings }: LoadedSettings, { warn }: ProgramEffects): void {
  try {
    const place = isBucket(to) ? to : resolve(to);
    writeFileSync(join(settings.data_dir, LAST_BACKUP), textOfLastBackup(backup, place));
  } catch (error) {
    warn(`The backup is complete, but its time cannot be noted in ${settings.data_dir}: ${String(error)}`);
  }
}

const summaryOf = (backup: Backup) => {
  const { files, ...facts } = backup;
  return { ...facts, files: files.length, bytes: sumOf(backup) };
};

function linesOf(
  backup: Backup,
  { added, removed, to }: { readonly added: number; readonly removed: number; readonly to: string },
): readonly string[] {
  const { id, version, as_of, events, has_store, files } = backup;
  const published = version === null ? 'no version' : `version ${version} as of ${as_of}`;
  const store = has_store ? 'the ops store' : 'no ops store, because no server has run here';
  return [
    `Backup ${id} in ${to}: ${published}, ${counted(events, 'event')}, ${store}; ${counted(files.length, 'file')}, ${sumOf(backup)} bytes, of which ${added} were new.`,
    ...(removed === 0 ? [] : [`Removed ${counted(removed, 'older backup')}.`]),
  ];
}

async function list(repository: Repository, json: boolean, { print }: ProgramEffects): Promise<number> {
  const ids = (await repository.ids()).toReversed();
  if (ids.length === 0 && !json) print(`${repository.name} holds no backup.`);
  for (const id of ids) {
    const backup = await readable(repository, id);
    if (json)
      print(JSON.stringify(backup instanceof Error ? { id, problem: backup.message } : summaryOf(backup)));
    else print(backup instanceof Error ? `${id}  ${backup.message}` : lineOf(backup));
  }
  return EXIT.done;
}

/** One that cannot be read does not hide the others. */
async function readable(repository: Repository, id: string): Promise<Backup | Error> {
  try {
    return await repository.read(id);
  } catch (error) {
    if (error instanceof Error) return error;
    throw error;
  }
}

const lineOf = (backup: Backup): string =>
  `${backup.id}  ${backup.begun_at}  ${sumOf(backup)} bytes  ${counted(backup.files.length, 'file')}  ${
    backup.version === null
      ? 'nothing published'
      : `as of ${backup.as_of}, ${counted(backup.events, 'event')}`
  }${backup.has_store ? '' : ', no ops store'}`;

async function verify(
  repository: Repository,
  named: string | undefined,
  { print, warn }: ProgramEffects,
): Promise<number> {
  const id = named ?? (await repository.ids()).at(-1);
  if (id === undefined) throw new RefusedInputError(`${repository.name} holds no backup.`);
  const backup = await repository.read(id);
  const damage = await verifyBackup(repository, backup);
  for (const { message } of damage) warn(message);
  if (damage.length > 0) return EXIT.failed;
  print(`Backup ${id} is intact: ${counted(backup.files.length, 'file')}, ${sumOf(backup)} bytes.`);
  return EXIT.done;
}

process.exitCode = await runProgram(BACKUP, (command, loaded, effects) => {
  const { settings } = loaded;
  switch (command.name) {
    case 'make':
      return make(command.flags, loaded, effects);
    case 'list':
      return list(repositoryAt(command.flags.from, '--from'), command.flags.json, effects);
    case 'verify':
      return verify(repositoryAt(command.flags.from, '--from'), command.flags.backup, effects);
  }
  function repositoryAt(address: string, flag: string): Repository {
    return new Repository(backupStoreAt(address, flag, { settings, ...effects }), effects);
  }
});
