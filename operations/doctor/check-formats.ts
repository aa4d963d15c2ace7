// Whether this version can work on a data folder, and whether this command has the settings that the folder is written with.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  FolderError,
  INSTALLATION_FILE,
  type Installation,
  parseInstallation,
  reachable,
  refuseUnfinishedRestore,
} from '../../platform/processes/data-folder.ts';
import type { Settings } from '../../platform/settings/settings.ts';
import { statOrNull } from './check-folders.ts';
import { critical, type Findings, notice, warning } from './finding.ts';

/** Whether this version can work on the folder at all. */
export async function checkFormats(
  settings: Settings,
  program: string,
  config: string | null,
): Promise<Findings> {
  const { data_dir: dir } = settings;
  try {
    refuseUnfinishedRestore(dir);
    const file = join(dir, INSTALLATION_FILE);
    if (statOrNull(file) === null) return [];
    const known = parseInstallation(readFileSync(file, 'utf8'), { file, program });
    const other = useFindings(known, settings, config);
    if (known.program === program) return other;
    return [
      ...other,
      notice(
        `version ${known.program} wrote ${dir} last, and this is version ${program}.`,
        'The next run upgrades what needs it; make a backup before.',
      ),
    ];
  } catch (error) {
    if (!(error instanceof FolderError)) throw error;
    return [critical(error.message, 'Until then, the programs refuse the folder.')];
  }
}

/** With other settings than those of the programs, everything else is judged by the wrong ones. */
function useFindings(known: Installation, { data_dir, profile }: Settings, config: string | null): Findings {
  const todo = 'Give the doctor the flags and the environment of the programs.';
  if (known.config !== null && config === null)
    return [
      warning(
        `${data_dir} is written with the configuration ${reachable(known.config, data_dir)}, and this command has none.`,
        todo,
      ),
    ];
  if (known.profile === profile) return [];
  return [
    critical(`${data_dir} is of profile ${known.profile}, and this command has profile ${profile}.`, todo),
  ];
}
