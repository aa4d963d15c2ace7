// The disk of a simulation: simulated time stands still during each operation, and nothing waits for a physical disk.
import { type Disk, type DiskFile, nodeDisk } from '../../../platform/storage/disk.ts';
import type { EventClock } from './event-clock.ts';

export function countedDisk(clock: EventClock): Disk {
  const counted =
    <A extends readonly unknown[], T>(operation: (...given: A) => Promise<T>) =>
    (...given: A): Promise<T> =>
      clock.during(() => operation(...given));
  return {
    create: counted(async (path) => countedFile(await nodeDisk.create(path), clock)),
    read: counted(nodeDisk.read),
    open: counted(nodeDisk.open),
    link: counted(nodeDisk.link),
    rename: counted(nodeDisk.rename),
    unlink: counted(nodeDisk.unlink),
    readdir: counted(nodeDisk.readdir),
    entries: counted(nodeDisk.entries),
    stat: counted(nodeDisk.stat),
    mkdir: counted(nodeDisk.mkdir),
    rmdir: counted(nodeDisk.rmdir),
    syncFolder: () => Promise.resolve(),
  };
}

const countedFile = (file: DiskFile, clock: EventClock): DiskFile => ({
  write: (bytes) => clock.during(() => file.write(bytes)),
  sync: () => Promise.resolve(),
  close: () => clock.during(() => file.close()),
});
