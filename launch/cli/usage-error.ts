/** The command line, or something that it names, cannot be used; nothing was done. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
