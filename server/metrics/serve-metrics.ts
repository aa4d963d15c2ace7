// Serves `/metrics` on a separate port, so that it is not public.
import { createServer, type Server } from 'node:http';
import type { Registry } from 'prom-client';

export interface MetricsAddress {
  readonly host: string;
  readonly port: number;
}

/** @throws Error if the port is unavailable. */
export async function serveMetrics(registry: Registry, address: MetricsAddress): Promise<Server> {
  const server = createServer((request, response) => {
    if (request.method !== 'GET' || request.url !== '/metrics') {
      response.writeHead(404).end();
      return;
    }
    registry.metrics().then(
      (text) => response.writeHead(200, { 'Content-Type': registry.contentType }).end(text),
      () => response.writeHead(500).end(),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(address.port, address.host, resolve);
  });
  return server;
}
