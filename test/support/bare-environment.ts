// The environment of a program that is to know nothing of the test's own: where programs are, and the compiled modules that a run shares.

export const bareEnvironment = (): NodeJS.ProcessEnv => ({
  PATH: process.env['PATH'],
  NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
});
