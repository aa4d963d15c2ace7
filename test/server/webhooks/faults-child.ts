// Every faulty receiver, in a separate process so that its memory is not counted as the sender's. Prints their names and URLs as JSON.
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { FAULTS, startFault } from './faulty-receivers.ts';

/** A receiver that accepts the connection but does not speak TLS as it should. */
async function startNoTls(act: (socket: Socket) => void): Promise<string> {
  const server = createServer((socket) => act(socket.on('error', () => undefined)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
}

const started = await Promise.all(FAULTS.map(async (fault) => [fault.name, (await startFault(fault)).url]));
const noTls = [
  ['hangs in TLS', await startNoTls(() => undefined)],
  ['speaks no TLS', await startNoTls((socket) => socket.end('HTTP/1.1 400 What\r\n\r\n'))],
  ['resets in TLS', await startNoTls((socket) => socket.once('data', () => socket.resetAndDestroy()))],
];
process.stdout.write(`${JSON.stringify([...started, ...noTls])}\n`);
