// Who may read what the programs write, as the mask that a process applies to every file and folder that it creates.
import type { Settings } from './settings.ts';

const MASKS = { owner: 0o077, group: 0o027 } as const;

/** The bits that new files and folders must not have. */
export const umaskOf = ({ file_access }: Pick<Settings, 'file_access'>): number => MASKS[file_access];
