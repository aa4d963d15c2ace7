// Publishes one fixed version into the given folder, for comparing bytes between environments.
import { openEventLog } from '../../../snapshots/events.ts';
import { publishVersion } from '../../../snapshots/write.ts';
import { inFolder } from '../../support/in-folder.ts';
import { candidate, dataset, publication, T0 } from '../support/world.ts';

const [dir = ''] = process.argv.slice(2);
const log = await openEventLog(inFolder(dir), []);
await log.append(
  ['ı', 'I', 'ä', 'z', 'Z', '10', '9'].map((key, i) =>
    candidate(key, T0 + i * 86_400_000, { ä: 1.5, z: 1e21, I: -0 }),
  ),
  T0,
);
const values = { ä: 1, z: { ı: 'İ', i: 0.1 }, Z: [1e-7, 1234567.891], 9: 'x', 10: 'y', ß: null };
await publishVersion(
  inFolder(dir),
  publication(3, { datasets: [dataset('feeds', values)], segments: log.segments() }),
);
