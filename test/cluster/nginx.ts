// nginx in front of the servers of a cluster: a request that one server does not accept goes to the next.
import { type ChildProcess, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Its files are in `dir`. */
export function startNginx(dir: string, port: number, servers: readonly number[]): ChildProcess {
  const file = join(dir, 'nginx.conf');
  writeFileSync(file, configuration(dir, port, servers));
  return spawn('nginx', ['-p', dir, '-c', file, '-e', join(dir, 'nginx-error.log')], { stdio: 'ignore' });
}

const configuration = (dir: string, port: number, servers: readonly number[]): string => `
daemon off;
pid ${dir}/nginx.pid;
worker_processes 1;
events { worker_connections 512; }
http {
  access_log off;
  client_body_temp_path ${dir}/nginx-body;
  proxy_temp_path ${dir}/nginx-proxy;
  fastcgi_temp_path ${dir}/nginx-fastcgi;
  uwsgi_temp_path ${dir}/nginx-uwsgi;
  scgi_temp_path ${dir}/nginx-scgi;
  upstream servers {
${servers.map((server) => `    server 127.0.0.1:${server} max_fails=0;`).join('\n')}
  }
  map $http_upgrade $upgrade { default upgrade; '' ''; }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://servers;
      proxy_http_version 1.1;
      proxy_set_header Host $host;
      proxy_set_header Upgrade $http_upgrade;
      proxy_set_header Connection $upgrade;
      proxy_set_header X-Forwarded-For $remote_addr;
      proxy_next_upstream error timeout http_503;
      proxy_connect_timeout 1s;
    }
  }
}
`;
