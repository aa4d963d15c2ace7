// Every faulty receiver in a process of its own, so that what they hold is not counted as the sender's. Says name and URL of each as JSON.
import { type AddressInfo, createServer } from 'node:net';
import { FAULTS, startFault } from './faulty-receivers.ts';

/** Takes the connection and never says a word of TLS. */
async function startMuteTls(): Promise<string> {
  const server = createServer((socket) => socket.on('error', () => undefined));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
}

const started = await Promise.all(FAULTS.map(async (fault) => [fault.name, (await startFault(fault)).url]));
const mute = ['hangs in TLS', await startMuteTls()];
process.stdout.write(`${JSON.stringify([...started, mute])}\n`);
