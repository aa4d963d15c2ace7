// An environment for programs that must not inherit the test's own: only the program path and the compiled modules shared by a run.

export const bareEnvironment = (): NodeJS.ProcessEnv => ({
  PATH: process.env['PATH'],
  NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
});
