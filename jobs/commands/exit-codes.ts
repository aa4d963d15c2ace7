// Exit codes of the commands, for schedulers such as cron.

export const EXIT = {
  done: 0,
  failed: 1,
  /** Wrong command line or configuration: nothing was tried. */
  wrong_use: 2,
  /** Another instance is working on this folder: nothing was done, and nothing is wrong. */
  skipped: 3,
  /** Something was published, but a source failed or a dataset was held back. */
  partial: 4,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
