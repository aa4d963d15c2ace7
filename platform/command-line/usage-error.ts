/** The command line, or something it names, is unusable; nothing was done. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
