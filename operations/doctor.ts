// `npm run doctor`: reads an installation and says what is wrong, most urgent first, and what to do. Changes nothing, and needs no running
// program. Owns settings, clock and the exit code.
import { existsSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import type { Status } from '../jobs/commands/status.ts';
import { type Config, loadConfig } from '../jobs/config.ts';
import { counted } from '../platform/base/plural.ts';
import { DOCTOR } from '../platform/command-line/operator-commands.ts';
import { SettingsError } from '../platform/settings/load-settings.ts';
import type { ObjectStore } from '../platform/storage/object-store.ts';
import { openBucket } from '../platform/storage/s3/open-store.ts';
import { readLastBackup } from './backup/last-backup.ts';
import { backupStoreAt } from './backup/place.ts';
import { lostLanding } from './backup/whole-installation.ts';
import { checkBackups } from './doctor/check-backups.ts';
import { checkBucket, checkEngines, checkSafety, checkServer, checkTrino } from './doctor/check-engines.ts';
import { checkDisk, checkFolders } from './doctor/check-folders.ts';
import { checkFormats } from './doctor/check-formats.ts';
import { checkKeys } from './doctor/check-keys.ts';
import {
  clockFindings,
  damageFindings,
  heldFindings,
  sourceFindings,
  statusOfFolder,
  tickFindings,
} from './doctor/check-runs.ts';
import { checkLeases, checkStore } from './doctor/check-store.ts';
import { type Check, critical, type Diagnosis, diagnose, type Finding } from './doctor/finding.ts';
import { EXIT, type ProgramEffects, runProgram } from './program.ts';

const WARNINGS = 4;

function checksOf(config: Config, effects: ProgramEffects): readonly Check[] {
  const { settings } = config;
  const now = effects.nowMs();
  const isUsed = existsSync(config.paths.landing) || lostLanding(settings.data_dir) !== null;
  // Read once, although several checks judge it: reading may take seconds.
  let reading: Promise<Status> | undefined;
  const status = () => (reading ??= statusOfFolder({ config, ...effects }));
  const store = { settings, nowMs: now };
  const check = (name: string, find: Check['find']): Check => ({ name, find });
  const ofRuns = (name: string, judge: (status: Status) => Awaited<ReturnType<Check['find']>>): Check =>
    check(name, async () => (existsSync(settings.data_dir) ? judge(await status()) : []));
  const open = (address: string) => backupStoreAt(address, 'last-backup.json', { settings, ...effects });
  const backup = () => checkBackups(readLastBackup(settings.data_dir), { config, nowMs: now, isUsed, open });
  return [
    check('folders', () => checkFolders(settings, effects.userId)),
    check('keys', () => checkKeys(settings, effects.userId)),
    check('formats', () => checkFormats(settings, effects.program, config.config_path)),
    check('disk', () => checkDisk(settings, now)),
    ofRuns('clock', (found) => clockFindings(found, now)),
    ofRuns('files', (found) => damageFindings(found, config)),
    check('store', () => checkStore(store)),
    check('leases', () => checkLeases(store)),
    ofRuns('runs', (found) => tickFindings(found, config, now)),
    ofRuns('sources', (found) => sourceFindings(found, config)),
    ofRuns('held back', (found) => heldFindings(found, config)),
    check('backups', backup),
    check('bucket of versions', () => checkBucket(bucket(config, 'snapshot_store', effects))),
    check('bucket of landing', () => checkBucket(bucket(config, 'data_store', effects))),
    check('Trino', () => checkTrino(settings)),
    check('engines', async () => checkEngines(effects, await engineOf(settings.data_dir, status))),
    check('server', () => checkServer(settings)),
    check('exposure', () => checkSafety(settings)),
  ];
}

async function engineOf(dir: string, status: () => Promise<Status>): Promise<string | null> {
  return existsSync(dir) ? (await status()).engine : null;
}

function bucket(
  { settings, store_env: env }: Config,
  name: 'snapshot_store' | 'data_store',
  { nowMs, random }: ProgramEffects,
): ObjectStore | null {
  const named = { setting: name.toUpperCase(), address: settings[name] };
  if (named.address === '') return null;
  return openBucket(named, settings, { env, nowMs, random, wait: (ms) => wait(ms) });
}

const ofSettings = (error: SettingsError): Diagnosis => ({
  findings: [
    {
      ...critical(error.message.replaceAll(/\s+/g, ' '), 'Correct it; nothing else was checked.'),
      check: 'settings',
    },
  ],
  checks: [{ name: 'settings', state: 'found' }],
});

/** Without the sections of the configuration file, nothing else can be checked. */
async function diagnosisOf(effects: ProgramEffects): Promise<Diagnosis> {
  try {
    return await diagnose(checksOf(loadConfig(effects.source), effects));
  } catch (error) {
    if (error instanceof SettingsError) return ofSettings(error);
    throw error;
  }
}

function linesOf({ findings, checks }: Diagnosis): readonly string[] {
  const count = (urgency: Finding['urgency']) =>
    findings.filter((finding) => finding.urgency === urgency).length;
  const unknown = checks.filter(({ state }) => state === 'unknown').map(({ name }) => name);
  const sum = [
    `${count('critical')} critical`,
    counted(count('warning'), 'warning'),
    counted(count('notice'), 'notice'),
  ].join(', ');
  return [
    ...findings.flatMap(({ urgency, check, problem, todo }) => [
      `${urgency}: ${check}: ${problem}`,
      `    ${todo}`,
    ]),
    `Checked: ${checks.map(({ name }) => name).join(', ')}.`,
    ...(unknown.length === 0 ? [] : [`Could not be checked: ${unknown.join(', ')}.`]),
    `${sum}.`,
  ];
}

function exitCodeOf({ findings }: Diagnosis): number {
  if (findings.some(({ urgency }) => urgency === 'critical')) return EXIT.failed;
  return findings.some(({ urgency }) => urgency === 'warning') ? WARNINGS : EXIT.done;
}

function show(diagnosis: Diagnosis, isJson: boolean, print: ProgramEffects['print']): number {
  for (const line of isJson ? [JSON.stringify(diagnosis)] : linesOf(diagnosis)) print(line);
  return exitCodeOf(diagnosis);
}

process.exitCode = await runProgram(
  DOCTOR,
  async ({ flags }, _, effects) => show(await diagnosisOf(effects), flags.json, effects.print),
  (error, { flags }, print) => show(ofSettings(error), flags.json, print),
);
