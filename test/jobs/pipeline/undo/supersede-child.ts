// Lands the source of a test folder again, in its own process, until it is done or killed. Prints a line when it begins.
import { NOW, openBuoyFiles, RIGHT } from './buoy-files.ts';

const [dir = ''] = process.argv.slice(2);
const world = openBuoyFiles({ dir, remove: () => undefined });
world.map({ sea: RIGHT });
process.stdout.write('begins\n');
await world.supersede(NOW + 60, {});
