// Where versions are published, from the settings.
import type { Settings } from '../../schemas/settings.ts';
import { nodeDisk } from '../../snapshots/disk.ts';
import { FolderObjectStore } from '../../snapshots/folder-store.ts';
import type { ObjectStore } from '../../snapshots/object-store.ts';

export const openSnapshots = ({ snapshot_dir }: Settings): ObjectStore =>
  new FolderObjectStore(nodeDisk, snapshot_dir);
