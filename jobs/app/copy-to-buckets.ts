// Carries out `copy`: copies what job hosts and servers share from folders to buckets.
import { setTimeout as wait } from 'node:timers/promises';
import { UsageError } from '../../platform/command-line/usage-error.ts';
import { nodeDisk } from '../../platform/storage/disk.ts';
import type { ObjectStore } from '../../platform/storage/object-store.ts';
import { openBucket, requireConditions } from '../../platform/storage/s3/open-store.ts';
import { EXIT, type ExitCode } from '../commands/exit-codes.ts';
import type { CopyRequest } from '../commands/parse.ts';
import type { Config } from '../config.ts';
import { assertLandingWhole } from '../ingest/receipts/verify.ts';
import { copyInstallation } from './copies/copy.ts';
import { installationOf, openSnapshots, type StoreEffects } from './open-snapshots.ts';

export interface CopyEffects extends StoreEffects {
  readonly makeKey: () => Uint8Array;
  readonly print: (line: string) => void;
}

/** The caller is the leader. @throws UsageError if the data is already in buckets, RefusedInputError, IngestError, StoreError */
export async function copyToBuckets(
  config: Config,
  { to_data, to_snapshots }: CopyRequest,
  { nowMs, random, makeKey, print }: CopyEffects,
): Promise<ExitCode> {
  const { settings, store_env: env } = config;
  if (settings.data_store !== '' || settings.snapshot_store !== '')
    throw new UsageError('Copy reads from folders: unset DATA_STORE and SNAPSHOT_STORE.');
  const bucket = (setting: string, address: string): ObjectStore =>
    openBucket({ setting, address }, settings, { env, nowMs, random, wait: (ms) => wait(ms) });
  const to = { data: bucket('--to-data', to_data), snapshots: bucket('--to-snapshots', to_snapshots) };
  for (const store of [to.data, to.snapshots])
    await requireConditions(store, Buffer.from(makeKey()).toString('hex'));
  const folder = { disk: nodeDisk, dir: settings.data_dir };
  await assertLandingWhole(folder);
  const installation = installationOf(settings, null, makeKey);
  const snapshots = openSnapshots(config, { nowMs, random });
  const copied = await copyInstallation({ ...folder, snapshots, to, installation });
  print(
    `Copied and compared: ${copied.landing} landing files, ${copied.recordings} recording files, ${copied.published} published files and ${copied.runs} ledger lines; ${copied.bytes} bytes.`,
  );
  print(
    `Next: set DATA_STORE=${to_data} and SNAPSHOT_STORE=${to_snapshots}, give each job host an empty DATA_DIR and the same landing.key and author.key, and start the jobs. ${settings.data_dir} is unchanged. Keys and subscriptions stay in OPS_STORE; to move them as well, use the command \`copy-store --to postgres://…\` of the server.`,
  );
  return EXIT.done;
}
