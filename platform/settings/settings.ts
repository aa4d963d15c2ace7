// Every setting: name, type, default and meaning. Both programs, the start command, their help, `.env.example` and the tables of
// docs/configuration.md are built from this list. A setting is `DATA_DIR` in the environment, `data_dir` in the configuration file and
// `--data-dir` as a flag.
import { BACKUPS } from './backups.ts';
import { DEMO } from './demo.ts';
import { HOSTS } from './hosts.ts';
import { JOBS } from './jobs.ts';
import { RETENTION } from './retention.ts';
import { SERVER } from './server.ts';
import { SERVICE } from './service.ts';
import type { ValueOf } from './setting-spec.ts';
import { WAREHOUSE } from './warehouse.ts';

export const SETTING_GROUPS = [SERVICE, DEMO, JOBS, SERVER, RETENTION, BACKUPS, HOSTS, WAREHOUSE] as const;

type Setting = (typeof SETTING_GROUPS)[number]['settings'][number];

export const SETTINGS: readonly Setting[] = SETTING_GROUPS.flatMap(
  ({ settings }): readonly Setting[] => settings,
);

/** The values of all settings, by name. */
export type Settings = { readonly [S in Setting as S['name']]: ValueOf<S> };
