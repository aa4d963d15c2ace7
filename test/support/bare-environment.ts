// Environments for programs that must not inherit the test's own.
import { SETTINGS } from '../../platform/settings/settings.ts';

/** Only the program path and the compiled modules shared by a run. */
export const bareEnvironment = (): NodeJS.ProcessEnv => ({
  PATH: process.env['PATH'],
  NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
});

/**
 * Removes every setting of the service. Whoever runs the tests may have `DATA_DIR` set, which takes precedence over the configuration
 * files of tests: the programs that they start would work in that folder.
 */
export function removeSettings(env: NodeJS.ProcessEnv): void {
  for (const { name } of SETTINGS) delete env[name.toUpperCase()];
}
