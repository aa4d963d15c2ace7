// A published folder as the object store that both programs use.
import { type Disk, nodeDisk } from '../../platform/storage/disk.ts';
import { FolderObjectStore } from '../../platform/storage/folder-store.ts';

export const inFolder = (dir: string, disk: Disk = nodeDisk): FolderObjectStore =>
  new FolderObjectStore(disk, dir);
