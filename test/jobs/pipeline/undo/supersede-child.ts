// Lands the source of a test folder again, in its own process, and kills itself at one of its write calls.
import { failingDisk } from '../../../support/failing-disk.ts';
import { NOW, openBuoyFiles, printed, RIGHT } from './buoy-files.ts';

const [dir = '', at = ''] = process.argv.slice(2);
const world = openBuoyFiles({ dir, remove: () => undefined });
world.map({ sea: RIGHT });
const fail = (): never => {
  process.kill(process.pid, 'SIGKILL');
  throw new Error('the process outlived SIGKILL');
};
await world.workOn(failingDisk({ at: Number(at), fail }).disk, NOW + 60, (context) => printed(context, {}));
