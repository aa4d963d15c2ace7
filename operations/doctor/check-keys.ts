// The keys of an installation: who can read them, and whether the one by which names were hashed is there.
import { join } from 'node:path';
import { knownLandingKey } from '../../jobs/app/installation-keys.ts';
import type { Settings } from '../../platform/settings/settings.ts';
import { landingKeyOf } from '../backup/whole-installation.ts';
import { statOrNull } from './check-folders.ts';
import { critical, type Findings } from './finding.ts';

/** Keys that other users can read, and those without which what has landed cannot be used. */
export async function checkKeys(settings: Settings, userId: number): Promise<Findings> {
  return [...openKeys(settings, userId), ...landingKeyFindings(settings)];
}

function landingKeyFindings({ data_dir: dir, landing_key_file: file }: Settings): Findings {
  try {
    knownLandingKey(landingKeyOf(dir, file));
    return [];
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return [critical(error.message, 'Until then, the jobs do not run and no backup is made.')];
  }
}

/** One of root, as a cluster mounts it, is read by its group, which is then that of the programs. */
function openKeys(settings: Settings, userId: number): Findings {
  const files = [
    settings.seal_key_file,
    settings.landing_key_file,
    settings.backup_key_file,
    join(settings.data_dir, 'author.key'),
  ];
  return files.flatMap((file) => {
    const stat = statOrNull(file);
    if (stat === null) return [];
    const others = stat.uid === 0 && userId !== 0 ? 0o007 : 0o077;
    if ((stat.mode & others) === 0) return [];
    return [
      critical(
        `other users can read the key ${file} (mode ${(stat.mode & 0o777).toString(8)}).`,
        `chmod 600 ${file}; if another user may have read it, replace what it protects.`,
      ),
    ];
  });
}
