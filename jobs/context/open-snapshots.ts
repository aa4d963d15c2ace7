// Where versions are published, from the settings.
import type { Settings } from '../../schemas/settings.ts';
import { type Disk, nodeDisk } from '../../snapshots/disk.ts';
import { FolderObjectStore } from '../../snapshots/folder-store.ts';
import type { ObjectStore } from '../../snapshots/object-store.ts';

/** `disk`: that of the leader, for whoever publishes. */
export const openSnapshots = ({ snapshot_dir }: Settings, disk: Disk = nodeDisk): ObjectStore =>
  new FolderObjectStore(disk, snapshot_dir);
